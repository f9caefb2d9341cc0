package build

import (
	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
)

// Watch is told of every expression that a compiler types: the file, what can be
// named in the expression's place, and what the place needs. Expressions that
// must be known before a run see parameters alone.
type Watch struct {
	Expr func(m *load.Module, e *ast.Expr, env *typing.Env, want typing.Type)
	// Stop ends the compiling soon: nothing is typed any more once it is true, and
	// what was compiled is of no use.
	Stop func() bool
}

// Watch tells w of what is compiled from now on.
func (c *Compiler) Watch(w Watch) { c.watch = &w }

// stopped reports that nobody waits for the result any more.
func (c *Compiler) stopped() bool {
	return c.watch != nil && c.watch.Stop != nil && c.watch.Stop()
}

func (c *Compiler) seen(m *load.Module, e *ast.Expr, env *typing.Env, want typing.Type) {
	if c.watch != nil && c.watch.Expr != nil {
		c.watch.Expr(m, e, env, want)
	}
}

// seenConstant is seen for what may read parameters, and what stands for agents.
func (c *Compiler) seenConstant(sc scope, e *ast.Expr, r *reach) {
	if c.watch == nil || c.watch.Expr == nil {
		return
	}
	env := &typing.Env{Names: map[string]typ{}, Functions: noFunctions, Memo: c.memo}
	if r != nil {
		for name := range r.values {
			env.Names[name] = openType
		}
	}
	for name, p := range sc.params {
		env.Names[name] = shapeType(p.shape)
	}
	c.seen(sc.m, e, env, openType)
}
