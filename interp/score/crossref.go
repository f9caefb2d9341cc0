package score

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// crossForm says what an expression over scores is, where a formula is made for it.
type crossForm int

const (
	anyForm   crossForm = iota
	aloneForm           // one score and nothing else
	ratioForm           // one over another
)

// refsOf lists the scores that an expression reads, each once, in order. even reports
// that shares stay shares in it: that it is made of means and the like.
func (x *crossing) refsOf(src string) (refs []crossRef, form crossForm, even bool, err error) {
	tree, err := eval.Parse(src)
	if err != nil {
		return nil, anyForm, false, err
	}
	even = x.keepsShares(tree)
	v := &refVisitor{x: x}
	node := tree
	ast.Walk(&node, v)
	if _, ok := x.ref(tree); ok {
		return v.refs, aloneForm, even, nil
	}
	if b, ok := tree.(*ast.BinaryNode); ok && b.Operator == "/" {
		over, isRef := x.ref(b.Left)
		under, too := x.ref(b.Right)
		if isRef && too && over != under {
			return []crossRef{over, under}, ratioForm, false, nil
		}
	}
	return v.refs, anyForm, even, nil
}

// keepsShares reports an expression whose value lies between those of its parts.
func (x *crossing) keepsShares(n ast.Node) bool {
	if _, ok := x.ref(n); ok {
		return true
	}
	args := children(n)
	switch n := n.(type) {
	case *ast.ArrayNode:
	case *ast.CallNode:
		id, ok := n.Callee.(*ast.IdentifierNode)
		if !ok || !slices.Contains([]string{"mean", "median", "min", "max", "harmonic"}, id.Value) {
			return false
		}
		args = n.Arguments
	case *ast.BuiltinNode:
		if !slices.Contains([]string{"mean", "median", "min", "max"}, n.Name) {
			return false
		}
	default:
		return false
	}
	for _, a := range args {
		if !x.keepsShares(a) {
			return false
		}
	}
	return true
}

// share reports a score that is a share, because all that it is made of are.
func (x *crossing) share(it *crossItem) bool {
	if !it.even {
		return false
	}
	for _, r := range it.refs {
		if r.scenario == "" {
			if !x.share(x.items[r.score]) {
				return false
			}
			continue
		}
		for _, i := range x.a.Rows[r.scenario] {
			if s := x.tables[i].Score(r.score); s != nil && !counted(s.Kind) {
				return false
			}
		}
	}
	return true
}

type refVisitor struct {
	x    *crossing
	refs []crossRef
}

func (v *refVisitor) Visit(node *ast.Node) {
	if r, ok := v.x.ref(*node); ok && !slices.Contains(v.refs, r) {
		v.refs = append(v.refs, r)
	}
}

// ref reads SCENARIO.SCORE or the name of another score.
func (x *crossing) ref(n ast.Node) (crossRef, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		_, ok := x.items[n.Value]
		return crossRef{score: n.Value}, ok
	case *ast.MemberNode:
		base, ok := n.Node.(*ast.IdentifierNode)
		name, named := n.Property.(*ast.StringNode)
		if !ok || !named {
			return crossRef{}, false
		}
		_, ok = x.a.Rows[base.Value]
		return crossRef{base.Value, name.Value}, ok
	}
	return crossRef{}, false
}

// crossEnv gives the scores that an expression reads as numbers.
type crossEnv struct {
	refs   []crossRef
	values []float64
}

// Lookup gives another score's value, or a scenario's scores.
func (e crossEnv) Lookup(name string) (any, bool) {
	if i := slices.Index(e.refs, crossRef{score: name}); i >= 0 {
		return defined(name, e.values[i]), true
	}
	return crossRecord{e, name}, true
}

type crossRecord struct {
	env      crossEnv
	scenario string
}

// Field gives a score of the scenario.
func (r crossRecord) Field(name string) (any, bool) {
	i := slices.Index(r.env.refs, crossRef{r.scenario, name})
	if i < 0 {
		return nil, false
	}
	return defined(r.scenario+"."+name, r.env.values[i]), true
}

func defined(name string, v float64) any {
	if math.IsNaN(v) {
		return eval.Missing{Why: name + " is n/a"}
	}
	return v
}

// threshold evaluates a `fail when` over these scores, which are records in it.
func (x *crossing) threshold(cache *eval.Cache, t *Table, f Pred) (Verdict, error) {
	v := Verdict{Name: f.Name, Text: f.Text, At: f.Expr.At}
	prog, err := cache.Compile(f.Expr.Src)
	if err != nil {
		return v, fmt.Errorf("%s: %w", f.Expr.At, err)
	}
	got, err := prog.Eval(context.Background(), crossTable{t}, nil)
	if err != nil {
		return v, fmt.Errorf("%s: %w", f.Expr.At, err)
	}
	v.Holds, v.Why = word(got)
	return v, nil
}

// crossTable gives scores by name as records.
type crossTable struct{ t *Table }

// Lookup gives the record of a score.
func (c crossTable) Lookup(name string) (any, bool) {
	s := c.t.Score(name)
	if s == nil {
		return nil, false
	}
	return scoreRecord{name, s.Estimates}, true
}
