package typing

import (
	"fmt"

	exprast "github.com/expr-lang/expr/ast"

	"parley/lang/diag"
	"parley/runtime/eval"
)

// part is infer for a part that is held on its own against what the whole has to
// be: a branch, an element, a field's value.
func (k *checker) part(n exprast.Node) Type {
	t := k.infer(n)
	if k.known == nil {
		k.known = map[exprast.Node]Type{}
	}
	k.known[n] = t
	return t
}

// infer gives a part its type and reports what is wrong with it.
func (k *checker) infer(n exprast.Node) Type {
	t := k.inferred(n)
	k.note(n, t)
	return t
}

func (k *checker) inferred(n exprast.Node) Type {
	switch n := n.(type) {
	case *exprast.NilNode:
		return NilType
	case *exprast.BoolNode:
		return BoolType
	case *exprast.IntegerNode:
		return IntType
	case *exprast.FloatNode:
		return NumberType
	case *exprast.StringNode:
		return StringType
	case *exprast.IdentifierNode:
		return k.name(n, Whole)
	case *exprast.PointerNode:
		return k.pointer(n)
	case *exprast.UnaryNode:
		return k.unary(n)
	case *exprast.BinaryNode:
		return k.binary(n)
	case *exprast.ChainNode:
		return k.infer(n.Node)
	case *exprast.MemberNode:
		return k.member(n)
	case *exprast.SliceNode:
		return k.slice(n)
	case *exprast.CallNode:
		return k.call(n)
	case *exprast.BuiltinNode:
		return k.builtin(n)
	case *exprast.ConditionalNode:
		k.need(n.Cond, k.infer(n.Cond), Bool, "before ?")
		return Either(k.part(n.Exp1), k.part(n.Exp2))
	case *exprast.VariableDeclaratorNode:
		return k.let(n)
	case *exprast.ArrayNode:
		return k.array(n)
	case *exprast.MapNode:
		return k.mapping(n)
	}
	return k.fail(n, diag.ExprUnreadable, "", "this form is not part of the language")
}

