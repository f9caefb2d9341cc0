package stdlib_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/interp"
	"parley/runtime/trace"
	"parley/stdlib"
)

var update = flag.Bool("update", false, "write what the teams do over what they have to do")

// Each file of testdata/conform has tests whose agents speak by script. Beside it
// stands, written from the team's definition, what has to happen in them: each model
// call with its step, its round and its agent, how many of its own turns the agent
// remembers, all that it saw beside its system prompt, and what it sent.
func TestTeamsConform(t *testing.T) {
	files, err := filepath.Glob("testdata/conform/*.parley")
	if err != nil || len(files) == 0 {
		t.Fatal("there is nothing to conform to", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".parley"), func(t *testing.T) {
			got := conversation(t, filepath.Base(file))
			golden := strings.TrimSuffix(file, ".parley") + ".txt"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if line, differ := firstDifference(want, got); differ {
				t.Errorf("%s:%d differs\n%s", golden, line, got)
			}
		})
	}
}

// conversation plays the tests of a file and writes what is said in them.
func conversation(t *testing.T, file string) []byte {
	t.Helper()
	module, found := interp.Project{Root: os.DirFS("testdata/conform"), Std: stdlib.FS}.Load(file)
	if found.HasErrors() {
		t.Fatal(found)
	}
	tests, found := module.Tests()
	if found.HasErrors() || len(tests) < 3 {
		t.Fatalf("%d tests, want at least three: %v", len(tests), found)
	}
	var out bytes.Buffer
	for _, test := range tests {
		played, err := test.Play(context.Background(), nil)
		if err != nil {
			t.Fatalf("%s: %v", test.Title, err)
		}
		for _, v := range played.Verdicts {
			if v.Holds != "yes" {
				t.Errorf("%s: does %s hold? %s %s", test.Title, v.Text, v.Holds, v.Why)
			}
		}
		fmt.Fprintf(&out, "== %s\n", test.Title)
		turns := map[int]*trace.Turn{}
		for i := range played.Base.Events {
			if e := &played.Base.Events[i]; e.Kind == trace.KindTurn {
				turns[e.Turn.ID] = e.Turn
			}
		}
		for i := range played.Base.Events {
			if e := &played.Base.Events[i]; e.Kind == trace.KindModel {
				writeCall(&out, played.Base, turns[e.Model.Turn], e.Model)
			}
		}
		fmt.Fprintf(&out, "answer %v", played.Base.Answer)
		if played.Base.EndedBy != "" {
			fmt.Fprintf(&out, ", ended by %s", played.Base.EndedBy)
		}
		out.WriteString("\n\n")
	}
	return out.Bytes()
}

// writeCall writes one model call: what its agent saw of this turn, and what it sent.
func writeCall(out *bytes.Buffer, trial *trace.Trial, turn *trace.Turn, call *trace.Model) {
	remembered := 0
	var seen []string
	for _, at := range call.Prompts {
		switch p := trial.Prompts[at]; p.Role {
		case "assistant":
			remembered, seen = remembered+1, nil
		case "system":
		default:
			text := p.Text.String()
			if p.Name != "" {
				text = p.Name + ": " + text
			}
			seen = append(seen, text)
		}
	}
	fmt.Fprintf(out, "%s %d %s", turn.Step, turn.Round, call.Agent)
	if remembered > 0 {
		fmt.Fprintf(out, ", remembers %d", remembered)
	}
	fmt.Fprintf(out, "\n%s", indented("  saw  ", strings.Join(seen, "\n--\n")))
	for _, c := range call.Calls {
		fmt.Fprintf(out, "  calls %s %s\n", c.Name, c.Args)
	}
	if call.Text != "" || len(call.Calls) == 0 {
		out.WriteString(indented("  sent ", call.Text))
	}
}

// indented puts a head before a text's first line and as many blanks before the others.
func indented(head, text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			head = strings.Repeat(" ", len(head))
		}
		b.WriteString(strings.TrimRight(head+line, " ") + "\n")
	}
	return b.String()
}

// firstDifference is the first line at which two texts differ.
func firstDifference(a, b []byte) (line int, differ bool) {
	if bytes.Equal(a, b) {
		return 0, false
	}
	left, right := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(left), len(right)) {
		if !bytes.Equal(left[i], right[i]) {
			return i + 1, true
		}
	}
	return min(len(left), len(right)) + 1, true
}
