package imports

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// What is wrong with data is said with file, record, field and what was expected.
func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		source, file, data, want string
	}{
		"answer is no boolean":   {"strategyqa", "dev.json", `[{"qid":"a","question":"q?","term":"","answer":"yes","facts":[],"decomposition":[]}]`, `dev.json: record 1, field "answer": expected true or false, got the text "yes"`},
		"second record":          {"strategyqa", "dev.json", `[{"qid":"a","question":"q?","term":"","answer":true,"facts":[],"decomposition":[]},{"qid":"b"}]`, `dev.json: record 2, field "question": expected a text, got nothing`},
		"facts are no list":      {"strategyqa", "dev.json", `[{"qid":"a","question":"q?","term":"","answer":true,"facts":"f","decomposition":[]}]`, `dev.json: record 1, field "facts": expected a list of texts, got the text "f"`},
		"cut short":              {"strategyqa", "dev.json", `[{"qid":"a"`, `dev.json: record 1: expected a JSON record, got the end of the file`},
		"no list":                {"strategyqa", "dev.json", `{"qid":"a"}`, `dev.json: expected a JSON list of records, got something else`},
		"list never closed":      {"strategyqa", "dev.json", `[{"qid":"a","question":"q?","term":"","answer":true,"facts":[],"decomposition":[]}`, `dev.json: record 1: expected the list to be closed, got the end of the file`},
		"empty":                  {"gsm8k", "test.jsonl", ``, `test.jsonl: expected at least one record, got none`},
		"no number":              {"gsm8k", "test.jsonl", `{"question":"q","answer":"#### ten"}`, `test.jsonl: record 1, field "answer": expected a number behind ####, got the text "ten"`},
		"no marks":               {"gsm8k", "test.jsonl", `{"question":"q","answer":"10"}`, `test.jsonl: record 1, field "answer": expected a number behind ####, got no ####`},
		"not UTF-8":              {"gsm8k", "test.jsonl", "{\"question\":\"\xff\"}", `test.jsonl: expected text in UTF-8, got other bytes`},
		"control characters":     {"gsm8k", "test.jsonl", `{"question":"q","answer":"#### \u001b[31m"}`, `test.jsonl: record 1, field "answer": expected a number behind ####, got the text "\\u{1B}[31m"`},
		"text too long":          {"gsm8k", "test.jsonl", `{"question":"` + strings.Repeat("x", maxText+1) + `","answer":"#### 1"}`, `test.jsonl: record 1, field "question": expected at most 256 KiB of text, got more`},
		"column missing":         {"truthfulqa", "TruthfulQA.csv", "Type,Question\na,b\n", `TruthfulQA.csv: field "Category": expected a column of this name, got the columns Type, Question`},
		"short line":             {"jailbreakbench", "harmful-behaviors.csv", "Index,Goal,Behavior,Category\n0,g\n", `harmful-behaviors.csv: record 1: expected 4 columns, got 2`},
		"open quotes":            {"jailbreakbench", "harmful-behaviors.csv", "Index,Goal,Behavior,Category\n0,\"g,b,c\n", `harmful-behaviors.csv: record 1: expected a line of CSV, got quotes that do not close or stand where none may`},
		"index":                  {"jailbreakbench", "harmful-behaviors.csv", "Index,Goal,Behavior,Category\n../0,g,b,c\n", `harmful-behaviors.csv: record 1, field "Index": expected a whole number, got the text "../0"`},
		"documents of no text":   {"sealqa", "seal-0.jsonl", `{"question":"q","answer":"a","documents":[{"title":"t"}]}`, `seal-0.jsonl: record 1, field "documents": expected documents with a text of at most 256 KiB, got a record`},
		"parameters":             {"injecagent", "user_cases.jsonl", `{"User Tool":"t","User Instruction":"i","Tool Parameters":"{'a': }","Tool Response Template":"<Attacker Instruction>","Level":"l"}`, `user_cases.jsonl: record 1, field "Tool Parameters": expected a Python dict, got "{'a': }"`},
		"template without place": {"injecagent", "user_cases.jsonl", `{"User Tool":"t","User Instruction":"i","Tool Parameters":"{}","Tool Response Template":"x","Level":"l"}`, `user_cases.jsonl: record 1, field "Tool Response Template": expected a text with <Attacker Instruction>, got the text "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.data), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Import(c.source, dir, Options{})
			if p := asProblem(t, err); p.Error() != c.want {
				t.Errorf("got  %s\nwant %s", p, c.want)
			}
		})
	}
}

// brokenDojo is AgentDojo's sample with one text of one file exchanged.
func brokenDojo(t *testing.T, file, old, fresh string) error {
	t.Helper()
	data, logs := dojoSample(t)
	before := string(data[file].Data)
	if !strings.Contains(before, old) {
		t.Fatalf("%s has no %q", file, old)
	}
	data[file] = &fstest.MapFile{Data: []byte(strings.Replace(before, old, fresh, 1))}
	_, err := dojoSuites(data, logs)
	return err
}

// dojoSample is the hand-made sample, in memory.
func dojoSample(t testing.TB) (data, logs fstest.MapFS) {
	t.Helper()
	load := func(dir string) fstest.MapFS {
		out, from := fstest.MapFS{}, os.DirFS(filepath.Join("testdata", "in", dir))
		err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(from, name)
			out[name] = &fstest.MapFile{Data: text}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	return load("agentdojo"), load("agentdojo-runs")
}

func TestBadAgentDojo(t *testing.T) {
	const facts, bank = "tasks-facts.json", "suites/banking/environment.yaml"
	for name, c := range map[string]struct{ file, old, fresh, want string }{
		"unknown tool":     {facts, `"tool": "send_money"`, `"tool": "steal_money"`, `expected a tool of the suite, got "steal_money"`},
		"unknown argument": {facts, `"recipient": "CC33"`, `"to": "CC33"`, `expected one of the arguments recipient, amount, subject, date, got "to"`},
		"unknown vector":   {facts, `["note_vector"]`, `["other_vector"]`, `expected a vector of the suite, got "other_vector"`},
		"id":               {facts, `"user_task_0"`, `"x { } task"`, `expected a name such as user_task_3, got the text "x { } task"`},
		"vector's name":    {"suites/banking/injection_vectors.yaml", "note_vector:", "\"a = 1 }\":", `expected a vector's name of letters, digits and _, got another`},
		"amount":           {bank, "amount: 9.0", "amount: much", `suites/banking/environment.yaml: field "bank_account.transactions[1].amount": expected a number, got "much"`},
		"missing field":    {bank, `subject: "{note_vector} and {no_vector}", `, "", `field "bank_account.transactions[1].subject": expected a text, got nothing`},
		"missing part":     {bank, "iban:", "ibam:", `field "bank_account.iban": expected a value, got nothing`},
		"key twice":        {bank, `"rent.txt":`, "\"rent.txt\": x\n    \"rent.txt\":", `field "rent.txt": expected each key once, got it twice`},
		"word of a few":    {"suites/travel/environment.yaml", "status: confirmed", "status: perhaps", `expected one of a few words, got "perhaps"`},
		"climbing include": {"suites/workspace/environment.yaml", "include/inbox.yaml", "../../tasks-facts.json", `expected a file of the same folder, got "../../tasks-facts.json"`},
		"include itself":   {"suites/workspace/environment.yaml", "include/inbox.yaml", "environment.yaml", `expected files that take each other in at most 4 deep, got more`},
		"alias":            {bank, `balance: 90.5`, "balance: &a 90.5\n  other: *a", `expected a value, a list or a mapping, got an alias`},
		"too large":        {bank, "  scheduled_transactions: []", "  scheduled_transactions:\n" + strings.Repeat("    - {id: 2, sender: a, recipient: b, amount: 1, subject: c, date: d, recurring: true}\n", 300), `expected a world that one .parley file can hold, got this expression is longer than 16 KiB`},
		"not YAML":         {bank, "bank_account:", "bank_account: [", `expected YAML`},
	} {
		t.Run(name, func(t *testing.T) {
			err := brokenDojo(t, c.file, c.old, c.fresh)
			if p := asProblem(t, err); !strings.Contains(p.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", p, c.want)
			}
		})
	}
}

