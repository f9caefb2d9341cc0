// Package editor generates what editors need of the language: the grammar for colours,
// from the tables that the parser and the checker read.
package editor

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"parley/interp/typing"
	"parley/lang/lex"
)

// clauses are the words that stand within an item; operators those between operands.
var (
	clauses = []string{
		"across", "any", "as", "aside", "at", "better", "by", "each", "else", "for", "given", "higher", "is", "like", "limit", "lower", "on", "own", "per",
		"sample", "seed", "then", "try", "turns", "until", "when", "where", "with",
	}
	operators = []string{"and", "contains", "endsWith", "in", "matches", "not", "or", "startsWith"}
	typeNames = []string{"agent", "agents", "bool", "duration", "int", "number", "string"}
)

// rule is one pattern of a grammar as TextMate has them.
type rule struct {
	Name          string          `json:"name,omitempty"`
	Match         string          `json:"match,omitempty"`
	Begin         string          `json:"begin,omitempty"`
	End           string          `json:"end,omitempty"`
	ContentName   string          `json:"contentName,omitempty"`
	Captures      map[string]rule `json:"captures,omitempty"`
	BeginCaptures map[string]rule `json:"beginCaptures,omitempty"`
	EndCaptures   map[string]rule `json:"endCaptures,omitempty"`
	Patterns      []rule          `json:"patterns,omitempty"`
	Include       string          `json:"include,omitempty"`
}

// Grammar is the TextMate grammar of the language, as JSON.
func Grammar() ([]byte, error) {
	var declarations, words []string
	for _, place := range lex.Places() {
		for _, k := range lex.Keywords(place) {
			if k.Later {
				continue
			}
			words = append(words, k.Word)
			if place == lex.InFile && strings.Contains(k.Form, k.Word+" NAME") {
				declarations = append(declarations, k.Word)
			}
		}
	}
	g := map[string]any{
		"$schema":   "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
		"name":      "Parley",
		"scopeName": "source.parley",
		"patterns":  []rule{{Include: "#all"}},
		"repository": map[string]rule{
			"all":     {Patterns: []rule{{Include: "#comment"}, {Include: "#text"}, {Include: "#declaration"}, {Include: "#label"}, {Include: "#word"}, {Include: "#value"}}},
			"comment": {Name: "comment.line.double-slash.parley", Match: `//.*$`},
			"text":    {Patterns: []rule{text(`"""`, "triple"), text(`"`, "double")}},
			"hole": {
				Begin: `\$\{`, End: `\}`, ContentName: "meta.embedded.expression.parley",
				BeginCaptures: map[string]rule{"0": {Name: "punctuation.section.embedded.begin.parley"}},
				EndCaptures:   map[string]rule{"0": {Name: "punctuation.section.embedded.end.parley"}},
				Patterns:      []rule{{Include: "#record"}, {Include: "#text"}, {Include: "#value"}},
			},
			"record": {Begin: `\{`, End: `\}`, Patterns: []rule{{Include: "#record"}, {Include: "#text"}, {Include: "#value"}}},
			"declaration": {
				Match:    `^\s*(` + anyOf(declarations) + `)\s+([A-Za-z_]\w*)(?=\s*[({"]|\s+at\b|\s*$)`,
				Captures: map[string]rule{"1": {Name: "keyword.control.parley"}, "2": {Name: "entity.name.type.parley"}},
			},
			"label": {Match: `(?<![.\w])[A-Za-z_]\w*(?=\s*:\s)`, Name: "variable.other.member.parley"},
			"word": {Patterns: []rule{
				{
					Match:    `(?<![.\w])(agent|tool|hole)\s+([A-Za-z_]\w*)`,
					Captures: map[string]rule{"1": {Name: "keyword.control.parley"}, "2": {Name: "entity.name.function.parley"}},
				},
				{Name: "keyword.control.parley", Match: `(?:^|(?<=[{}]))\s*(?:` + anyOf(words) + `)\b(?!\s*[:=.,)\]])`},
				{Name: "keyword.control.parley", Match: `(?<![.\w])(?:` + anyOf(words) + `)\b(?=\s+["\w{])`},
				{Name: "keyword.other.parley", Match: `(?<![.\w])(?:` + anyOf(clauses) + `)\b(?!\s*[:=.,)\]])`},
			}},
			"value": {Patterns: []rule{
				{Name: "keyword.operator.word.parley", Match: `(?<![.\w])(?:` + anyOf(operators) + `)\b`},
				{Name: "constant.language.parley", Match: `(?<![.\w])(?:true|false|nil|L1|L2|L3)\b`},
				{Name: "support.function.parley", Match: `(?<![.\w])(?:` + anyOf(typing.Functions()) + `)(?=\()`},
				{Name: "support.type.parley", Match: `(?<=[:\[|])\s*(?:` + anyOf(typeNames) + `)\b`},
				{
					Match:    `(?<![.\w])(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?|0x[0-9A-Fa-f]+)(ms|s|m|h)?\b`,
					Captures: map[string]rule{"1": {Name: "constant.numeric.parley"}, "2": {Name: "keyword.other.unit.parley"}},
				},
				{Name: "keyword.operator.parley", Match: `<->|->|==|!=|<=|>=|&&|\|\||\?\?|\.\.|[-+*/%^<>!?|=]`},
				{Name: "variable.other.parley", Match: `[A-Za-z_]\w*`},
			}},
		},
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(g)
	return out.Bytes(), err
}

// text is a string between quotes.
func text(quotes, name string) rule {
	end := quotes
	if quotes == `"` {
		end = `"|$`
	}
	return rule{
		Name: "string.quoted." + name + ".parley", Begin: quotes, End: end,
		Patterns: []rule{
			{Name: "constant.character.escape.parley", Match: `\\(?:[ntr"\\]|u[0-9A-Fa-f]{4})|\$\$\{`},
			{Include: "#hole"},
		},
	}
}

// anyOf matches one of some words, the longest first.
func anyOf(words []string) string {
	list := slices.Clone(words)
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return strings.Join(slices.Compact(list), "|")
}
