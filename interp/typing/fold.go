package typing

import (
	"context"

	exprast "github.com/expr-lang/expr/ast"

	"parley/runtime/eval"
)

// foldSteps bounds the work of working one constant part out.
const foldSteps = 10_000

// fold works out a part whose parts are all literals, and picks the branch of a
// choice that is decided. Parts that are missing or fail stay as they are, and so
// do those that come to nil: beside == the word nil asks for more.
func fold(n exprast.Node) exprast.Node {
	switch x := n.(type) {
	case *exprast.ChainNode:
		if literals(x.Node) {
			return x.Node
		}
	case *exprast.ConditionalNode:
		if c, ok := x.Cond.(*exprast.BoolNode); ok {
			picked := x.Exp2
			if c.Value {
				picked = x.Exp1
			}
			if _, isNil := picked.(*exprast.NilNode); !isNil {
				return picked
			}
		}
	case *exprast.BinaryNode:
		if out := junction(x); out != nil {
			return out
		}
		if x.Operator != ".." && scalar(x.Left) && (scalar(x.Right) || literals(x.Right)) {
			return worked(n)
		}
	case *exprast.UnaryNode:
		if _, ok := literalOf(x); !ok && scalar(x.Node) {
			return worked(n)
		}
	case *exprast.MemberNode:
		if literals(x.Node) && scalar(x.Property) {
			return worked(n)
		}
	case *exprast.BuiltinNode:
		if constantCall(x.Name, x.Arguments) {
			return worked(n)
		}
	case *exprast.CallNode:
		if id, ok := x.Callee.(*exprast.IdentifierNode); ok {
			if id.Value == "render" {
				return template(x)
			}
			if id.Value != "uri" && constantCall(id.Value, x.Arguments) {
				return worked(n)
			}
		}
	}
	return n
}

// junction drops a constant side of && and ||; Kleene's laws hold for it also
// where the other side is unknown.
func junction(n *exprast.BinaryNode) exprast.Node {
	if n.Operator != "&&" && n.Operator != "||" {
		return nil
	}
	neutral := n.Operator == "&&"
	for _, pair := range [][2]exprast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		b, ok := pair[0].(*exprast.BoolNode)
		switch {
		case ok && b.Value != neutral:
			return &exprast.BoolNode{Value: !neutral}
		case ok && condition(pair[1]):
			return pair[1]
		}
	}
	return nil
}

// condition reports a part that is true, false or unknown whatever stands in it.
func condition(n exprast.Node) bool {
	switch n := n.(type) {
	case *exprast.BoolNode:
		return true
	case *exprast.UnaryNode:
		return n.Operator == "!"
	case *exprast.BinaryNode:
		switch n.Operator {
		case "&&", "||", "==", "!=", "<", "<=", ">", ">=", "in", "matches", "contains", "startsWith", "endsWith":
			return true
		}
	case *exprast.BuiltinNode:
		switch n.Name {
		case "any", "all", "none", "one", "hasPrefix", "hasSuffix":
			return true
		}
	case *exprast.CallNode:
		id, ok := n.Callee.(*exprast.IdentifierNode)
		return ok && signatures[id.Value].gives == Bool
	}
	return false
}

func constantCall(name string, args []exprast.Node) bool {
	if _, _, ok := eval.Arity(name); !ok {
		return false
	}
	for _, a := range args {
		if !literals(a) {
			return false
		}
	}
	return len(args) > 0
}

func scalar(n exprast.Node) bool {
	if _, ok := n.(*exprast.NilNode); ok {
		return true
	}
	_, ok := literalOf(n)
	return ok
}

// literals reports a tree of nothing but literals.
func literals(n exprast.Node) bool {
	if scalar(n) {
		return true
	}
	switch n := n.(type) {
	case *exprast.ArrayNode:
		for _, e := range n.Nodes {
			if !literals(e) {
				return false
			}
		}
		return true
	case *exprast.MapNode:
		for _, e := range n.Pairs {
			p, ok := e.(*exprast.PairNode)
			if !ok || !literals(p.Key) || !literals(p.Value) {
				return false
			}
		}
		return true
	}
	return false
}

// worked replaces a constant part by its value, if it has one that can be written.
func worked(n exprast.Node) exprast.Node {
	p, err := eval.Compile(eval.Format(n), nil)
	if err != nil {
		return n
	}
	v, err := p.Eval(context.Background(), nil, &eval.Budget{Steps: foldSteps})
	if err != nil || v == nil {
		return n
	}
	lit, err := Literal(v)
	if err != nil {
		return n
	}
	return lit
}

// template joins neighbouring constant parts of a template; one that is
// constant as a whole becomes a plain text.
func template(n *exprast.CallNode) exprast.Node {
	var parts []exprast.Node
	for _, a := range n.Arguments {
		text := a
		if literals(a) {
			v, ok := valueOf(a)
			if ok {
				text = &exprast.StringNode{Value: eval.Render(v).String()}
			}
		}
		if inner, ok := a.(*exprast.CallNode); ok {
			if id, ok := inner.Callee.(*exprast.IdentifierNode); ok && id.Value == "render" {
				parts = appendParts(parts, inner.Arguments...)
				continue
			}
		}
		parts = appendParts(parts, text)
	}
	if len(parts) == 0 {
		return &exprast.StringNode{}
	}
	if s, ok := parts[0].(*exprast.StringNode); ok && len(parts) == 1 {
		return s
	}
	return &exprast.CallNode{Callee: n.Callee, Arguments: parts}
}

func appendParts(parts []exprast.Node, more ...exprast.Node) []exprast.Node {
	for _, p := range more {
		s, ok := p.(*exprast.StringNode)
		if ok && s.Value == "" {
			continue
		}
		if len(parts) > 0 && ok {
			if last, ok := parts[len(parts)-1].(*exprast.StringNode); ok {
				parts[len(parts)-1] = &exprast.StringNode{Value: last.Value + s.Value}
				continue
			}
		}
		parts = append(parts, p)
	}
	return parts
}
