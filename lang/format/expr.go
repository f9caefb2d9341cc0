package format

import "parley/lang/lex"

// operator is a sign or word between two operands, or `not in`, two tokens.
type operator struct {
	at, tokens, binding int
}

// bindings orders the operators, loosest first.
var bindings = map[string]int{
	"|": 0, "?": 1, ":": 1, "??": 2, "||": 3, "or": 3, "&&": 4, "and": 4,
	"==": 5, "!=": 5, "<": 5, ">": 5, "<=": 5, ">=": 5, "in": 5, "matches": 5, "contains": 5, "startsWith": 5, "endsWith": 5,
	"..": rangeBinding, "+": 7, "-": 7, "*": 8, "/": 8, "%": 8, "^": 9, "**": 9,
}

// rangeBinding is that of `..`, which is written without spaces.
const rangeBinding = 6

// expr lays out the expression tokens[from:to]. It breaks before its loosest
// operators, all of them, and before those of its operands only where they
// do not fit on their line. A rigid one breaks at lists and records alone.
func (f *layout) expr(from, to int, rigid bool) doc {
	if from >= to {
		return text("")
	}
	for i := from; i < to; i++ {
		if f.toks[i].Kind == lex.Open {
			i = f.toks[i].Match
		} else if f.toks[i].Is(";") {
			return group{join(f.let(from, i), f.between(i, text("")), text(";"), f.between(i+1, line{}), f.expr(i+1, to, rigid))}
		}
	}
	ops := f.operators(from, to)
	if len(ops) == 0 {
		return f.operand(from, to, rigid)
	}
	first := f.expr(from, ops[0].at, rigid)
	var rest []doc
	for i, op := range ops {
		end := to
		if i+1 < len(ops) {
			end = ops[i+1].at
		}
		right := op.at + op.tokens
		var gap doc = text(" ")
		switch {
		case op.binding == rangeBinding:
			gap = text(f.aroundRange(op.at))
			rest = append(rest, f.beside(op.at, gap), text(".."), f.beside(right, gap), f.expr(right, end, rigid))
			continue
		case !rigid && !f.opensLines(right, end):
			gap = line{}
		}
		rest = append(rest, f.beside(op.at, gap), text(f.toks[op.at].Text))
		if op.tokens == 2 {
			rest = append(rest, f.beside(op.at+1, text(" ")), text(f.toks[op.at+1].Text))
		}
		rest = append(rest, f.beside(right, text(" ")), f.expr(right, end, rigid))
	}
	if rigid {
		return join(first, indent{join(rest...)})
	}
	return group{join(first, indent{join(rest...)})}
}

// opensLines reports an operand that can itself be broken into lines, so that
// its operator stays beside what stands before it.
func (f *layout) opensLines(from, to int) bool {
	return f.literal(from, to) || to-from == 1 && f.toks[from].Kind == lex.String && ofLines(f.toks[from])
}

// aroundRange is a space where `..` would run into a number's point.
func (f *layout) aroundRange(at int) string {
	if t := f.toks[at+1]; t.Is(".") || t.Kind == lex.Number && t.Text[0] == '.' {
		return " "
	}
	return ""
}

// let lays out `let name = value`, or what else stands before a semicolon.
func (f *layout) let(from, to int) doc {
	if !f.toks[from].Is("let") || to-from < 4 {
		return f.expr(from, to, false)
	}
	return join(text("let"), f.between(from+1, text(" ")), text(f.toks[from+1].Text), f.between(from+2, text(" ")), text("="),
		f.between(from+3, text(" ")), f.expr(from+3, to, false))
}

