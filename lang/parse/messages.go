package parse

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/region"
)

// errorAt is the index of the token that an error is about.
func (p *parser) errorAt(err error) int {
	var f *fault
	var e participle.Error
	switch {
	case errors.As(err, &f):
		return f.at
	case errors.As(err, &e):
		return e.Position().Line
	}
	return 0
}

// explain reports why the item at a token could not be read. end is how far
// it was readable; err is the grammar's own word on it.
func (p *parser) explain(b *body, at, end int, err error) {
	k := p.errorAt(err)
	if k < end || err == nil {
		k, err = end, nil
	}
	t := p.tokens[k]
	if t.Kind == lex.Illegal || k > 0 && p.tokens[k-1].Kind == lex.Illegal {
		return // reported by the lexer
	}
	var f *fault
	if errors.As(err, &f) {
		hint := f.Hint
		if hint == "" {
			hint = p.form(b, at)
		}
		p.missing(f.Code, k, f.Message, hint)
		return
	}
	names := wanted(err)
	if open, ok := p.mapForBlock(names, at, k); ok {
		p.missing(diag.MissingExpr, open, "an expression is missing after "+region.Show(p.tokens[open-1]), p.form(b, at))
		return
	}
	code, message := p.expected(k, names)
	hint := p.form(b, at)
	if near := diag.Nearest(t.Text, clauses(b.last)); near != "" && t.Kind == lex.Word {
		hint = "did you mean `" + near + "`?"
	}
	switch {
	case k == at && t.Kind == lex.Word && lex.Reserved(t.Text):
		code, message = diag.ReservedName, "`"+t.Text+"` cannot be a name"
	case t.Is("if") && len(names) == 0 && !p.beginsLine(k):
		code, message, hint = diag.LetOrIf, "an expression has no `if`", "choose with `condition ? a : b`"
		if b.in == lex.InScore {
			hint = givenHint
		}
	case t.Is("=") && slices.Contains(names, `")"`):
		message, hint = "`=` stands where an argument's name is followed by `:`", "an argument is written `name: value`"
	case t.Is("=") && len(names) == 0:
		code, message, hint = diag.SingleEqual, "`=` does not fit here", "equality is written `==`"
	case t.Is(";"):
		message, hint = "`;` is not needed here", "what follows begins with a word, which is enough"
	case code == diag.LetOrIf && t.Is("let"):
		hint = "write `(let x = …; …)`"
	case code == diag.LetOrIf:
		hint = "choose with `condition ? a : b`"
	}
	p.missing(code, k, message, hint)
}

// mapForBlock recognises a forgotten expression before a block: the block was
// taken for a map, and then a block is missing.
func (p *parser) mapForBlock(names []string, at, k int) (open int, ok bool) {
	if len(names) == 0 || names[0] != "block" || k == 0 || p.tokens[k-1].Text != "}" || p.tokens[k-1].Kind != lex.Close {
		return 0, false
	}
	open = p.tokens[k-1].Match
	return open, open > at && p.tokens[open-1].Kind == lex.Word
}

// missing reports something about a token, just behind the token before it
// where it is on a later line or a closing bracket.
func (p *parser) missing(code diag.Code, k int, message, hint string) {
	span := p.tokens[k].Span()
	if k > 0 && (p.tokens[k].Kind == lex.EOF || p.tokens[k].Kind == lex.Close || p.beginsLine(k)) {
		span = ast.Span{Start: p.tokens[k-1].End, End: p.tokens[k-1].End}
	}
	p.report(code, span, message, hint)
}

// form shows how the item at a token is written.
func (p *parser) form(b *body, at int) string {
	if b.shape != nil && b.shape(at) {
		return b.formOfShape
	}
	k, ok := lex.Lookup(b.in, p.tokens[at].Text)
	if !ok || k.Form == "" {
		return ""
	}
	return "it is written: " + k.Form
}

var (
	expectation = regexp.MustCompile(`\(expected (.*)\)$`)
	ebnfToken   = regexp.MustCompile(`"[^"]*"|[A-Za-z]+|[()|?*+]`)
)

