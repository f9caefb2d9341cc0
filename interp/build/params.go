package build

import (
	"fmt"

	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime/shape"
)

// bind gives a declaration's parameters their values: named arguments evaluated
// where the reference stands, else defaults. owner is the declaration's file.
func (c *Compiler) bind(owner *load.Module, what string, params []*ast.Param, from scope, ref *ast.Ref) (scope, bool) {
	given, ok := c.given(from, what, params, ref)
	sc, good := c.bindValues(owner, what, params, from.m, refSpan(ref), given)
	return sc, ok && good
}

// given works out the arguments of a reference where it stands.
func (c *Compiler) given(from scope, what string, params []*ast.Param, ref *ast.Ref) (map[string]argument, bool) {
	given := map[string]argument{}
	ok := true
	var reach *reach
	if takesAgents(params) {
		reach = c.reachOf(from, argValues(ref))
	}
	for _, a := range ref.Args {
		if a.Name == nil {
			c.fail(from.m, diag.NoSuchParam, a.Span, "write name: value", "arguments of %s are named", what)
			ok = false
			continue
		}
		if _, twice := given[a.Name.Name]; twice {
			c.fail(from.m, diag.DeclaredTwice, a.Span, "", "the argument %q is given twice", a.Name.Name)
			ok = false
		}
		v, good := c.constantNaming(from, a.Value, fmt.Sprintf("the argument %q", a.Name.Name), reach)
		given[a.Name.Name] = argument{value: v, span: a.Value.Span, name: a.Name.Span, bad: !good}
		ok = ok && good
	}
	return given, ok
}

// argument is one value for a parameter and where it was written.
type argument struct {
	value any
	text  *string // from the command line: read by the parameter's type
	span  ast.Span
	name  ast.Span
	bad   bool          // reported already
	use   *ast.SweptUse // of a swept clause
}

func (c *Compiler) bindValues(owner *load.Module, what string, params []*ast.Param, from *load.Module, at ast.Span, given map[string]argument) (scope, bool) {
	sc := scope{m: owner, params: map[string]param{}}
	known := map[string]bool{}
	ok := true
	for _, p := range params {
		name := p.Name.Name
		if known[name] {
			c.fail(owner, diag.DeclaredTwice, p.Name.Span, "", "the parameter %q is declared twice", name)
			ok = false
			continue
		}
		known[name] = true
		if taken(name) {
			c.fail(owner, diag.NameTaken, p.Name.Span, "", "%q cannot be the name of a parameter: %s", name, takenWhy(name))
			ok = false
			continue
		}
		s, good := c.paramShape(owner, p)
		if !good {
			ok = false
			continue
		}
		arg, has := given[name]
		switch {
		case has && arg.bad:
			ok = false
		case has:
			v, why := c.readArgument(arg, p, s)
			if why != "" {
				c.fail(from, diag.ParamType, arg.span, nearValue(arg.value, s), "the argument %q of %s %s", name, what, why)
				ok = false
				continue
			}
			sc.params[name] = param{s, v, namesAgents(p.Type)}
		case p.Default != nil:
			v, good := c.defaultOf(sc, p, s)
			if !good {
				ok = false
				continue
			}
			sc.params[name] = param{s, v, namesAgents(p.Type)}
		default:
			c.fail(from, diag.ArgumentMissing, at, "", "%s needs the argument %q", what, name)
			ok = false
		}
	}
	for _, name := range keysOf(given) {
		if !known[name] {
			c.fail(from, diag.NoSuchParam, given[name].name, nearParameter(name, keysOf(known)), "%s has no parameter %q", what, name)
			ok = false
		}
	}
	return sc, ok
}

// nearParameter names the parameter that was likely meant, or all there are.
func nearParameter(name string, known []string) string {
	near := load.Suggest(name, known)
	switch {
	case near != "":
		return near
	case len(known) == 0:
		return "it has no parameters"
	case len(known) == 1:
		return "its only parameter is " + known[0]
	}
	return "its parameters are " + list(known)
}

func (c *Compiler) paramShape(owner *load.Module, p *ast.Param) (shape.Shape, bool) {
	if p.Type == nil {
		c.fail(owner, diag.ClauseMissing, p.Span, "", "the parameter %q has no type", p.Name.Name)
		return shape.Shape{}, false
	}
	return c.shapeOf(scope{m: owner}, p.Type, nil)
}

// readArgument fits an argument to a shape; text from the command line is read by it.
func (c *Compiler) readArgument(a argument, p *ast.Param, s shape.Shape) (any, string) {
	switch {
	case a.text != nil && namesAgents(p.Type):
		return c.readAgents(*a.text, p, s)
	case a.text != nil:
		return readText(*a.text, s)
	case namesAgents(p.Type):
		return agentValue(a.value, p, s)
	}
	return fit(a.value, s)
}

// nearValue names the value of a union that a text was likely meant to be.
func nearValue(v any, s shape.Shape) string {
	text, ok := v.(string)
	if !ok || s.Kind != shape.Union {
		return ""
	}
	var words []string
	for _, v := range s.Values {
		if w, ok := v.(string); ok {
			words = append(words, w)
		}
	}
	return load.Suggest(text, words)
}

// unused reports parameters that nothing in a declaration reads.
func (c *Compiler) unused(m *load.Module, what string, params []*ast.Param, body any) {
	if len(params) == 0 || m.Std {
		return // the library is checked by itself
	}
	read := map[string]bool{}
	for _, p := range params {
		if p.Default != nil {
			for _, n := range c.namesIn(p.Default) {
				read[n] = true
			}
		}
	}
	eachExpr(body, func(e *ast.Expr) {
		for _, n := range c.namesIn(e) {
			read[n] = true
		}
	})
	eachType(body, func(t *ast.Type) { read[t.Name.Name] = true })
	for _, p := range params {
		if !read[p.Name.Name] {
			c.fail(m, diag.ParamUnused, p.Name.Span, "remove it, or use it", "nothing in %s reads the parameter %q, so changing it would change nothing", what, p.Name.Name)
		}
	}
}

func refSpan(ref *ast.Ref) ast.Span { return ref.Span }

func refName(ref *ast.Ref) string {
	name := ""
	for i, p := range ref.Path {
		if i > 0 {
			name += "."
		}
		name += p.Name
	}
	return name
}
