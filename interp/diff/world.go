package diff

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/model"
	"parley/runtime/shape"
)

func (f *Facts) world(prefix string, w runtime.World) {
	for _, s := range w.State {
		f.add(prefix+"state "+s.Name, "type", shapeText(s.Shape), plain)
		f.add(prefix+"state "+s.Name, "at first", s.Init.Src, plain)
	}
	for _, x := range w.Files {
		f.add(prefix+"file "+eval.Written(x.Path.Src), "text", x.Text.Src, text)
	}
	for _, x := range w.Pages {
		f.add(prefix+"page "+eval.Written(x.Path.Src), "text", x.Text.Src, text)
	}
	for _, m := range w.Mails {
		subject := prefix + "mail " + eval.Written(m.ID.Src)
		f.add(subject, "from", m.From.Src, plain)
		f.add(subject, "subject", m.Subject.Src, text)
		f.add(subject, "body", m.Body.Src, text)
	}
	for _, h := range w.Holes {
		f.add(prefix+"hole "+h.Name, "text", h.Default.Src, text)
	}
	for i, c := range w.Corpus {
		subject := prefix + "corpus"
		if i > 0 {
			subject += fmt.Sprintf(" %d", i+1)
		}
		f.set(subject, "owners", always(c.Owners...))
		f.add(subject, "from", c.From.Src, plain)
		if len(c.Docs) > 0 {
			f.add(subject, "documents", digest(c.Docs), plain)
		}
		f.add(subject, "top", fmt.Sprint(c.Top), plain)
		if c.Truncate > 0 {
			f.add(subject, "truncate", fmt.Sprint(c.Truncate), plain)
		}
	}
	f.rules(prefix+"authority", w.Allow)
}

// rules adds the authorized read and write sets, one element for each address
// and whom the rule names.
func (f *Facts) rules(subject string, allow []runtime.Allow) {
	sets := map[string]map[string]string{"read": {}, "write": {}}
	for _, a := range allow {
		name := "read"
		if a.Write {
			name = "write"
		}
		for _, u := range a.URIs {
			element := eval.Written(u.Src)
			if len(a.By) > 0 {
				element += " by " + strings.Join(a.By, ", ")
			}
			when := a.When.Src
			if old, twice := sets[name][element]; twice && old != when { // either rule authorizes
				if old == "" || when == "" {
					when = ""
				} else {
					when = "(" + old + ") || (" + when + ")"
				}
			}
			sets[name][element] = when
		}
	}
	f.set(subject, "read", sets["read"])
	f.set(subject, "write", sets["write"])
}

// patches adds what an attack does, slot by slot, and to whom.
func (f *Facts) patches(patches []runtime.Patch) {
	seen := map[string]int{}
	for _, x := range patches {
		subject := "patch " + slotName(x)
		if seen[subject]++; seen[subject] > 1 {
			subject += fmt.Sprintf(" (%d)", seen[subject])
		}
		f.add("attack", "level", x.Level, level)
		f.add(subject, "operation", x.Op, strike)
		var edges []string
		for _, e := range x.Edges {
			edges = append(edges, e.From+" -> "+e.To)
		}
		f.set(subject, "targets", always(append(append([]string(nil), x.Agents...), edges...)...))
		f.add(subject, "payload", x.Value.Src, strike)
		f.add(subject, "resource", eval.Written(x.URI.Src), strike)
		if x.Call != nil {
			f.add(subject, "call", callText(x.Call.Tool, x.Call.Args), strike)
		}
		if x.Delay > 0 {
			f.add(subject, "delay", fmt.Sprintf("%d %s", x.Delay, x.Unit), strike)
		}
		f.add(subject, "rewritten by", x.Model, strike)
		when := x.When.Src
		if when == "" {
			when = "true"
		}
		f.add(subject, "when", when, holds)
		if o := x.Obeyed; o != nil {
			if o.Tool != "" {
				f.add("attack", "obeyed", callText(o.Tool, o.Args), strike)
			}
			f.add("attack", "obeyed", o.Calls.Src, strike)
			f.add("attack", "obeyed", o.Reply.Src, strike)
		}
	}
}

// aimed are whom an attack is on in tasks that name others than the first one does.
func (f *Facts) aimed(variants []runtime.Variant) {
	for _, v := range variants {
		var names []string
		for _, a := range v.Program.Agents {
			if !a.Honest {
				names = append(names, a.Name)
			}
		}
		rows := fmt.Sprint(v.Rows)
		f.add("attack", "targets in the tasks "+rows[1:len(rows)-1], strings.Join(names, ", "), strike)
	}
}

func slotName(x runtime.Patch) string {
	name := string(x.Slot)
	if x.Name != "" {
		name += " " + x.Name
	}
	return name
}

