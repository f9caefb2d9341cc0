package parse

import (
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
	"parley/lang/source"
)

// Layout is what the parser knows of a right file beside its tree: its tokens,
// and which stretches of them are bodies, the items of bodies, expressions and
// types. Who prints a file anew needs no more, whatever the items are.
type Layout struct {
	Tokens   []lex.Token
	Comments []ast.Comment
	Bodies   []Body
	Exprs    []Range // outside strings; some lie within others
	Types    []Range
}

// Range is a stretch of tokens [From, To).
type Range struct{ From, To int }

// Body is the inside of a block, or the whole file, and its items in order.
type Body struct {
	Range
	In    lex.Place // empty for blocks of name = value
	Items []Range
}

// Outline parses a file for its layout. Of a file with errors it tells what
// was readable.
func Outline(src *source.Source) *Layout {
	_, layout, _ := FileAndLayout(src)
	return layout
}

// FileAndLayout is File and Outline at once.
func FileAndLayout(src *source.Source) (*ast.File, *Layout, diag.List) {
	p, scanned := newParser(src)
	p.outline = &Layout{Tokens: scanned.Tokens, Comments: scanned.Comments}
	found := p.all(scanned)
	return p.file, p.outline, found
}

// body notes a body and returns its number.
func (l *Layout) body(in lex.Place, from, to int) int {
	if l == nil {
		return 0
	}
	l.Bodies = append(l.Bodies, Body{Range: Range{from, to}, In: in})
	return len(l.Bodies) - 1
}

func (l *Layout) item(body, from, to int) {
	if l != nil {
		l.Bodies[body].Items = append(l.Bodies[body].Items, Range{from, to})
	}
}

func (l *Layout) expr(from, to int) {
	if l != nil {
		l.Exprs = append(l.Exprs, Range{from, to})
	}
}

func (l *Layout) typ(from, to int) {
	if l != nil {
		l.Types = append(l.Types, Range{from, to})
	}
}
