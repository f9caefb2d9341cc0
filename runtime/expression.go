package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
	"parley/runtime/segment"
)

// expression is a compiled Expr with the names it reads. It is immutable and
// shared by all trials of a plan.
type expression struct {
	prog  *eval.Program
	at    string
	names map[string]bool
}

// reads reports whether the expression mentions a name.
func (x *expression) reads(name string) bool { return x != nil && x.names[name] }

// value evaluates to any value, eval.Missing included.
func (x *expression) value(f *frame) (any, error) {
	v, err := x.prog.Eval(f.context(), f, nil)
	if err != nil {
		return nil, x.located(err)
	}
	return v, nil
}

// truth evaluates a condition.
func (x *expression) truth(f *frame) (eval.Truth, error) {
	t, err := x.prog.Truth(f.context(), f, nil)
	if err != nil {
		return eval.Unknown, x.located(err)
	}
	return t, nil
}

// text evaluates a template; parts without an origin of their own get source.
func (x *expression) text(f *frame, source string) (segment.Text, error) {
	t, err := x.prog.Text(f.context(), f, nil)
	if err != nil {
		return nil, x.located(err)
	}
	return t.From(source), nil
}

func (x *expression) located(err error) error {
	if x.at == "" {
		return err
	}
	return fmt.Errorf("%s: %w", x.at, err)
}

// compiler compiles the expressions of one plan, each source once.
type compiler struct {
	fns map[string]eval.Func
	all map[string]*expression
}

// expr compiles e; an absent expression gives nil.
func (c *compiler) expr(e Expr) (*expression, error) {
	if e.Absent() {
		return nil, nil
	}
	if x := c.all[e.Src]; x != nil {
		if x.at == e.At {
			return x, nil
		}
		return &expression{prog: x.prog, at: e.At, names: x.names}, nil
	}
	prog, err := eval.Compile(e.Src, c.fns)
	if err != nil {
		return nil, fmt.Errorf("%s: the expression cannot be compiled: %w", e.At, err)
	}
	tree, err := eval.Parse(e.Src)
	if err != nil {
		return nil, fmt.Errorf("%s: the expression cannot be read: %w", e.At, err)
	}
	x := &expression{prog: prog, at: e.At, names: map[string]bool{}}
	ast.Walk(&tree, nameVisitor(x.names))
	c.all[e.Src] = x
	return x, nil
}

func (c *compiler) exprs(list []Expr) ([]*expression, error) {
	var out []*expression
	for _, e := range list {
		x, err := c.expr(e)
		if err != nil {
			return nil, err
		}
		if x != nil {
			out = append(out, x)
		}
	}
	return out, nil
}

type nameVisitor map[string]bool

func (v nameVisitor) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok {
		v[id.Value] = true
	}
}

// interpolated returns what the templates of an expression interpolate, as
// expressions of their own: the parts of a payload that differ by task or agent.
func interpolated(e Expr) ([]Expr, error) {
	tree, err := eval.Parse(e.Src)
	if err != nil {
		return nil, fmt.Errorf("%s: the expression cannot be read: %w", e.At, err)
	}
	v := &holeVisitor{}
	ast.Walk(&tree, v)
	var out []Expr
	for _, src := range v.found {
		out = append(out, Expr{Src: src, At: e.At})
	}
	return out, nil
}

type holeVisitor struct{ found []string }

func (v *holeVisitor) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	if id, ok := call.Callee.(*ast.IdentifierNode); !ok || id.Value != "render" {
		return
	}
	for _, arg := range call.Arguments {
		if _, literal := arg.(*ast.StringNode); literal {
			continue
		}
		src := arg.String()
		// `#` and `.field` mean nothing outside of their loop.
		if !strings.ContainsAny(src, "#") {
			v.found = append(v.found, "render("+src+")")
		}
	}
}

type frameKey struct{}

// frameOf finds the frame in which an expression is being evaluated.
func frameOf(ctx context.Context) (*frame, error) {
	f, ok := ctx.Value(frameKey{}).(*frame)
	if !ok {
		return nil, fmt.Errorf("this function is only there while a trial runs")
	}
	return f, nil
}