// wanted reads from a grammar's error which pieces could have stood there: a
// piece's name, or a literal in quotes. What may be left out is passed over.
func wanted(err error) []string {
	if err == nil {
		return nil
	}
	m := expectation.FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	names, _, _ := firsts(ebnfToken.FindAllString(m[1], -1))
	return names
}

// firsts collects what an EBNF expression can begin with, up to its end or a
// closing bracket, and says whether all of it may be left out.
func firsts(tokens []string) (names []string, rest []string, empty bool) {
	rest = tokens
	for {
		done := false // this alternative has a piece that must be there
		for len(rest) > 0 && rest[0] != "|" && rest[0] != ")" {
			var inner []string
			optional := false
			if rest[0] == "(" {
				inner, rest, optional = firsts(rest[1:])
				if len(rest) > 0 {
					rest = rest[1:]
				}
			} else {
				inner, rest = rest[:1], rest[1:]
			}
			if len(rest) > 0 && strings.Contains("?*+", rest[0]) {
				optional = optional || rest[0] != "+"
				rest = rest[1:]
			}
			if !done && !optional {
				names, done = append(names, inner...), true
			}
		}
		empty = empty || !done
		if len(rest) == 0 || rest[0] == ")" {
			return names, rest, empty
		}
		rest = rest[1:]
	}
}

// expected phrases what should have stood at a token.
func (p *parser) expected(k int, names []string) (diag.Code, string) {
	t := p.tokens[k]
	after, found := "here", ""
	if k > 0 {
		after = "after " + region.Show(p.tokens[k-1])
	}
	if t.Kind != lex.EOF && t.Kind != lex.Close && !p.beginsLine(k) {
		found = ", and " + region.Show(t) + " stands there"
	}
	name := ""
	for _, n := range names {
		if name == "" || strings.HasPrefix(name, `"`) {
			name = n // pieces say more than literals
		}
	}
	switch name {
	case "":
		return diag.Unexpected, region.Show(t) + " does not fit here"
	case "word", "who", "speaker", "RefNode", "SlotNode", "CallNode", "ParamNode", "AttackTarget":
		if t.Kind == lex.Word && lex.Reserved(t.Text) {
			return diag.ReservedName, "`" + t.Text + "` cannot be a name"
		}
		return diag.MissingName, "a name is missing " + after + found
	case "expression", "ArgNode":
		if found != "" && (t.Is("let") || t.Is("if")) {
			return diag.LetOrIf, map[string]string{"let": "`let` stands inside brackets only", "if": "an expression has no `if`"}[t.Text]
		}
		return diag.MissingExpr, "an expression is missing " + after + found
	case "block":
		return diag.MissingBlock, "a block `{ … }` is missing " + after + found
	case "text":
		return diag.MissingString, "a string is missing " + after + found
	case "Typ", "Fields", "literal":
		return diag.MissingType, "a type is missing " + after + found
	}
	signs := make([]string, 0, len(names)+1)
	if name == "Params" || name == "Args" {
		names = []string{`"("`}
	}
	for _, n := range names {
		if n = strings.Trim(n, `"`); found != "" && (n == ")" || n == "]" || n == "}") {
			signs = append(signs, "`,`")
		}
		signs = append(signs, "`"+n+"`")
	}
	if t.Kind == lex.Word && lex.Reserved(t.Text) && name == `")"` {
		return diag.ReservedName, "`" + t.Text + "` cannot be a name"
	}
	return diag.Unexpected, strings.Join(signs, " or ") + " is missing " + after + found
}

// notAWord reports a token that cannot begin an item.
func (p *parser) notAWord(b *body, at int) {
	t := p.tokens[at]
	if t.Kind == lex.Illegal || at > 0 && p.tokens[at-1].Kind == lex.Illegal {
		return
	}
	message := region.Show(t) + " does not begin anything in " + b.title
	hint := "every line of " + b.title + " begins with a word"
	switch {
	case t.Is("="):
		p.report(diag.SingleEqual, t.Span(), "`=` does not fit here", "equality is written `==`")
		return
	case t.Is(";"):
		hint = "`;` is not needed: what follows begins with a word"
	}
	p.report(diag.Unexpected, t.Span(), message, hint)
}

