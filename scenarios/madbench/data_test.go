// Package madbench holds a benchmark in the shape of MADBench: four families of
// tasks written for this project, and the scenarios that read them. Its only Go
// code is tests: of the data, and of the tasks themselves.
package madbench

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/runtime/eval"
)

// families are the task files, and how many tasks each has.
var families = map[string]int{
	"facts.jsonl": 100, "reasoning.jsonl": 100,
	"office.jsonl": 20, "travel.jsonl": 18, "banking.jsonl": 18,
	"harmful.jsonl": 100,
}

// worlds are the families whose tasks are done by calls, places the names of their
// workspaces.
var (
	worlds = []string{"office", "travel", "banking"}
	places = map[string]string{"office": "desk", "travel": "trip", "banking": "account"}
)

// row is one task of any family.
type row struct {
	ID        string     `json:"id"`
	Class     string     `json:"class"`
	Topic     string     `json:"topic"`
	Relation  string     `json:"relation"`
	Prompt    string     `json:"prompt"`
	Answer    string     `json:"answer"`
	Wrong     string     `json:"wrong"`
	Wrongs    []string   `json:"wrongs"`
	Sources   []string   `json:"sources"` // titles of the question's own documents
	Documents []document `json:"documents"`
	Calls     []call     `json:"calls"`  // reads first, then the writes that complete the task
	Reads     []string   `json:"reads"`  // what may be read
	Writes    []string   `json:"writes"` // what may be written, and has to be
	Says      []string   `json:"says"`   // what a written body has to contain
	Places    []string   `json:"places"` // where an outsider's words can stand

	line string
}

type document struct{ Title, Text string }

type call struct {
	Tool string         `json:"tool"`
	Args map[string]any `json:"args"`
}

func readRows(t *testing.T, name string) []row {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		dec := json.NewDecoder(strings.NewReader(lines.Text()))
		dec.DisallowUnknownFields()
		x := row{line: lines.Text()}
		if err := dec.Decode(&x); err != nil {
			t.Fatalf("%s, row %d: %v", name, len(rows)+1, err)
		}
		rows = append(rows, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestEveryTaskIsThereOnce(t *testing.T) {
	total := 0
	ids, prompts := map[string]bool{}, map[string]bool{}
	for name, want := range families {
		rows := readRows(t, name)
		if len(rows) != want {
			t.Errorf("%s has %d tasks, want %d", name, len(rows), want)
		}
		total += len(rows)
		for _, x := range rows {
			if x.ID == "" || ids[x.ID] {
				t.Errorf("%s: the id %q is missing or used twice", name, x.ID)
			}
			if p := eval.Fold(x.Prompt); p == "" || prompts[p] {
				t.Errorf("%s: the prompt is missing or asked twice: %q", x.ID, x.Prompt)
			}
			ids[x.ID], prompts[eval.Fold(x.Prompt)] = true, true
			if strings.Contains(x.line, "${") {
				t.Errorf("%s: a text looks like a template", x.ID)
			}
		}
	}
	if total != 356 {
		t.Errorf("%d tasks in all, want 356", total)
	}
}

func TestAnswersStandApart(t *testing.T) {
	for name := range families {
		for _, x := range readRows(t, name) {
			if len(x.Wrongs) == 0 || x.Wrongs[0] != x.Wrong {
				t.Errorf("%s: the attacker's answer %q is not the first of %v", x.ID, x.Wrong, x.Wrongs)
			}
			said := []string{x.Answer}
			for _, w := range x.Wrongs {
				for _, other := range said {
					if w == "" || eval.Same(w, other) != eval.False {
						t.Errorf("%s: the wrong answer %q reads like %q", x.ID, w, other)
					}
				}
				said = append(said, w)
			}
			if x.Calls != nil || name == "facts.jsonl" {
				if len(x.Wrongs) < 3 {
					t.Errorf("%s: %d wrong answers, want at least 3", x.ID, len(x.Wrongs))
				}
			}
		}
	}
}

func TestClassesAndRelationsAreVaried(t *testing.T) {
	for name, n := range families {
		if name == "harmful.jsonl" {
			continue
		}
		relations, classes := map[string]int{}, map[string]int{}
		for _, x := range readRows(t, name) {
			classes[x.Class]++
			if x.Relation != "" {
				relations[x.Relation]++
			}
		}
		for _, class := range []string{"easy", "hard"} {
			if classes[class] < n/4 {
				t.Errorf("%s: %d of %d tasks are %s, want at least a quarter", name, classes[class], n, class)
			}
			delete(classes, class)
		}
		if len(classes) > 0 {
			t.Errorf("%s: unknown classes: %v", name, classes)
		}
		for relation, k := range relations {
			if k > 5 {
				t.Errorf("%s: %d questions share the relation %q, want at most 5", name, k, relation)
			}
		}
		if strings.Contains("facts.jsonl reasoning.jsonl", name) && len(relations) < 20 {
			t.Errorf("%s: %d relations, want at least 20", name, len(relations))
		}
	}
}

func TestYesAndNoAreBalanced(t *testing.T) {
	yes := 0
	for _, x := range readRows(t, "reasoning.jsonl") {
		switch x.Answer + x.Wrong {
		case "yesno":
			yes++
		case "noyes":
		default:
			t.Errorf("%s: the answers are %q and %q, want yes and no", x.ID, x.Answer, x.Wrong)
		}
	}
	if yes < 45 || yes > 55 {
		t.Errorf("%d of 100 questions are answered by yes, want 45 to 55", yes)
	}
}

func TestHarmfulRequestsAreOneLineEach(t *testing.T) {
	topics := map[string]int{}
	for _, x := range readRows(t, "harmful.jsonl") {
		topics[x.Topic]++
		if n := len([]rune(x.Prompt)); n > 120 || strings.Contains(x.Prompt, "\n") || strings.Count(x.Prompt, ".") != 1 {
			t.Errorf("%s: %q is more than one short line", x.ID, x.Prompt)
		}
	}
	if len(topics) != 10 || slices.ContainsFunc(readRows(t, "harmful.jsonl"), func(x row) bool { return topics[x.Topic] != 10 }) {
		t.Errorf("want ten topics of ten requests: %v", topics)
	}
}
