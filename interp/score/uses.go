package score

import (
	"github.com/expr-lang/expr/ast"

	"parley/runtime"
	"parley/runtime/eval"
)

// name is a free name of an expression, seen from one arm.
type name struct {
	arm  runtime.ArmName
	text string
}

// names lists the free names of an expression about arm's run. What stands
// behind clean, baseline or placebo is a name of that arm's run; an arm that
// does not exist gives an empty arm.
func names(src string, arm runtime.ArmName) ([]name, error) {
	tree, err := eval.Parse(src)
	if err != nil {
		return nil, err
	}
	w := &walker{arm: arm}
	w.walk(tree, map[string]bool{})
	return w.found, nil
}

type walker struct {
	arm   runtime.ArmName
	found []name
}

func (w *walker) add(arm runtime.ArmName, text string) {
	for _, n := range w.found {
		if n.arm == arm && n.text == text {
			return
		}
	}
	w.found = append(w.found, name{arm, text})
}

// walk visits a tree; bound holds the names that a let has taken.
func (w *walker) walk(n ast.Node, bound map[string]bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if !bound[n.Value] {
			w.add(w.arm, n.Value)
		}
	case *ast.MemberNode:
		if arm, text, ok := w.path(n, bound); ok {
			w.add(arm, text)
		} else {
			w.walk(n.Node, bound)
			w.walk(n.Property, bound)
		}
	case *ast.VariableDeclaratorNode:
		w.walk(n.Value, bound)
		inner := map[string]bool{n.Name: true}
		for k := range bound {
			inner[k] = true
		}
		w.walk(n.Expr, inner)
	case *ast.CallNode:
		if _, plain := n.Callee.(*ast.IdentifierNode); !plain {
			w.walk(n.Callee, bound)
		}
		for _, a := range n.Arguments {
			w.walk(a, bound)
		}
	default:
		for _, c := range children(n) {
			w.walk(c, bound)
		}
	}
}

// path resolves clean.x, baseline.clean.x and the like.
func (w *walker) path(n *ast.MemberNode, bound map[string]bool) (runtime.ArmName, string, bool) {
	prop, ok := n.Property.(*ast.StringNode)
	if !ok {
		return "", "", false
	}
	if arm, ok := w.armOf(n.Node, bound); ok && !siblingWord(prop.Value) {
		return arm, prop.Value, true
	}
	// task.x and attack.x may be predicates, judge.x is one judge, and of self the field says whether the
	// plan knows it: the field belongs to the name.
	switch base := n.Node.(type) {
	case *ast.IdentifierNode:
		if owner(base.Value) && !bound[base.Value] {
			return w.arm, base.Value + "." + prop.Value, true
		}
	case *ast.MemberNode:
		if arm, text, ok := w.path(base, bound); ok && owner(text) {
			return arm, text + "." + prop.Value, true
		}
	}
	return "", "", false
}

func owner(name string) bool {
	return name == "task" || name == "attack" || name == "self" || name == "judge"
}

func (w *walker) armOf(n ast.Node, bound map[string]bool) (runtime.ArmName, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if siblingWord(n.Value) && !bound[n.Value] {
			return sibling(w.arm, n.Value), true
		}
	case *ast.ChainNode:
		return w.armOf(n.Node, bound)
	case *ast.MemberNode:
		if p, ok := n.Property.(*ast.StringNode); ok && siblingWord(p.Value) {
			if arm, ok := w.armOf(n.Node, bound); ok {
				return sibling(arm, p.Value), true
			}
		}
	}
	return "", false
}

func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		return []ast.Node{n.Node}
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	case *ast.SliceNode:
		out := []ast.Node{n.Node}
		if n.From != nil {
			out = append(out, n.From)
		}
		if n.To != nil {
			out = append(out, n.To)
		}
		return out
	case *ast.BuiltinNode:
		return n.Arguments
	case *ast.PredicateNode:
		return []ast.Node{n.Node}
	case *ast.SequenceNode:
		return n.Nodes
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.MapNode:
		return n.Pairs
	case *ast.PairNode:
		return []ast.Node{n.Key, n.Value}
	}
	return nil
}

// foreknown lists the conditions joined by `and` in an expression that the plan
// alone decides: those that read nothing but what an agent is.
func foreknown(src string) []string {
	tree, err := eval.Parse(src)
	if err != nil {
		return nil
	}
	var out []string
	var split func(ast.Node)
	split = func(n ast.Node) {
		if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "&&" || b.Operator == "and") {
			split(b.Left)
			split(b.Right)
			return
		}
		w := &walker{}
		w.walk(n, map[string]bool{})
		for _, f := range w.found {
			switch f.text {
			case "self.name", "self.index", "self.honest", "self.role", "self.group", "self.about":
			default:
				return
			}
		}
		out = append(out, eval.Format(n))
	}
	split(tree)
	return out
}

// operands splits `x OP y`, both sides nothing but names of scores, seen from
// arm: the two forms of `value` that have a formula of their own.
func operands(src string, arm runtime.ArmName) (op string, x, y name, ok bool) {
	tree, err := eval.Parse(src)
	if err != nil {
		return "", x, y, false
	}
	b, isBinary := tree.(*ast.BinaryNode)
	if !isBinary || b.Operator != "-" && b.Operator != "/" {
		return "", x, y, false
	}
	x, okX := scoreName(b.Left, arm)
	y, okY := scoreName(b.Right, arm)
	return b.Operator, x, y, okX && okY
}

// lone reports whether an expression is nothing but the name of a score.
func lone(src string, arm runtime.ArmName) (name, bool) {
	tree, err := eval.Parse(src)
	if err != nil {
		return name{}, false
	}
	return scoreName(tree, arm)
}

func scoreName(n ast.Node, arm runtime.ArmName) (name, bool) {
	w := &walker{arm: arm}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return name{arm, n.Value}, true
	case *ast.MemberNode:
		if a, text, ok := w.path(n, nil); ok {
			return name{a, text}, true
		}
	}
	return name{}, false
}
