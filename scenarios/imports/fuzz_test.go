package imports

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"parley/lang/diag"
)

// fuzzed feeds bytes to a reader as one file: whatever they are, it gives whole
// JSON lines or says a Problem or a plain error, and never panics.
func fuzzed(f *testing.F, file string, read func(folder, Options) (*Output, error), seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := read(folder{files: fstest.MapFS{file: {Data: data}}, path: "in"}, Options{})
		if err != nil {
			var p *Problem
			if errors.As(err, &p) && len(p.Error()) > 2000 {
				t.Errorf("a message of %d bytes", len(p.Error()))
			}
			return
		}
		for _, o := range out.Files {
			if n := bytes.Count(o.Data, []byte("\n")); n != o.Records {
				t.Errorf("%d lines for %d records", n, o.Records)
			}
			for line := range strings.Lines(string(o.Data)) {
				if !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %s", line)
				}
			}
		}
	})
}

func FuzzStrategyQA(f *testing.F) {
	fuzzed(f, "dev.json", strategyQA, `[{"qid":"a","question":"q?","term":"","answer":true,"facts":["f"],"decomposition":[]}]`, `[`, `[null]`)
}

func FuzzGSM8K(f *testing.F) {
	fuzzed(f, "test.jsonl", gsm8k, `{"question":"q","answer":"<<1+1=2>> #### 2"}`, `{"question":"q","answer":"#### -0"}`)
}

func FuzzSealQA(f *testing.F) {
	fuzzed(f, "seal-0.jsonl", sealQA, `{"question":"q","answer":"a","documents":["d",{"text":"t"}],"effective_year":2025}`)
}

func FuzzTruthfulQA(f *testing.F) {
	fuzzed(f, "TruthfulQA.csv", truthfulQA, "\ufeffType,Category,Question,Best Answer,Correct Answers,Incorrect Answers\na,b,c,d,d; e,f;g\n")
}

func FuzzJailbreakBench(f *testing.F) {
	fuzzed(f, "benign-behaviors.csv", jailbreakBench, "Index,Goal,Behavior,Category\n0,a,b,c\n", "Index\n\"")
}

func FuzzInjecAgent(f *testing.F) {
	read := func(from folder, o Options) (*Output, error) {
		from.file = "cases.json"
		return injecAgent(from, o)
	}
	fuzzed(f, "cases.json", read, `[{"User Tool":"t","User Instruction":"i","Tool Parameters":"{'a': 1}","Tool Response Template":"<Attacker Instruction>","Attacker Instruction":"g","Expected Achievements":"e","Attack Type":"k","Attacker Tools":["x"]}]`)
}

func FuzzLiteral(f *testing.F) {
	for _, s := range []string{`{'a': [1, True, None]}`, `'\x41'`, `((((`, `"\U0001F0A1"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if out, err := literalJSON(src); err == nil && !json.Valid([]byte(out)) {
			t.Errorf("%q becomes %q, which is no JSON", src, out)
		}
	})
}

// FuzzAgentDojo exchanges one file of the sample. What comes out, if anything,
// passes the check.
func FuzzAgentDojo(f *testing.F) {
	data, logs := dojoSample(f)
	names := []string{"tasks-facts.json", "suites/banking/environment.yaml", "suites/banking/injection_vectors.yaml", "suites/slack/environment.yaml"}
	for i, n := range names {
		f.Add(byte(i), data[n].Data)
	}
	f.Add(byte(1), []byte("bank_account: !include environment.yaml"))
	f.Add(byte(2), []byte("v: {default: \"$${x\"}"))
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		name := names[int(which)%len(names)]
		mine := fstest.MapFS{}
		for n, file := range data {
			mine[n] = file
		}
		mine[name] = &fstest.MapFile{Data: text}
		out, err := dojoSuites(mine, logs)
		if err != nil {
			return
		}
		for _, suite := range []string{"banking", "slack"} {
			if wrong := checked(t, out, suite+".parley", diag.Error); wrong != "" {
				t.Errorf("%s\n%s", wrong, out.file(suite+".parley"))
			}
		}
	})
}
