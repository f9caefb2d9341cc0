package query

import (
	"sort"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/lex"
)

// Color is a word and what it is.
type Color struct {
	Span ast.Span
	Kind Kind // of a symbol; KeywordColor, FunctionColor or NameColor for words of the language
	Def  bool
	Std  bool
}

// The kinds of words of the language.
const (
	KeywordColor  Kind = "keyword"
	FunctionColor Kind = "function"
	NameColor     Kind = "name" // such as run, task, self
)

// Colors lists the words of the file that mean something, in order, none over
// another.
func (f *File) Colors() (out []Color, err error) {
	defer recovered(&err)
	for _, o := range f.names().occurrences(f.main) {
		if len(o.Symbols) > 0 && !o.Quoted {
			out = append(out, Color{o.Span, o.Symbols[0].Kind, o.Def, o.Symbols[0].Std})
		}
	}
	l := f.layout()
	for _, b := range l.Bodies {
		for _, it := range b.Items {
			if it.From >= len(l.Tokens) || it.From >= it.To {
				continue
			}
			t := l.Tokens[it.From]
			next := l.Tokens[min(it.From+1, len(l.Tokens)-1)]
			if k, ok := lex.Lookup(b.In, t.Text); ok && !k.Later && t.Kind == lex.Word && !next.Is(":") {
				out = append(out, Color{Span: t.Span(), Kind: KeywordColor})
			}
		}
	}
	for _, r := range l.Exprs {
		f.inExpr(l.Tokens[r.From:r.To], &out)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	kept, end := out[:0], -1
	for _, c := range out {
		if c.Span.Start >= end && c.Span.End > c.Span.Start {
			kept, end = append(kept, c), c.Span.End
		}
	}
	return kept, nil
}

// inExpr adds functions and names of the language, in templates too.
func (f *File) inExpr(tokens []lex.Token, out *[]Color) {
	for i, t := range tokens {
		if t.Kind == lex.String && t.Str != nil {
			for _, p := range t.Str.Parts {
				f.inExpr(p.Tokens, out)
			}
			continue
		}
		if t.Kind != lex.Word || i > 0 && (tokens[i-1].Text == "." || tokens[i-1].Text == "?.") || i+1 < len(tokens) && tokens[i+1].Is(":") {
			continue
		}
		if _, ok := functions[t.Text]; ok && i+1 < len(tokens) && tokens[i+1].Is("(") {
			*out = append(*out, Color{Span: t.Span(), Kind: FunctionColor})
		} else if _, ok := standing[t.Text]; ok {
			*out = append(*out, Color{Span: t.Span(), Kind: NameColor})
		}
	}
}

// Declares reports the kinds of whole declarations.
func (k Kind) Declares() bool {
	switch load.Kind(k) {
	case load.Model, load.Team, load.AgentSet, load.Workspace, load.Tasks, load.Attack, load.Defense, load.Verify, load.Score, load.Scenario, load.Experiment, load.Judge:
		return true
	}
	return false
}