// operators lists the loosest operators outside of brackets.
func (f *layout) operators(from, to int) []operator {
	var found []operator
	loosest := len(bindings)
	complete, owed := false, 0
	for i := from; i < to; i++ {
		t := f.toks[i]
		switch {
		case t.Kind == lex.Open:
			i, complete = t.Match, true
			continue
		case t.Is(".") || t.Is("?."):
			if complete = i+1 < to && f.toks[i+1].Kind == lex.Word; complete {
				i++
			}
			continue
		case !complete:
			complete = t.Kind != lex.Op && !t.Is("not")
			continue
		}
		op := operator{at: i, tokens: 1}
		if t.Is("not") && i+1 < to {
			op.tokens = 2
			i++
		}
		binding, ok := bindings[f.toks[i].Text]
		switch {
		case !ok, t.Is(":") && owed == 0:
			continue
		case t.Is("?"):
			owed++
		case t.Is(":"):
			owed--
		}
		complete = false
		if op.binding = binding; binding < loosest {
			found, loosest = nil, binding
		}
		if binding == loosest {
			found = append(found, op)
		}
	}
	return found
}

// operand lays out what has no operator between operands: prefixes, and a
// value with its members, indices and arguments.
func (f *layout) operand(from, to int, rigid bool) doc {
	var docs []doc
	complete := false
	for i := from; i < to; i++ {
		t := f.toks[i]
		if i > from {
			docs = append(docs, f.between(i, f.tight(i)))
		}
		switch {
		case t.Kind == lex.Open:
			d := f.bracket(i, complete)
			if rigid && t.Text == "(" && !d.forced() {
				d = unbroken(d)
			}
			docs = append(docs, d)
			i, complete = t.Match, true
		case t.Kind == lex.String:
			docs = append(docs, f.str(t))
			complete = true
		default:
			docs = append(docs, text(t.Text))
			member := i > from && (f.toks[i-1].Is(".") || f.toks[i-1].Is("?."))
			complete = t.Kind != lex.Op && (member || !t.Is("not"))
		}
	}
	return join(docs...)
}

// tight is what stands between two tokens of an operand: nothing, but for
// what would run together.
func (f *layout) tight(i int) doc {
	before, t := f.toks[i-1], f.toks[i]
	member := i > 1 && (f.toks[i-2].Is(".") || f.toks[i-2].Is("?."))
	switch {
	case before.Is("not") && !member, before.Kind == lex.Op && t.Kind == lex.Op && before.Text == t.Text,
		before.Kind == lex.Number && t.Is("."):
		return text(" ")
	}
	return text("")
}

// bracket lays out a bracket in an expression: arguments or an index behind a
// complete operand, else a list, a record or a part in brackets.
func (f *layout) bracket(open int, complete bool) doc {
	opener, shut := f.toks[open], f.toks[open].Match
	if opener.Text == "{" || (opener.Text == "(") == complete {
		return f.list(open, true)
	}
	return join(text(opener.Text), f.between(open+1, text("")), f.slice(open+1, shut), f.between(shut, text("")), text(f.toks[shut].Text))
}

// slice lays out what stands in an index, or in brackets around a part.
func (f *layout) slice(from, to int) doc {
	colon := f.colon(from, to)
	if colon < 0 {
		return f.expr(from, to, false)
	}
	docs := []doc{f.expr(from, colon, false), f.between(colon, text("")), text(":")}
	if colon+1 < to {
		docs = append(docs, f.between(colon+1, text("")), f.expr(colon+1, to, false))
	}
	return join(docs...)
}

// mapping lays out an element: a value, or a key with one.
func (f *layout) mapping(from, to int) doc {
	colon := f.colon(from, to)
	if colon < 0 {
		return f.expr(from, to, false)
	}
	return join(f.expr(from, colon, false), f.between(colon, text("")), text(":"), f.between(colon+1, text(" ")), f.expr(colon+1, to, false))
}

// colon finds the first : outside of brackets that belongs to no ?, or -1.
func (f *layout) colon(from, to int) int {
	owed := 0
	for i := from; i < to; i++ {
		switch t := f.toks[i]; {
		case t.Kind == lex.Open:
			i = t.Match
		case t.Is("?"):
			owed++
		case t.Is(":") && owed == 0:
			return i
		case t.Is(":"):
			owed--
		}
	}
	return -1
}
