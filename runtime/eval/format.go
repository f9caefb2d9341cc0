package eval

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser/utils"
)

// Format writes a tree as source that parses to the same tree again. It is the
// canonical form: one space around operators, brackets only where two operators
// meet, double-quoted strings.
func Format(n ast.Node) string {
	var b printer
	write(&b, n)
	return b.String()
}

// brief is Format for the sentences that say why something is missing: every
// part of an expression keeps one, so it must not grow with the expression.
func brief(n ast.Node) string {
	b := printer{levels: 12, length: 120}
	write(&b, n)
	return b.String()
}

// printer writes a tree, to some depth and length where these are not zero.
type printer struct {
	strings.Builder
	levels, length int
	level          int
}

// full writes an ellipsis in place of what goes too far.
func (b *printer) full() bool {
	if b.levels == 0 || b.level < b.levels && b.Len() < b.length {
		return false
	}
	b.WriteString("…")
	return true
}

func write(b *printer, n ast.Node) {
	if n == nil || b.full() {
		return
	}
	b.level++
	defer func() { b.level-- }()
	switch n := n.(type) {
	case *ast.StringNode:
		b.WriteString(Quote(n.Value))
	case *ast.FloatNode:
		b.WriteString(floatLiteral(n.Value))
	case *ast.UnaryNode:
		b.WriteString(n.Operator)
		if n.Operator == "not" {
			b.WriteByte(' ')
		}
		operand(b, n.Node, "")
	case *ast.BinaryNode:
		leftOperand(b, n)
		b.WriteString(" " + n.Operator + " ")
		operand(b, n.Right, n.Operator)
	case *ast.ConditionalNode:
		operand(b, n.Cond, "")
		b.WriteString(" ? ")
		operand(b, n.Exp1, "")
		b.WriteString(" : ")
		operand(b, n.Exp2, "")
	case *ast.ChainNode:
		write(b, n.Node)
	case *ast.MemberNode:
		member(b, n)
	case *ast.SliceNode:
		operand(b, n.Node, "")
		b.WriteByte('[')
		write(b, n.From)
		b.WriteByte(':')
		write(b, n.To)
		b.WriteByte(']')
	case *ast.CallNode:
		write(b, n.Callee)
		list(b, "(", n.Arguments, ")")
	case *ast.BuiltinNode:
		b.WriteString(n.Name)
		list(b, "(", n.Arguments, ")")
	case *ast.PredicateNode:
		predicate(b, n)
	case *ast.VariableDeclaratorNode:
		b.WriteString("let " + n.Name + " = ")
		write(b, n.Value)
		b.WriteString("; ")
		write(b, n.Expr)
	case *ast.ArrayNode:
		list(b, "[", n.Nodes, "]")
	case *ast.MapNode:
		list(b, "{", n.Pairs, "}")
	case *ast.PairNode:
		pair(b, n)
	default:
		b.WriteString(n.String())
	}
}

// operand writes a part of an operator's expression, in brackets unless it is
// one closed piece.
func operand(b *printer, n ast.Node, op string) {
	closed := true
	switch x := n.(type) {
	case *ast.UnaryNode:
		closed = (x.Operator == "!" || x.Operator == "not") && joins(op)
	case *ast.BinaryNode, *ast.ConditionalNode, *ast.VariableDeclaratorNode, *ast.SequenceNode:
		closed = false
	case *ast.MemberNode:
		// A dot right after .. or before a digit would be read as one more dot.
		_, pointer := x.Node.(*ast.PointerNode)
		closed = !pointer || op != ".."
	}
	if closed {
		write(b, n)
		return
	}
	b.WriteByte('(')
	write(b, n)
	b.WriteByte(')')
}

func joins(op string) bool { return op == "&&" || op == "||" || op == "and" || op == "or" }

// leftOperand leaves brackets away in a chain of one associative operator.
func leftOperand(b *printer, n *ast.BinaryNode) {
	if l, ok := n.Left.(*ast.BinaryNode); ok && l.Operator == n.Operator {
		switch n.Operator {
		case "&&", "||", "and", "or", "+", "*":
			write(b, l)
			return
		}
	}
	operand(b, n.Left, n.Operator)
}

func member(b *printer, n *ast.MemberNode) {
	name, named := n.Property.(*ast.StringNode)
	dotted := named && utils.IsValidIdentifier(name.Value)
	if _, chained := n.Node.(*ast.ChainNode); chained && !n.Optional {
		dotted = false // behind a chain, .x would belong to the chain
	}
	if p, ok := n.Node.(*ast.PointerNode); ok && p.Name == "" && dotted && !n.Optional {
		b.WriteString("." + name.Value)
		return
	}
	operand(b, n.Node, "")
	switch {
	case dotted && n.Optional:
		b.WriteString("?." + name.Value)
	case dotted:
		b.WriteString("." + name.Value)
	default:
		if n.Optional {
			b.WriteString("?.")
		}
		b.WriteByte('[')
		write(b, n.Property)
		b.WriteByte(']')
	}
}

// predicate wraps what would be misread: a let, and a record, whose brace would
// be taken for the wrapping one.
func predicate(b *printer, n *ast.PredicateNode) {
	_, wrapped := n.Node.(*ast.VariableDeclaratorNode)
	if wrapped || beginsWithBrace(n.Node) {
		b.WriteByte('{')
		defer b.WriteByte('}')
	}
	write(b, n.Node)
}

// beginsWithBrace follows a tree along its first token.
func beginsWithBrace(n ast.Node) bool {
	for {
		switch x := n.(type) {
		case *ast.MapNode:
			return true
		case *ast.MemberNode:
			n = x.Node
		case *ast.ChainNode:
			n = x.Node
		case *ast.SliceNode:
			n = x.Node
		case *ast.BinaryNode:
			n = x.Left
		case *ast.ConditionalNode:
			n = x.Cond
		default:
			return false
		}
	}
}

func pair(b *printer, n *ast.PairNode) {
	if k, ok := n.Key.(*ast.StringNode); ok {
		if fieldName(k.Value) {
			b.WriteString(k.Value)
		} else {
			b.WriteString(Quote(k.Value))
		}
	} else {
		b.WriteByte('(')
		write(b, n.Key)
		b.WriteByte(')')
	}
	b.WriteString(": ")
	write(b, n.Value)
}

// fieldName reports whether a field's name can stand without quotes.
func fieldName(s string) bool {
	switch s {
	case "not", "in", "or", "and", "matches", "contains", "startsWith", "endsWith", "let":
		return false
	}
	return utils.IsValidIdentifier(s)
}

func list(b *printer, opening string, nodes []ast.Node, closing string) {
	b.WriteString(opening)
	for i, n := range nodes {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, n)
	}
	b.WriteString(closing)
}

// floatLiteral keeps a float a float: 2.0, never 2.
func floatLiteral(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".eEn") {
		s += ".0"
	}
	return s
}

// Quote writes a text as a string literal.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x20 || r == 0x7f:
			const hex = "0123456789abcdef"
			b.WriteString(`\u00`)
			b.WriteByte(hex[r>>4])
			b.WriteByte(hex[r&15])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