// unknown reports a word that begins nothing in a body.
func (p *parser) unknown(b *body, at int) {
	t := p.tokens[at]
	if p.tokens[at+1].Kind == lex.Illegal {
		return // reported by the lexer
	}
	if k, ok := lex.Lookup(b.in, t.Text); ok && k.Later {
		p.later(t)
		return
	}
	if b.in == "" {
		p.missing(diag.Unexpected, at+1, "`=` is missing after `"+t.Text+"`", b.formOfShape)
		return
	}
	if b.in == lex.InTurns || b.in == lex.InTool {
		if p.tokens[at+1].Is("=") {
			p.report(diag.UnknownWord, t.Span(), "`"+t.Text+"` is no word of "+b.title, "a name is given a value with `let "+t.Text+" = …`, and another one with `set`")
			return
		}
	}
	words := p.words(b)
	near := diag.Nearest(t.Text, words)
	if other, ok := elsewhere[t.Text]; ok && slices.Contains(words, other) {
		near = other
	}
	if lex.Reserved(t.Text) {
		p.report(diag.Unexpected, t.Span(), "`"+t.Text+"` does not begin anything in "+b.title, "")
		return
	}
	if places := homes(t.Text); len(places) > 0 {
		hint := "it stands in " + strings.Join(places, ", ")
		if near != "" {
			hint += "; or did you mean `" + near + "`?"
		}
		p.report(diag.WrongPlace, t.Span(), "`"+t.Text+"` does not stand in "+b.title, hint)
		return
	}
	code := diag.UnknownWord
	if b.in == lex.InFile {
		code = diag.UnknownDecl
	}
	hint := "did you mean `" + near + "`?"
	if near == "" {
		hint = "in " + b.title + " stand: " + strings.Join(p.keywords(b), ", ")
	}
	p.report(code, t.Span(), "`"+t.Text+"` is no word of "+b.title, hint)
}

// elsewhere leads from words of other languages to ours.
var elsewhere = map[string]string{
	"import": "use", "include": "use", "while": "repeat", "loop": "repeat", "foreach": "for", "var": "let", "assert": "expect", "print": "say",
}

// later reports a word of the language that this version has no meaning for.
func (p *parser) later(t lex.Token) {
	p.report(diag.Later, t.Span(), "`"+t.Text+"` is not part of this version", "the word is kept for a later one")
}

func (p *parser) keywords(b *body) []string {
	var words []string
	for _, k := range lex.Keywords(b.in) {
		if !k.Later {
			words = append(words, k.Word)
		}
	}
	return words
}

var quotedWord = regexp.MustCompile(`"([a-z]+)"`)

// words are those that may stand where a body's next item begins: its
// keywords, and the words that the item before could go on with.
func (p *parser) words(b *body) []string {
	words := p.keywords(b)
	if b.last != nil {
		words = append(words, clauses(b.last)...)
	}
	return words
}

// clauses are the words that a grammar names.
func clauses(g fmt.Stringer) []string {
	var words []string
	for _, m := range quotedWord.FindAllStringSubmatch(g.String(), -1) {
		words = append(words, m[1])
	}
	return words
}

// homes lists the bodies that a word does begin something in.
func homes(word string) []string {
	var found []string
	for in, title := range titles {
		if k, ok := lex.Lookup(in, word); ok && !k.Later {
			found = append(found, title)
		}
	}
	sort.Strings(found)
	return found
}

// titles names the bodies in messages.
var titles = map[lex.Place]string{
	lex.InFile: "a file", lex.InModel: "a model", lex.InAgents: "a set of agents", lex.InTeam: "a team", lex.InAgent: "an agent", lex.InStep: "a step",
	lex.InTurns: "a turn program", lex.InTool: "a tool", lex.InWorkspace: "a workspace", lex.InCorpus: "a corpus",
	lex.InTask: "a task", lex.InAttack: "an attack", lex.InObeyed: "obeyed", lex.InScore: "a score block",
	lex.InScenario: "a scenario", lex.InBudget: "a budget", lex.InExperiment: "an experiment", lex.InTest: "a test",
	lex.InScript: "a script", lex.InDefense: "a defense", lex.InHook: "a hook", lex.InJudge: "a judge",
}