// name types a free name and notes which of its fields is read.
func (k *checker) name(n *exprast.IdentifierNode, field string) Type {
	for i := len(k.lets) - 1; i >= 0; i-- {
		if k.lets[i].name == n.Value {
			return k.lets[i].t
		}
	}
	t, ok := k.env.Names[n.Value]
	if !ok {
		known := keys(k.env.Names)
		for _, l := range k.lets {
			known = append(known, l.name)
		}
		hint := ""
		if near := diag.Nearest(n.Value, known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		if where := k.env.Elsewhere[n.Value]; where != "" {
			hint = where
		}
		return k.fail(n, diag.ExprUnknownName, hint, "there is no name %q here", n.Value)
	}
	if k.reads[n.Value] == nil {
		k.reads[n.Value] = map[string]bool{}
	}
	k.reads[n.Value][field] = true
	return t
}

func (k *checker) pointer(n *exprast.PointerNode) Type {
	if len(k.elems) == 0 {
		return k.fail(n, diag.ExprUnreadable, "", "# stands for an element and needs a list around it, as in filter(list, #)")
	}
	switch n.Name {
	case "":
		return k.elems[len(k.elems)-1]
	case "index":
		return IntType
	case "acc":
		if t := k.accs[len(k.accs)-1]; t.Kind != "" {
			return t
		}
		return k.fail(n, diag.ExprUnreadable, "", "#acc is known in reduce only")
	}
	return k.fail(n, diag.ExprUnreadable, "there are #, #index and, in reduce, #acc", "#%s is not known", n.Name)
}

func (k *checker) let(n *exprast.VariableDeclaratorNode) Type {
	value := k.infer(n.Value)
	if why := k.taken(n.Name); why != "" {
		k.failHead(n, diag.ExprShadows, "choose another name", "%q %s", n.Name, why)
	}
	k.lets = append(k.lets, binding{n.Name, value})
	t := k.infer(n.Expr)
	k.lets = k.lets[:len(k.lets)-1]
	return t
}

// taken says why a let cannot have a name; empty where it can.
func (k *checker) taken(name string) string {
	if _, ok := k.env.Names[name]; ok {
		return "already means something here"
	}
	for _, l := range k.lets {
		if l.name == name {
			return "is already bound around this"
		}
	}
	return Taken(name)
}

func (k *checker) array(n *exprast.ArrayNode) Type {
	if len(n.Nodes) == 0 {
		return ListOf(OpenType)
	}
	var elem Type
	for i, e := range n.Nodes {
		t := k.part(e)
		if i == 0 {
			elem = t
		} else {
			elem = Either(elem, t)
		}
	}
	return ListOf(elem)
}

func (k *checker) mapping(n *exprast.MapNode) Type {
	fields := map[string]Type{}
	open := false
	for _, p := range n.Pairs {
		pair, ok := p.(*exprast.PairNode)
		if !ok {
			continue
		}
		t := k.part(pair.Value)
		if name, ok := pair.Key.(*exprast.StringNode); ok {
			fields[name.Value] = t
			continue
		}
		k.need(pair.Key, k.infer(pair.Key), String, "as a field's name")
		open = true
	}
	if !open {
		return RecordOf("", fields)
	}
	elem := OpenType
	for i, f := range keys(fields) {
		if i == 0 {
			elem = fields[f]
		}
		elem = Either(elem, fields[f])
	}
	return TableOf(elem)
}

func (k *checker) member(n *exprast.MemberNode) Type {
	field, named := n.Property.(*exprast.StringNode)
	var base Type
	if id, ok := n.Node.(*exprast.IdentifierNode); ok && named {
		base = k.name(id, field.Value)
		k.note(id, base)
	} else {
		base = k.infer(n.Node)
	}
	k.noteBase(n, base)
	var t Type
	if named {
		t = k.field(n, base, field.Value)
	} else {
		t = k.index(n, base)
	}
	if base.Optional || n.Optional {
		t.Optional = true
	}
	return t
}

// field types a read by name.
func (k *checker) field(n *exprast.MemberNode, base Type, name string) Type {
	part := eval.Format(n.Node)
	switch base.Kind {
	case Open:
		return OpenType
	case Table:
		return base.elem().Maybe()
	case Record:
		if t, ok := base.Fields[name]; ok {
			return t
		}
		what := base.String()
		if base.Name == "" {
			what = fmt.Sprintf("`%s`", part)
		}
		if len(base.Fields) == 0 {
			return k.fail(n.Property, diag.ExprUnknownField, base.Why, "%s has no fields, so no %q", what, name)
		}
		hint := near(name, keys(base.Fields))
		if base.Name == "run" && name == "parts" || base.Name == "task" && name == "session" {
			hint = "only a session has it: write session row.FIELD behind the tasks"
		}
		return k.fail(n.Property, diag.ExprUnknownField, hint, "%s has no field %q", what, name)
	case Agent:
		if t, ok := k.env.Agent[name]; ok {
			return t
		}
		return k.fail(n.Property, diag.ExprUnknownField, near(name, keys(k.env.Agent)), "an agent has no field %q", name)
	case Group:
		return k.fail(n.Property, diag.ExprUnknownField, fmt.Sprintf("pick a member, as in %s[1].%s", part, name), "%q is a group and has no fields", part)
	case List:
		return k.fail(n.Property, diag.ExprUnknownField, fmt.Sprintf("pick an element, as in last(%s).%s, or use map, filter, any", part, name), "`%s` is a list and has no field %q", part, name)
	case Unknown:
		return k.lost(n.Property, n.Node, base)
	}
	return k.fail(n.Property, diag.ExprUnknownField, "", "`%s` is %s and has no field %q", part, base, name)
}

func (k *checker) lost(at, of exprast.Node, t Type) Type {
	return k.fail(at, diag.ExprTypeLost, t.Why, "`%s` is of no known type, so nothing can be read from it or compared with it", eval.Format(of))
}

// index types a read by position.
func (k *checker) index(n *exprast.MemberNode, base Type) Type {
	key := k.infer(n.Property)
	part := eval.Format(n.Node)
	switch base.Kind {
	case Open:
		return OpenType
	case Group:
		return k.members(n, base, key)
	case List:
		if key.Kind == String {
			return k.fail(n.Property, diag.ExprIndex, "", "`%s` is a list and is counted by numbers, from 0", part)
		}
		if base.Why != "" {
			return k.fail(n.Property, diag.ExprIndex, base.Why, "`%s` is a group in one case and a list in another, so its elements have no numbers", part)
		}
		if isList(key) {
			return k.fail(n.Property, diag.ExprIndex, fmt.Sprintf("a part of a list is %s[from:to]", part), "`%s` is a list; ranges are for groups", part)
		}
		k.need(n.Property, key, Int, "as an index")
		return base.elem()
	case Table:
		k.need(n.Property, key, String, "as a key")
		return base.elem().Maybe()
	case Record:
		return k.fail(n.Property, diag.ExprIndex, "write the field's name", "`%s` is a record, and its fields are read by name", part)
	case Unknown:
		return k.lost(n.Property, n.Node, base)
	}
	return k.fail(n.Property, diag.ExprIndex, "", "`%s` is %s and has no elements", part, base)
}

// members types an index or a range of a group, and holds constant ones against
// its size.
func (k *checker) members(n *exprast.MemberNode, group, key Type) Type {
	if isList(key) {
		k.need(n.Property, key.elem(), Int, "as a member's number")
	} else {
		k.need(n.Property, key, Int, "as a member's number")
	}
	if v, ok := k.constant(n.Property); ok && group.Size > 0 {
		picks, list := v.([]any)
		if !list {
			picks = []any{v}
		}
		for _, p := range picks {
			if i, ok := p.(int); ok && (i < 1 || i > group.Size) {
				k.fail(n.Property, diag.BadReference, "", "%s has members 1 to %d, and %d is none of them", eval.Format(n.Node), group.Size, i)
				break
			}
		}
	}
	if isList(key) {
		return ListOf(AgentType)
	}
	return AgentType
}

func (k *checker) slice(n *exprast.SliceNode) Type {
	base := k.infer(n.Node)
	for _, e := range []exprast.Node{n.From, n.To} {
		if e != nil {
			k.need(e, k.infer(e), Int, "in a slice")
		}
	}
	part := eval.Format(n.Node)
	switch base.Kind {
	case Open, List:
		return base
	case String:
		return Type{Kind: String, Optional: base.Optional}
	case Group:
		return k.fail(n, diag.ExprIndex, fmt.Sprintf("write a range with both ends, as in %s[1..2]", part), "%q is a group", part)
	case Unknown:
		return k.lost(n, n.Node, base)
	}
	return k.fail(n, diag.ExprIndex, "", "`%s` is %s and has no parts", part, base)
}

// need reports a part that is not of the kind its place needs.
func (k *checker) need(n exprast.Node, t Type, want Kind, where string) {
	if t.Kind == Open || t.Kind == want || want == Number && t.Kind == Int {
		return
	}
	if t.Kind == Unknown {
		k.lost(n, n, t)
		return
	}
	k.fail(n, diag.ExprOperand, "", "%s is due %s, and `%s` is %s", Type{Kind: want}, where, eval.Format(n), t)
}
