package typing

import (
	"maps"
	"sort"

	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/ast"
	"parley/runtime/eval"
)

// PartKind says what a part of an expression is.
type PartKind string

// The kinds of parts.
const (
	NamePart     PartKind = "name"
	FieldPart    PartKind = "field"
	FunctionPart PartKind = "function"
	ElementPart  PartKind = "element" // # and the dot before a field of it
	WordPart     PartKind = "word"    // a literal text, perhaps of a vocabulary
	WholePart    PartKind = "whole"   // an operator with its sides, a list, a record
)

// Part is one part of an expression and what its check found out about it.
type Part struct {
	Kind PartKind
	Span ast.Span // the part's own token
	Name string   // of a name, a field, a function; the text of a word
	Type Type
	// Base is what a field is read from.
	Base Type
	// Words are what a literal text is held against; what they are called is their name.
	Words Type
	// Lets are the names bound around the part, Elem what # stands for there.
	Lets map[string]Type
	Elem *Type
}

// tracer collects parts while an expression is checked.
type tracer struct {
	types map[exprast.Node]Type
	bases map[exprast.Node]Type
	words map[exprast.Node]Type
	lets  map[exprast.Node]map[string]Type
	elems map[exprast.Node]*Type
	order []exprast.Node
}

// Trace types an expression as Check does and tells the type of every part, in the
// order of their places. An expression that cannot be read has none.
func Trace(e *ast.Expr, env *Env, want Type) []Part {
	tree, err := eval.Parse(e.Cooked) // its own: parts are told apart by their nodes
	if err != nil {
		return nil
	}
	t := &tracer{
		types: map[exprast.Node]Type{}, bases: map[exprast.Node]Type{}, words: map[exprast.Node]Type{},
		lets: map[exprast.Node]map[string]Type{}, elems: map[exprast.Node]*Type{},
	}
	k := &checker{src: e.Cooked, at: e, env: env, reads: map[string]map[string]bool{}, calls: map[string]bool{}, trace: t}
	k.wanted(tree, k.infer(tree), want)
	parts := make([]Part, 0, len(t.order))
	for _, n := range t.order {
		if p, ok := t.part(k, n); ok {
			parts = append(parts, p)
		}
	}
	sort.SliceStable(parts, func(i, j int) bool { return parts[i].Span.Start < parts[j].Span.Start })
	return parts
}

func (t *tracer) part(k *checker, n exprast.Node) (Part, bool) {
	loc := n.Location()
	p := Part{
		Kind: WholePart, Type: t.types[n], Base: t.bases[n], Words: t.words[n], Lets: t.lets[n], Elem: t.elems[n],
		Span: k.span(runeOffset(k.src, loc.From), runeOffset(k.src, loc.To)),
	}
	switch n := n.(type) {
	case *exprast.IdentifierNode:
		p.Kind, p.Name = NamePart, n.Value
	case *exprast.VariableDeclaratorNode:
		p.Kind, p.Name, p.Type = NamePart, n.Name, t.types[n.Value]
	case *exprast.MemberNode:
		field, named := n.Property.(*exprast.StringNode)
		if !named {
			return p, true
		}
		p.Kind, p.Name = FieldPart, field.Value
	case *exprast.CallNode:
		id, ok := n.Callee.(*exprast.IdentifierNode)
		if !ok {
			return p, false
		}
		loc := id.Location()
		p.Kind, p.Name, p.Span = FunctionPart, id.Value, k.span(runeOffset(k.src, loc.From), runeOffset(k.src, loc.To))
		if id.Value == "render" || id.Value == "uri" {
			return p, false // what a text became
		}
	case *exprast.BuiltinNode:
		p.Kind, p.Name = FunctionPart, n.Name
	case *exprast.PointerNode:
		p.Kind, p.Name = ElementPart, n.Name
	case *exprast.StringNode:
		p.Kind, p.Name = WordPart, n.Value
	case *exprast.ChainNode:
		return p, false
	}
	return p, true
}

// note keeps the type of a part and what is in reach at it.
func (k *checker) note(n exprast.Node, t Type) {
	tr := k.trace
	if tr == nil {
		return
	}
	if _, done := tr.types[n]; !done {
		tr.order = append(tr.order, n)
	}
	tr.types[n] = t
	if len(k.lets) > 0 {
		lets := map[string]Type{}
		for _, l := range k.lets {
			lets[l.name] = l.t
		}
		tr.lets[n] = lets
	}
	if len(k.elems) > 0 {
		elem := k.elems[len(k.elems)-1]
		tr.elems[n] = &elem
	}
}

// noteBase keeps what a field is read from; noteWords what a literal is held against.
func (k *checker) noteBase(n exprast.Node, base Type) {
	if k.trace != nil {
		k.trace.bases[n] = base
	}
}

func (k *checker) noteWords(n exprast.Node, of Type) {
	if k.trace == nil {
		return
	}
	if _, isText := n.(*exprast.StringNode); !isText {
		return
	}
	if of.Kind == Agent {
		of = Vocabulary("agent", k.env.Agents)
	}
	if of.Values != nil || of.Name != "" {
		k.trace.words[n] = of
	}
}

// FieldsOf are the fields that can be read from a value of a type by name.
func (e *Env) FieldsOf(t Type) map[string]Type {
	switch t.Kind {
	case Record:
		return maps.Clone(t.Fields)
	case Agent:
		return maps.Clone(e.Agent)
	}
	return nil
}
