package typing

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
)

// Env is what an expression can name in its place.
type Env struct {
	Names map[string]Type
	// Agent are the fields of an agent; its names are checked against Agents
	// where a literal stands beside one. No names, no check.
	Agent  map[string]Type
	Agents []string
	// Elsewhere says of names that do not exist here where they do.
	Elsewhere map[string]string
	// Tools are the names that calls_of takes.
	Tools []string
	// Functions are those of the engine that exist here, beside those that
	// always do. Nil allows all of EngineFunctions.
	Functions map[string]bool
	// Values are the parameters' values where they are known: a constant index
	// is checked with them.
	Values map[string]any
	// Memo keeps trees and canonical texts from one check to the next; nil keeps none.
	Memo *Memo
}

// Problem is one finding, at its place in the file.
type Problem struct {
	Span    ast.Span
	Code    diag.Code
	Message string
	Hint    string
}

// Checked is what the check of an expression found out.
type Checked struct {
	Type Type
	// Reads lists, for every free name that is read, the fields read from it
	// directly, sorted; Whole stands for reading it as a whole. task: [answer],
	// clean: [correct run].
	Reads map[string][]string
	// Calls are the functions called, sorted.
	Calls []string
	// CallsOf are the tools named in calls_of.
	CallsOf []string

	tree exprast.Node
	src  string
	memo *Memo
}

// Whole stands in Checked.Reads for a name that is read as a whole.
const Whole = "*"

// Check types an expression in its environment. want is what its place needs;
// Open needs nothing in particular. Problems come in the order of their places.
func Check(e *ast.Expr, env *Env, want Type) (Checked, []Problem) {
	k := &checker{src: e.Cooked, at: e, env: env, reads: map[string]map[string]bool{}, calls: map[string]bool{}}
	tree, err := env.Memo.Parse(e.Cooked)
	if err != nil {
		var se *eval.SyntaxError
		if !errors.As(err, &se) {
			se = &eval.SyntaxError{Message: err.Error(), End: len(e.Cooked)}
		}
		k.problems = append(k.problems, Problem{Span: k.span(se.Start, se.End), Code: diag.ExprUnreadable, Message: se.Message})
		return Checked{Type: OpenType, tree: &exprast.NilNode{}}, k.problems
	}
	t := k.infer(tree)
	k.wanted(tree, t, want)
	sort.SliceStable(k.problems, func(i, j int) bool { return k.problems[i].Span.Start < k.problems[j].Span.Start })
	out := Checked{Type: t, Reads: map[string][]string{}, CallsOf: k.callsOf, tree: tree, src: e.Cooked, memo: env.Memo}
	for n, fields := range k.reads {
		for f := range fields {
			out.Reads[n] = append(out.Reads[n], f)
		}
		sort.Strings(out.Reads[n])
	}
	for n := range k.calls {
		out.Calls = append(out.Calls, n)
	}
	sort.Strings(out.Calls)
	return out, k.problems
}

// checker walks one expression.
type checker struct {
	src      string
	at       *ast.Expr
	env      *Env
	problems []Problem
	elems    []Type // of the loops around, innermost last
	accs     []Type
	lets     []binding
	reads    map[string]map[string]bool
	calls    map[string]bool
	callsOf  []string
	known    map[exprast.Node]Type // of branches, elements and field values seen so far
	trace    *tracer               // where parts are asked for
}

type binding struct {
	name string
	t    Type
}

// failed is the type of a part that was already reported: nothing more is said.
var failed = OpenType

