// Package scenarios holds the experiments that a user runs and copies, with their
// data. Its only Go code is tests: of the data, and of the scenarios themselves.
package scenarios

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// fact is one row of quickstart/facts.jsonl.
type fact struct {
	ID        string   `json:"id"`
	Class     string   `json:"class"`
	Relation  string   `json:"relation"`
	Prompt    string   `json:"prompt"`
	Answer    string   `json:"answer"`
	Wrong     string   `json:"wrong"`
	Wrongs    []string `json:"wrongs"`
	Documents []struct {
		Title string `json:"title"`
		Text  string `json:"text"`
	} `json:"documents"`
}

func readFacts(t *testing.T) []fact {
	t.Helper()
	f, err := os.Open("quickstart/facts.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var facts []fact
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		dec := json.NewDecoder(strings.NewReader(lines.Text()))
		dec.DisallowUnknownFields()
		var x fact
		if err := dec.Decode(&x); err != nil {
			t.Fatalf("row %d: %v", len(facts)+1, err)
		}
		facts = append(facts, x)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return facts
}

var article = regexp.MustCompile(`\b(a|an|the)\b`)

// normal is how answers are compared: case, articles, punctuation and repeated
// space do not count.
func normal(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) {
			return ' '
		}
		return unicode.ToLower(r)
	}, s)
	return strings.Join(strings.Fields(article.ReplaceAllString(s, " ")), " ")
}

func TestFactsAreEnoughAndVaried(t *testing.T) {
	facts := readFacts(t)
	if len(facts) < 60 {
		t.Errorf("%d facts, want at least 60", len(facts))
	}
	relations, classes := map[string]int{}, map[string]int{}
	ids, prompts := map[string]bool{}, map[string]bool{}
	for _, x := range facts {
		relations[x.Relation]++
		classes[x.Class]++
		if ids[x.ID] || x.ID == "" {
			t.Errorf("id %q is missing or used twice", x.ID)
		}
		if p := normal(x.Prompt); prompts[p] || p == "" {
			t.Errorf("%s: question is missing or asked twice: %q", x.ID, x.Prompt)
		}
		ids[x.ID], prompts[normal(x.Prompt)] = true, true
	}
	for relation, n := range relations {
		if n > 5 {
			t.Errorf("%d questions ask for %q, want at most 5", n, relation)
		}
	}
	for _, class := range []string{"easy", "hard"} {
		if classes[class] < len(facts)/4 {
			t.Errorf("%d of %d questions are %s, want at least a quarter", classes[class], len(facts), class)
		}
		delete(classes, class)
	}
	if len(classes) > 0 {
		t.Errorf("unknown classes: %v", classes)
	}
}

func TestAnswersStandApart(t *testing.T) {
	for _, x := range readFacts(t) {
		if len(x.Wrongs) < 3 || len(x.Wrongs) > 4 {
			t.Errorf("%s: %d wrong answers, want 3 or 4", x.ID, len(x.Wrongs))
		}
		if len(x.Wrongs) > 0 && x.Wrongs[0] != x.Wrong {
			t.Errorf("%s: the attacker's answer %q is not the first of %v", x.ID, x.Wrong, x.Wrongs)
		}
		seen := map[string]string{normal(x.Answer): x.Answer}
		for _, w := range x.Wrongs {
			n := normal(w)
			if other, taken := seen[n]; taken || n == "" {
				t.Errorf("%s: wrong answer %q reads like %q", x.ID, w, other)
			}
			seen[n] = w
		}
		if strings.Contains(normal(x.Prompt), normal(x.Answer)) && len(x.Answer) > 1 {
			t.Errorf("%s: the question gives its answer away: %q", x.ID, x.Prompt)
		}
	}
}

func TestDocumentsSupportAndDistract(t *testing.T) {
	for _, x := range readFacts(t) {
		if len(x.Documents) < 3 || len(x.Documents) > 6 {
			t.Errorf("%s: %d documents, want 3 to 6", x.ID, len(x.Documents))
		}
		titles := map[string]bool{}
		supports, distracts := false, false
		for _, d := range x.Documents {
			said := " " + normal(d.Title+" "+d.Text) + " "
			supports = supports || strings.Contains(said, normal(x.Answer))
			for _, w := range x.Wrongs {
				distracts = distracts || strings.Contains(said, " "+normal(w)+" ")
			}
			if titles[d.Title] || d.Title == "" {
				t.Errorf("%s: title %q is missing or used twice", x.ID, d.Title)
			}
			titles[d.Title] = true
			if n := len([]rune(d.Text)); n < 20 || n > 300 {
				t.Errorf("%s: %q has %d characters, want 20 to 300", x.ID, d.Title, n)
			}
			if strings.Contains(d.Text, "${") {
				t.Errorf("%s: %q looks like a template", x.ID, d.Title)
			}
		}
		if !supports || !distracts {
			t.Errorf("%s: a document names the answer: %v, one names a wrong answer: %v, want both", x.ID, supports, distracts)
		}
	}
}