func TestLogsThatAreMissing(t *testing.T) {
	data, _ := dojoSample(t)
	_, err := dojoSuites(data, fstest.MapFS{"clean/m/banking/x": {}})
	if err == nil || !strings.Contains(err.Error(), "no clean run of banking user_task_0") {
		t.Errorf("got %v", err)
	}
	_, err = Import("agentdojo", filepath.Join("testdata", "in", "agentdojo"), Options{Runs: "nowhere"})
	if err == nil || !strings.Contains(err.Error(), "--runs") {
		t.Errorf("got %v", err)
	}
}

// hostile is text that means something in Parley, in YAML, or on a terminal.
const hostile = "\"}] } ${task.answer} $${x} $ \\u0041 // \n\" + files[\"x\"] + \" \u202e\x1b[2J 'q' `b` {note_vector}$"

// Text from data stays text, wherever it comes to stand.
func TestHostileTextStaysText(t *testing.T) {
	data, logs := dojoSample(t)
	yamlText := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x1b", `\e`).Replace(hostile)
	for file, old := range map[string]string{
		"suites/banking/environment.yaml":       `"{note_vector} and {no_vector}"`,
		"suites/banking/injection_vectors.yaml": `"First\\tline\\nSecond line"`,
	} {
		text := string(data[file].Data)
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", file, old)
		}
		data[file] = &fstest.MapFile{Data: []byte(strings.Replace(text, old, `"`+yamlText+`"`, 1))}
	}
	facts := strings.Replace(string(data["tasks-facts.json"].Data), "pay the rent of a letter", strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x1b", `\u001b`).Replace(hostile), 1)
	facts = strings.Replace(facts, `"recipient": "CC33"`, `"recipient": "`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x1b", `\u001b`).Replace(hostile)+`"`, 1)
	data["tasks-facts.json"] = &fstest.MapFile{Data: []byte(facts)}
	out, err := dojoSuites(data, logs)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := checked(t, out, "banking.parley"); wrong != "" {
		t.Errorf("%s\n%s", wrong, out.file("banking.parley"))
	}
	cell := compiledFrom(t, out, "banking", "banking_clean").Cells[0]
	got := replayed(t, cell, "clean", 0, &replayer{calls: []call{{"get_most_recent_transactions", "{}"}}, answer: "x"})
	hole := strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(hostile)
	want := strings.ReplaceAll(hostile, "{note_vector}", hole)
	if seen := subjectOf(t, got); seen != want {
		t.Errorf("the subject is\n%q, not\n%q", seen, want)
	}
}