func (k *checker) fail(n exprast.Node, code diag.Code, hint, format string, args ...any) Type {
	k.problems = append(k.problems, Problem{Span: k.place(n), Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
	return failed
}

// place is where a node stands, from its first to its last character.
func (k *checker) place(n exprast.Node) ast.Span {
	return k.span(extent(k.src, n))
}

// failHead reports at a node's own token alone: the name of a function.
func (k *checker) failHead(n exprast.Node, code diag.Code, hint, format string, args ...any) Type {
	loc := n.Location()
	span := k.span(runeOffset(k.src, loc.From), runeOffset(k.src, loc.To))
	k.problems = append(k.problems, Problem{Span: span, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint})
	return failed
}

func (k *checker) span(from, to int) ast.Span {
	if len(k.at.Map) == 0 {
		return k.at.Span
	}
	return k.at.Map.Span(from, max(to, from+1))
}

// extent is the range of bytes of a tree: from its first to its last token, and
// on over the brackets that were opened in between.
func extent(src string, n exprast.Node) (from, to int) {
	v := &bounds{from: -1}
	exprast.Walk(&n, v)
	from, to = runeOffset(src, v.from), runeOffset(src, v.to)
	open := 0
	for i := from; i < to; i++ {
		switch src[i] {
		case '"', '\'', '`':
			for quote := src[i]; i+1 < to; {
				if i++; src[i] == quote {
					break
				}
				if src[i] == '\\' {
					i++
				}
			}
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	for i := to; i < len(src) && open > 0; i++ {
		switch src[i] {
		case ')', ']', '}':
			open--
			to = i + 1
		case ' ', '\t', '\n', ',':
		default:
			return from, to
		}
	}
	return from, to
}

type bounds struct{ from, to int }

// Visit widens the bounds by one node's own token. A choice has its token at
// its end, so its parts alone count.
func (b *bounds) Visit(n *exprast.Node) {
	if _, ok := (*n).(*exprast.ConditionalNode); ok {
		return
	}
	loc := (*n).Location()
	if b.from < 0 || loc.From < b.from {
		b.from = loc.From
	}
	b.to = max(b.to, loc.To)
}

func runeOffset(src string, runes int) int {
	for i := range src {
		if runes <= 0 {
			return i
		}
		runes--
	}
	return len(src)
}

// wanted holds a part against what its place needs. Literal records and lists
// are held part by part, so that the complaint stands where the fault is.
func (k *checker) wanted(n exprast.Node, t, want Type) {
	if want.Kind == Open || want.Kind == "" || t.Kind == Open {
		return
	}
	switch x := n.(type) {
	case *exprast.ConditionalNode:
		if k.known[x.Exp1].Kind != "" && k.known[x.Exp2].Kind != "" {
			k.wanted(x.Exp1, k.known[x.Exp1], want)
			k.wanted(x.Exp2, k.known[x.Exp2], want)
			return
		}
	case *exprast.MapNode:
		if want.Kind == Record && t.Kind == Record {
			k.wantedFields(x, want)
			return
		}
	case *exprast.ArrayNode:
		if want.Kind == List && want.Elem != nil {
			for _, e := range x.Nodes {
				k.wanted(e, k.known[e], want.elem())
			}
			return
		}
	}
	if assignable(want, t) {
		k.vocabulary(want, n)
		return
	}
	k.fail(n, diag.ExprWanted, t.Why, "%s is due here, and this is %s", want, t)
}

func (k *checker) wantedFields(n *exprast.MapNode, want Type) {
	given, strange := map[string]bool{}, false
	for _, p := range n.Pairs {
		pair, ok := p.(*exprast.PairNode)
		if !ok {
			continue
		}
		name, ok := pair.Key.(*exprast.StringNode)
		if !ok {
			continue
		}
		given[name.Value] = true
		t, known := want.Fields[name.Value]
		if !known {
			strange = true
			k.fail(name, diag.ExprUnknownField, near(name.Value, keys(want.Fields)), "%s has no field %q", want, name.Value)
			continue
		}
		k.wanted(pair.Value, k.known[pair.Value], t)
	}
	var gone []string
	for _, f := range keys(want.Fields) {
		if !given[f] && !want.Fields[f].Optional {
			gone = append(gone, f)
		}
	}
	if len(gone) > 0 && !strange { // a misspelt field is the one that lacks
		k.fail(n, diag.ExprWanted, "", "the record lacks %s", strings.Join(gone, ", "))
	}
}

// assignable reports whether a value of type t may stand where want is due.
func assignable(want, t Type) bool {
	switch {
	case t.Kind == Open || want.Kind == Open:
		return true
	case want.Kind == Unknown:
		return true
	case t.Kind == Nil:
		return want.Optional
	case t.Kind == Unknown:
		return false
	case want.Kind == Number:
		return isNumeric(t.Kind)
	case want.Kind == List:
		return isList(t) && (want.Elem == nil || assignable(want.elem(), t.elem()))
	case want.Kind == Agent:
		return t.Kind == Agent || t.Kind == String && t.Name == "agent"
	case want.Kind == String && t.Kind == Agent:
		return want.Name == "agent"
	case want.Kind != t.Kind:
		return false
	case want.Kind == Record:
		return assignableRecord(want, t)
	}
	return true
}

func assignableRecord(want, t Type) bool {
	for n, w := range want.Fields {
		if f, ok := t.Fields[n]; !ok && !w.Optional || ok && !assignable(w, f) {
			return false
		}
	}
	for n := range t.Fields {
		if _, ok := want.Fields[n]; !ok {
			return false
		}
	}
	return true
}

// near words a hint with the name that was likely meant, or lists those there
// are if they are few.
func near(name string, known []string) string {
	if n := diag.Nearest(name, known); n != "" {
		return fmt.Sprintf("did you mean %s?", n)
	}
	if len(known) > 0 && len(known) <= 7 {
		return "there is " + strings.Join(known, ", ")
	}
	return ""
}
