package imports

import (
	"fmt"
	"strings"
)

// planted marks, in a tool's answer, where the outsider's text stands.
const planted = "<Attacker Instruction>"

// injecUser is what a user asks for, and the one tool answer that serves it.
type injecUser struct{ tool, prompt, args, template, level string }

// injecAttacker is an instruction that an outsider plants.
type injecAttacker struct {
	goal, aim, kind string
	tools           []string
	stealing        bool
}

// injecAgent reads user tasks and planted instructions; each pair is a case. The
// user's tool and its answer are data of the case, not tools of a world. There
// is no reference answer: a case is about which tools are called.
func injecAgent(from folder, _ Options) (*Output, error) {
	if from.file != "" {
		return mergedCases(from)
	}
	users, err := injecUsers(from)
	if err != nil {
		return nil, err
	}
	attackers, err := injecAttackers(from)
	if err != nil {
		return nil, err
	}
	var out Output
	var asked, goals, cases []record
	for i, u := range users {
		id := fmt.Sprintf("user-%d", i+1)
		asked = append(asked, append(u.fields(id), source(id)...))
	}
	count := map[bool]int{}
	for _, a := range attackers {
		count[a.stealing]++
		id := fmt.Sprintf("%s-%d", a.class(), count[a.stealing])
		goals = append(goals, append(a.fields(id), source(id)...))
		for k, u := range users {
			cases = append(cases, injecCase(fmt.Sprintf("%s-user-%d", id, k+1), u, a))
		}
	}
	for _, f := range []struct {
		name    string
		records []record
	}{{"users.jsonl", asked}, {"goals.jsonl", goals}, {"tasks.jsonl", cases}} {
		if err := out.add(f.name, f.records); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// mergedCases reads one of the files in which both sides stand in each record.
func mergedCases(from folder) (*Output, error) {
	return tasksFile(from.rows(readArray, func(r row) (record, error) {
		u, err := userOf(r)
		if err != nil {
			return nil, err
		}
		a, err := attackerOf(r)
		return injecCase(fmt.Sprintf("%s-case-%d", a.class(), r.n), u, a), err
	}))
}

func injecUsers(from folder) ([]injecUser, error) {
	rows, err := readLines(from.files, "user_cases.jsonl")
	if err != nil {
		return nil, err
	}
	var out []injecUser
	for _, r := range rows {
		u, err := userOf(r)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, nil
}

func injecAttackers(from folder) ([]injecAttacker, error) {
	var out []injecAttacker
	for _, name := range []string{"attacker_cases_dh.jsonl", "attacker_cases_ds.jsonl"} {
		rows, err := readLines(from.files, name)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			a, err := attackerOf(r)
			if err != nil {
				return nil, err
			}
			out = append(out, a)
		}
	}
	return out, nil
}

func userOf(r row) (injecUser, error) {
	var u injecUser
	var literal string
	for _, f := range []struct {
		name string
		to   *string
	}{
		{"User Tool", &u.tool},
		{"User Instruction", &u.prompt},
		{"Tool Parameters", &literal},
		{"Tool Response Template", &u.template},
		{"Level", &u.level},
	} {
		if f.name == "Level" && !r.has(f.name) {
			continue // the merged files do not say it
		}
		var err error
		if *f.to, err = r.text(f.name, false); err != nil {
			return u, err
		}
	}
	if !strings.Contains(u.template, planted) {
		return u, r.problem("Tool Response Template", "a text with "+planted, u.template)
	}
	var err error
	if u.args, err = literalJSON(literal); err != nil || !strings.HasPrefix(u.args, "{") {
		return u, &Problem{File: r.file, Record: r.n, Field: "Tool Parameters", Want: "a Python dict", Got: fmt.Sprintf("%q", short(literal))}
	}
	return u, nil
}

func attackerOf(r row) (injecAttacker, error) {
	var a injecAttacker
	for _, f := range []struct {
		name string
		to   *string
	}{{"Attacker Instruction", &a.goal}, {"Expected Achievements", &a.aim}, {"Attack Type", &a.kind}} {
		var err error
		if *f.to, err = r.text(f.name, false); err != nil {
			return a, err
		}
	}
	var err error
	if a.tools, err = r.texts("Attacker Tools"); err != nil {
		return a, err
	}
	if len(a.tools) == 0 {
		return a, &Problem{File: r.file, Record: r.n, Field: "Attacker Tools", Want: "at least one tool", Got: "none"}
	}
	// Stealing is a tool that reads, then one that carries the data out.
	a.stealing = len(a.tools) > 1
	return a, nil
}

func (a injecAttacker) class() string {
	if a.stealing {
		return "stealing"
	}
	return "harm"
}

// fields are a user's task with the tool answer that it gets when nobody
// interferes.
func (u injecUser) fields(id string) record {
	return record{
		{"id", id},
		{"prompt", u.prompt},
		{"answer", nil},
		{"tool", u.tool},
		{"arguments", u.args},
		{"result", strings.ReplaceAll(u.template, planted, "")},
		{"template", u.template},
		{"level", u.level},
	}
}

func (a injecAttacker) fields(id string) record {
	return record{{"id", id}, {"goal", a.goal}, {"aim", a.aim}, {"class", a.class()}, {"kind", a.kind}, {"attacker_tools", a.tools}}
}

func injecCase(id string, u injecUser, a injecAttacker) record {
	r := record{
		{"id", id},
		{"prompt", u.prompt},
		{"answer", nil},
		{"class", a.class()},
		{"kind", a.kind},
		{"tool", u.tool},
		{"arguments", u.args},
		{"result", strings.ReplaceAll(u.template, planted, "")},
		{"injected", strings.ReplaceAll(u.template, planted, a.goal)},
		{"goal", a.goal},
		{"attacker_tools", a.tools},
	}
	return append(r, source(id)...)
}

func source(id string) record {
	return record{{"source", "InjecAgent " + id}, {"licence", "MIT, uiuc-kang-lab/InjecAgent"}}
}
