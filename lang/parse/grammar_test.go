package parse

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/source"
)

// grammars is every grammar of the package.
var grammars = []fmt.Stringer{
	languages, uses, models, modelUses, agentSets, teams, agents, edges, graphs, turnses, toolses, replieses, rememberings, wheres, handoffs, steps, repeats,
	fors, lets, sets, says, resets, returns, requires, workspaces, tools, states, files, holes, corpora, allows, attacks, puts, rewrites, takes, delays, addAgents, mails, pages, blocks,
	oneCalls, nameds, usesOrBlocks, scoreItems, tasksClauses, namedTaskses, tasksOfFile, taskRecords, refUses, baselines, attackUses, fails,
	experiments, scenarioLists, sweeps, clauseSweeps, acrosses, compares, hooks, swaps, approvals, defenseUses, tests, scripts, entries, keyExprs, keyWords, keys, bindings, ifs,
}

func TestEveryGrammarIsListed(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			made += strings.Count(string(text), "= grammarOf[")
		}
	}
	if made != len(grammars) {
		t.Errorf("%d grammars are made and %d listed", made, len(grammars))
	}
}

// A literal that the lexer never makes one token of would be dead grammar.
func TestLiteralsAreTokens(t *testing.T) {
	literal := regexp.MustCompile(`"([^"]+)"`)
	for _, g := range grammars {
		for _, m := range literal.FindAllStringSubmatch(g.String(), -1) {
			text := m[1]
			for _, pair := range []string{"()", "[]", "{}"} {
				if strings.Contains(pair, text) {
					text = pair // a bracket alone is left out, or closed
				}
			}
			tokens := lex.Scan(source.New("x", text)).Tokens
			if i := strings.Index(text, m[1]); len(tokens) < i+2 || tokens[i].Text != m[1] || tokens[i].Kind == lex.Illegal {
				t.Errorf("%q of\n%s\nis no single token", m[1], g)
			}
		}
	}
}

// Every grammar begins with a word or a literal that must be there: one that
// could accept nothing would make the library panic.
func TestGrammarsAcceptSomething(t *testing.T) {
	for _, g := range grammars {
		_, body, _ := strings.Cut(g.String(), "\n")
		_, body, _ = strings.Cut(body, "= ")
		body, _, _ = strings.Cut(body, " .\n")
		if names, _, empty := firsts(ebnfToken.FindAllString(body, -1)); empty || len(names) == 0 {
			t.Errorf("this grammar accepts nothing at all:\n%s", g)
		}
	}
}

func TestWanted(t *testing.T) {
	for _, c := range []struct{ expected, want string }{
		{`"=" expression`, `"="`},
		{`block`, `block`},
		{`("each" who | who)`, `"each" who`},
		{`Params? block`, `block`},
		{`("," ArgNode)* ","? ")"`, `")"`},
		{`("until" expression | expression ("until" expression)?) block`, `"until" expression`},
		{`(("a" | "b")? "c")`, `"c"`},
	} {
		err := fmt.Errorf("unexpected token \"x\" (expected %s)", c.expected)
		if got := strings.Join(wanted(err), " "); got != c.want {
			t.Errorf("%s begins with %s, want %s", c.expected, got, c.want)
		}
	}
}

// Every code of this package is shown by a file of mistakes, those aside
// that no text can show.
func TestEveryCodeHasAnExample(t *testing.T) {
	goldens, err := filepath.Glob("testdata/mistakes/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range goldens {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, code := range diag.Codes() {
		if !strings.HasPrefix(string(code), "P01") || code == diag.TooLarge || code == diag.NotUTF8 {
			continue
		}
		if !strings.Contains(all.String(), "error "+string(code)+":") {
			t.Errorf("no file of mistakes shows %s, %s", code, code.Title())
		}
	}
}

// Messages are for people: no jargon of the libraries, no types of Go.
func TestMessagesArePlain(t *testing.T) {
	goldens, err := filepath.Glob("testdata/mistakes/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	jargon := regexp.MustCompile(`(?i)\b(token|EOF|participle|node|predicate|identifier|operator\(|bracket\(|unexpected|ast|interface|nil pointer|sub-expression)\b`)
	for _, path := range goldens {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, ": error P") && jargon.MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
}
