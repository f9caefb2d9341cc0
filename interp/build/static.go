package build

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"

	exprast "github.com/expr-lang/expr/ast"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
)

// constant evaluates an expression that must be known before anything runs: it
// may read parameters and nothing else.
func (c *Compiler) constant(sc scope, e *ast.Expr, what string) (any, bool) {
	return c.constantWith(sc, e, what, nil)
}

// constantWith also lets the expression read extra names.
func (c *Compiler) constantWith(sc scope, e *ast.Expr, what string, extra map[string]any) (any, bool) {
	c.seenConstant(sc, e, nil)
	for _, name := range c.namesIn(e) {
		if _, ok := sc.params[name]; ok {
			continue
		}
		if _, ok := extra[name]; ok {
			continue
		}
		c.fail(sc.m, diag.NotConstant, c.spanOf(e, name), load.Suggest(name, keysOf(sc.params)),
			"%s must be known before anything runs, and %q is not a parameter here", what, name)
		return nil, false
	}
	vars := sc.values()
	for k, v := range extra {
		vars[k] = v
	}
	v, err := c.evaluate(e, vars)
	if err != nil {
		c.fail(sc.m, diag.NotConstant, e.Span, "", "%s cannot be worked out: %v", what, err)
		return nil, false
	}
	return v, true
}

// evaluate runs an expression over plain values, without the engine's functions.
func (c *Compiler) evaluate(e *ast.Expr, vars map[string]any) (any, error) {
	prog := c.static[e.Cooked]
	if prog == nil {
		var err error
		if prog, err = eval.Compile(e.Cooked, nil); err != nil {
			return nil, err
		}
		c.static[e.Cooked] = prog
	}
	v, err := prog.Eval(context.Background(), eval.Map(vars), nil)
	if err != nil {
		return nil, err
	}
	return plain(v)
}

// plain turns an evaluated value into plain data.
func plain(v any) (any, error) {
	switch x := v.(type) {
	case eval.Missing:
		return nil, errors.New(x.Why)
	case segment.Text:
		return x.String(), nil
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			p, err := plain(e)
			if err != nil {
				return nil, err
			}
			out[i] = p
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			p, err := plain(e)
			if err != nil {
				return nil, err
			}
			out[k] = p
		}
		return out, nil
	}
	return v, nil
}

// constantAs evaluates a constant and fits it to a shape.
func (c *Compiler) constantAs(sc scope, e *ast.Expr, s shape.Shape, what string) (any, bool) {
	v, ok := c.constant(sc, e, what)
	if !ok {
		return nil, false
	}
	fitted, why := fit(v, s)
	if why != "" {
		c.fail(sc.m, diag.WrongValue, e.Span, "", "%s %s", what, why)
		return nil, false
	}
	return fitted, true
}

func (c *Compiler) constantInt(sc scope, e *ast.Expr, what string, low int) (int, bool) {
	v, ok := c.constantAs(sc, e, shape.Shape{Kind: shape.Int}, what)
	if !ok {
		return 0, false
	}
	if n := v.(int); n >= low {
		return n, true
	}
	c.fail(sc.m, diag.WrongValue, e.Span, "", "%s must be at least %d, and it is %d", what, low, v)
	return 0, false
}

// notBelow reports a number that is too small, where it is known before a run.
func (c *Compiler) notBelow(sc scope, e *ast.Expr, what string, low int) {
	for _, name := range c.namesIn(e) {
		if _, ok := sc.params[name]; !ok {
			return
		}
	}
	v, err := c.evaluate(e, sc.values())
	if n, whole := v.(int); err == nil && whole && n < low {
		c.fail(sc.m, diag.WrongValue, e.Span, "", "%s must be at least %d, and it is %d", what, low, n)
	}
}

func (c *Compiler) constantNumber(sc scope, e *ast.Expr, what string) (float64, bool) {
	v, ok := c.constantAs(sc, e, shape.Shape{Kind: shape.Number}, what)
	if !ok {
		return 0, false
	}
	f, _ := toFloat(v)
	return f, true
}

func (c *Compiler) constantText(sc scope, e *ast.Expr, what string) (string, bool) {
	v, ok := c.constantAs(sc, e, shape.Shape{Kind: shape.String}, what)
	if !ok {
		return "", false
	}
	return v.(string), true
}

// namesIn lists the free names of an expression, each once, in order.
func (c *Compiler) namesIn(e *ast.Expr) []string {
	if names, ok := c.names[e.Cooked]; ok {
		return names
	}
	names := []string{}
	if tree, err := c.memo.Parse(e.Cooked); err == nil {
		names = freeNames(tree)
	}
	c.names[e.Cooked] = names
	return names
}

// valuesRead are the parameters that the expressions of a part read.
func (c *Compiler) valuesRead(sc scope, part any) map[string]any {
	vars := map[string]any{}
	eachExpr(part, func(e *ast.Expr) {
		for _, name := range c.namesIn(e) {
			if p, ok := sc.params[name]; ok {
				vars[name] = p.value
			}
		}
	})
	return vars
}

// freeNames lists the names a tree reads that it does not bind itself, called
// functions left out.
func freeNames(tree exprast.Node) []string {
	v := &nameVisitor{callees: map[exprast.Node]bool{}, bound: map[string]bool{}}
	node := tree
	exprast.Walk(&node, calleeVisitor{v})
	exprast.Walk(&node, v)
	var names []string
	seen := map[string]bool{}
	for _, n := range v.found {
		if !v.bound[n] && !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names
}

type nameVisitor struct {
	callees map[exprast.Node]bool
	bound   map[string]bool
	found   []string
}

func (v *nameVisitor) Visit(node *exprast.Node) {
	if id, ok := (*node).(*exprast.IdentifierNode); ok && !v.callees[*node] {
		v.found = append(v.found, id.Value)
	}
}

type calleeVisitor struct{ v *nameVisitor }

func (w calleeVisitor) Visit(node *exprast.Node) {
	switch n := (*node).(type) {
	case *exprast.CallNode:
		w.v.callees[n.Callee] = true
	case *exprast.VariableDeclaratorNode:
		w.v.bound[n.Name] = true
	}
}

// spanOf is where a name stands inside an expression, for messages.
func (c *Compiler) spanOf(e *ast.Expr, name string) ast.Span {
	for from := 0; from < len(e.Text); {
		i := strings.Index(e.Text[from:], name)
		if i < 0 {
			break
		}
		i += from
		end := i + len(name)
		if (i == 0 || !isNamePart(e.Text[i-1]) && e.Text[i-1] != '.') && (end == len(e.Text) || !isNamePart(e.Text[end])) {
			return ast.Span{Start: e.Start + i, End: e.Start + end}
		}
		from = end
	}
	return e.Span
}

func isNamePart(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func keysOf[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

func toFloat(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}

func display(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if _, many, ok := agentNames(v); ok {
		return displayAgents(v, many)
	}
	return fmt.Sprint(v)
}