func callText(tool string, args map[string]runtime.Expr) string {
	var words []string
	for name, e := range args {
		words = append(words, name+": "+e.Src)
	}
	sort.Strings(words)
	return tool + "(" + strings.Join(words, ", ") + ")"
}

// spec adds what is counted.
func (f *Facts) spec(s *score.Spec) {
	for _, p := range append(append([]score.Pred(nil), s.Verify...), s.AttackVerify...) {
		f.add("predicate "+p.Name, "holds when", p.Expr.Src, counts)
	}
	for _, x := range s.Scores {
		subject := "score " + x.Name
		f.add(subject, "estimates", x.Kind, strike)
		f.add(subject, "counts", x.Expr.Src, counts)
		f.add(subject, "given", x.Given.Src, counts)
		f.add(subject, "per", x.Per.Src, strike)
		f.add(subject, "by", x.By.Src, strike)
		f.add(subject, "better", x.Better, strike)
	}
	for i := range s.Judges {
		f.judge(&s.Judges[i])
	}
	f.add("run", "compares", strings.Join(s.Compare, ", "), plain)
	fails := ""
	for i, p := range s.Fail {
		switch i {
		case 0:
			fails = p.Expr.Src
		default:
			fails = "(" + fails + ") || (" + p.Expr.Src + ")"
		}
	}
	f.add("run", "fails when", fails, holds)
}

// judge adds how a judge is asked; what it says decides what is counted.
func (f *Facts) judge(j *score.Judge) {
	subject := "judge " + j.ID
	f.add(subject, "prompt", j.Prompt.Src, strike)
	f.add(subject, "replies", shapeText(j.Replies), strike)
	f.add(subject, "judges when", j.When.Src, strike)
	f.add(subject, "model", modelText(j.Model), strike)
	if j.Temperature != nil {
		f.add(subject, "temperature", fmt.Sprintf("%g", *j.Temperature), strike)
	}
	if j.MaxTokens > 0 {
		f.add(subject, "max_tokens", fmt.Sprint(j.MaxTokens), strike)
	}
	f.add(subject, "actually", j.Actually.Src, plain)
}

// plan adds the settings of a run and its tasks.
func (f *Facts) plan(p *runtime.Plan) {
	f.add("run", "repeats", fmt.Sprint(max(1, p.Repeats)), plain)
	f.add("run", "seed", fmt.Sprint(p.Seed), plain)
	if p.Shared {
		f.add("run", "pairs", "shared", plain)
	} else {
		f.add("run", "pairs", "independent", plain)
	}
	if p.Budget != (runtime.Budget{}) {
		f.add("run", "budget", fmt.Sprintf("%d calls, %d tokens, %g USD", p.Budget.Calls, p.Budget.Tokens, p.Budget.USD), plain)
	}
	var arms []string
	for _, a := range p.Arms {
		arms = append(arms, string(a.Name))
	}
	f.add("run", "arms", strings.Join(arms, ", "), plain)
	var rows []string
	own := map[string]string{}
	for _, c := range p.Cases {
		row := digest(c.Fields)
		if c.Session {
			row += " a session"
		}
		rows = append(rows, row)
		rules := Facts{}
		rules.rules("rules", c.Allow)
		for _, r := range rules.list {
			for _, line := range strings.Split(r.Value, "\n") {
				own[fmt.Sprintf("task %d: %s %s", c.Row+1, r.Name, line)] = ""
			}
		}
	}
	f.add("tasks", "rows", strings.Join(rows, "\n"), records)
	f.set("tasks", "own authority", own)
}

func modelText(m model.Spec) string { return jsonText(m) }

func shapeText(s shape.Shape) string {
	text := string(s.Kind)
	switch s.Kind {
	case shape.List:
		text = "[" + shapeText(*s.Elem) + "]"
	case shape.Record:
		var fields []string
		for _, x := range s.Fields {
			field := x.Name + ": " + shapeText(x.Shape)
			if x.HasDefault {
				field += " = " + jsonText(x.Default)
			}
			fields = append(fields, field)
		}
		text = "{ " + strings.Join(fields, ", ") + " }"
	case shape.Union, shape.Agent:
		var values []string
		for _, v := range s.Values {
			values = append(values, jsonText(v))
		}
		if len(values) > 0 {
			text = strings.Join(values, " | ")
		}
	}
	if s.Optional {
		text += "?"
	}
	return text
}

// jsonText writes a value of plain data; zero members of records are left out.
func jsonText(v any) string {
	b, err := json.Marshal(trimmed(v))
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// trimmed drops what is zero in a struct, so that only what was chosen is shown.
func trimmed(v any) any {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct {
		return v
	}
	out := map[string]any{}
	for i := range r.NumField() {
		if f := r.Type().Field(i); f.IsExported() && !r.Field(i).IsZero() {
			out[strings.ToLower(f.Name)] = trimmed(r.Field(i).Interface())
		}
	}
	return out
}
