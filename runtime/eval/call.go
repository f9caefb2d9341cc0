package eval

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"

	"parley/runtime/segment"
)

// native is a function that needs nothing but its arguments.
type native struct {
	min, max int  // arguments; max -1: any number
	lazy     bool // sees missing arguments; else it is missing with them
	call     func(f *frame, args []any) any
}

// natives lists every function that needs no trial, loops aside.
func natives(name string) (native, bool) {
	for _, table := range []map[string]native{textFuncs, listFuncs, numberFuncs, teamFuncs} {
		if n, ok := table[name]; ok {
			return n, true
		}
	}
	return native{}, false
}

// Functions returns the names of all functions that are always there, sorted.
func Functions() []string {
	var names []string
	for name := range loopNames {
		names = append(names, name)
	}
	for _, table := range []map[string]native{textFuncs, listFuncs, numberFuncs, teamFuncs} {
		for name := range table {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// Refused says why a function that expr has is not part of the language; empty
// for one that is, or that expr has not either.
func Refused(name string) string {
	if _, ok := natives(name); ok {
		return ""
	}
	if _, ok := loopNames[name]; ok {
		return ""
	}
	if why, ok := refused[name]; ok {
		return why
	}
	if _, ok := builtin.Index[name]; ok {
		return fmt.Sprintf("the function %s is not part of the language", name)
	}
	return ""
}

var refused = map[string]string{
	"now":       "now is not part of the language: a run must not depend on the clock",
	"date":      "date is not part of the language: a run must not depend on the clock",
	"timezone":  "timezone is not part of the language: a run must not depend on the machine",
	"duration":  "duration is not a function; durations are written 30s or 2m",
	"keys":      "keys is not part of the language: fields have no order",
	"values":    "values is not part of the language: fields have no order",
	"toPairs":   "toPairs is not part of the language: fields have no order",
	"fromPairs": "fromPairs is not part of the language: the result has no known fields",
	"groupBy":   "groupBy is not part of the language: the result has no known fields; use filter",
	"sort":      "sort is not part of the language; use sortBy(list, #)",
	"repeat":    "repeat is not part of the language: its result can be of any size",
	"fromJSON":  "fromJSON is not part of the language: the result has no known fields; give the step a `replies`",
	"toJSON":    "toJSON is not part of the language; a template writes records as JSON",
	"get":       "get is not part of the language; use ?. and ??",
	"type":      "type is not part of the language: types are known before a run",
	"env":       "env is for models only: an expression must not depend on the machine",
}

func (c *compiler) builtin(n *ast.BuiltinNode) *node {
	if _, ok := loopNames[n.Name]; ok {
		return c.looped(n)
	}
	return c.function(n, n.Name, n.Arguments)
}

func (c *compiler) call(n *ast.CallNode) *node {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if m, method := n.Callee.(*ast.MemberNode); method && m.Method {
		return c.fail(n.Callee, "values have no functions of their own; write %s(…)", m.Property.(*ast.StringNode).Value)
	}
	if !ok {
		return c.fail(n.Callee, "only a function's name can stand before (")
	}
	if f, ok := c.fns[callee.Value]; ok {
		if _, ours := natives(callee.Value); !ours {
			return c.engine(n, callee.Value, f)
		}
	}
	return c.function(n, callee.Value, n.Arguments)
}

func (c *compiler) function(n ast.Node, name string, arguments []ast.Node) *node {
	fn, ok := natives(name)
	if !ok {
		if why := Refused(name); why != "" {
			return c.fail(n, "%s", why)
		}
		if why, ok := refused[name]; ok {
			return c.fail(n, "%s", why)
		}
		return c.fail(n, "there is no function %s here", name)
	}
	if len(arguments) < fn.min || fn.max >= 0 && len(arguments) > fn.max {
		return c.fail(n, "%s takes %s, not %d", name, arity(fn.min, fn.max), len(arguments))
	}
	kids, parts := c.arguments(arguments)
	if name == "uri" {
		return &node{kids: kids, eval: uriCode(arguments, parts)}
	}
	return &node{kids: kids, eval: func(f *frame) any {
		f.charge(1)
		args, missing := values(f, parts, fn.lazy || name == "render" && f.soft)
		if missing != nil {
			return missing
		}
		return fn.call(f, args)
	}}
}

func arity(lo, hi int) string {
	switch {
	case lo == hi && lo == 1:
		return "1 argument"
	case lo == hi:
		return fmt.Sprintf("%d arguments", lo)
	case hi < 0:
		return fmt.Sprintf("at least %d arguments", lo)
	}
	return fmt.Sprintf("%d to %d arguments", lo, hi)
}

// Arity returns how many arguments a function that is always there takes; most
// is -1 where there is no limit.
func Arity(name string) (least, most int, ok bool) {
	n, ok := natives(name)
	return n.min, n.max, ok
}

// engine compiles the call of a function that needs the trial.
func (c *compiler) engine(n *ast.CallNode, name string, fn Func) *node {
	kids, parts := c.arguments(n.Arguments)
	return &node{kids: kids, eval: func(f *frame) any {
		f.charge(1)
		args, missing := values(f, parts, fn.Lazy)
		if missing != nil {
			return missing
		}
		var v any
		var err error
		if fn.Bound != nil {
			v, err = fn.Bound(f.ctx, f.env, args)
		} else {
			v, err = fn.Call(f.ctx, args)
		}
		if err != nil {
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				panic(abort{err})
			}
			panic(abort{fmt.Errorf("%s: %w", name, err)})
		}
		return marked(v, args)
	}}
}

func (c *compiler) arguments(arguments []ast.Node) ([]*node, []code) {
	kids, parts := make([]*node, len(arguments)), make([]code, len(arguments))
	for i, a := range arguments {
		kids[i] = c.node(a)
		parts[i] = kids[i].eval
	}
	return kids, parts
}

// values evaluates arguments; the first missing one is returned apart unless
// the function looks at missing ones itself.
func values(f *frame, parts []code, lazy bool) ([]any, any) {
	args := make([]any, len(parts))
	for i, p := range parts {
		args[i] = f.force(p(f))
		if !lazy && isMissing(args[i]) {
			return nil, args[i]
		}
	}
	return args, nil
}

// marked gives a text that a function made the origin of the texts it was made
// from, unless the function already did.
func marked(v any, args []any) any {
	s, ok := v.(string)
	if !ok {
		return v
	}
	var from []segment.Text
	for _, a := range args {
		if t, ok := a.(segment.Text); ok && !t.Plain() {
			from = append(from, t)
		}
	}
	if from == nil {
		return v
	}
	return segment.Whole(s, from...)
}
