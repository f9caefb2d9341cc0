// Package region knows expressions as text: where an unquoted one ends, what
// expr's parser is to be given for it, and whether it reads on to its end.
//
// The end is found with one token of look-ahead and two states. An operand is
// due: one of ! - + not leaves it due; a literal, a name, # or .field is one; a
// bracket opens one, which lasts until its match, and { is then a map. An operand
// is complete: a binary operator or a ? makes another due, .name and ?. extend it,
// ( and [ open its arguments or its index, and : goes on only if a ? waits for it.
// At any other token, { too, the expression has ended and a block may begin.
package region

import (
	"parley/lang/diag"
	"parley/lang/lex"
)

// Reader is a stream of tokens with one token of look-ahead.
type Reader interface {
	Peek() (lex.Kind, string)
	Next()
}

// Fault says why no whole expression stands where one is due. The place is
// the token that the reader stopped at.
type Fault struct {
	Code          diag.Code
	Message, Hint string
}

// Starts reports whether a token can begin an operand.
func Starts(kind lex.Kind, text string) bool {
	switch kind {
	case lex.Word:
		return !lex.Reserved(text) || text == "not" || text == "true" || text == "false" || text == "nil"
	case lex.Number, lex.Duration, lex.String, lex.Element, lex.Open:
		return true
	case lex.Op:
		return text == "!" || text == "-" || text == "+" || text == "."
	case lex.Illegal:
		return !operatorLike(text)
	}
	return false
}

// operatorLike tells an unknown operator from other illegal tokens.
func operatorLike(text string) bool {
	c := text[0]
	return c < 0x80 && c != '"' && c != '\'' && c != '`' && c != '_' &&
		(c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// Read consumes one expression. A nil result means that it is complete.
func Read(r Reader) *Fault {
	owed := 0 // the : of ? … :
	after := ""
	for {
		if f := operand(r, after); f != nil {
			return f
		}
		for postfix(r) {
			if kind, text := r.Peek(); kind == lex.Op && (text == "." || text == "?.") {
				if f := member(r); f != nil {
					return f
				}
				continue
			}
			brackets(r)
		}
		kind, text := r.Peek()
		switch {
		case kind == lex.Op && text == "?":
			owed++
		case kind == lex.Op && text == ":" && owed > 0:
			owed--
		case kind == lex.Word && text == "not":
			r.Next()
			if kind, next := r.Peek(); kind != lex.Word || !lex.NegatedWord(next) {
				return &Fault{diag.MissingExpr, "after a value, `not` is followed by in, contains, matches, startsWith or endsWith", ""}
			}
			_, text = r.Peek()
		case binary(kind, text):
		default:
			return nil
		}
		after = text
		r.Next()
	}
}

// operand consumes prefixes and what they stand before, without what follows.
func operand(r Reader, after string) *Fault {
	for {
		kind, text := r.Peek()
		if !Starts(kind, text) {
			return missing(kind, text, after)
		}
		switch {
		case kind == lex.Op && text == ".":
			return member(r)
		case kind == lex.Op, kind == lex.Word && text == "not":
			after = text
			r.Next()
			continue
		case kind == lex.Open:
			brackets(r)
		default:
			r.Next()
		}
		return nil
	}
}

// missing phrases that no operand begins here.
func missing(kind lex.Kind, text, after string) *Fault {
	f := &Fault{Code: diag.MissingExpr, Message: "an expression is missing here"}
	if after != "" {
		f.Message = "a value is missing after `" + after + "`"
	}
	switch {
	case kind == lex.Word && text == "let":
		f.Code, f.Message = diag.LetOrIf, "`let` stands inside brackets only"
		f.Hint = "write `(let x = …; …)`"
	case kind == lex.Word && text == "if":
		f.Code = diag.LetOrIf
		f.Hint = "an expression has no `if`: choose with `condition ? a : b`"
	case kind == lex.Op && text == "=":
		f.Hint = "equality is written `==`"
	}
	return f
}

// member consumes . or ?. and the name after it, any word.
func member(r Reader) *Fault {
	_, dot := r.Peek()
	r.Next()
	kind, _ := r.Peek()
	switch {
	case kind == lex.Word, kind == lex.Illegal:
		r.Next()
	case dot == "?.":
		if _, text := r.Peek(); text == "[" {
			return nil // postfix goes on with the bracket
		}
		fallthrough
	default:
		return &Fault{diag.ExprMember, "a name is missing after `" + dot + "`", ""}
	}
	return nil
}

// postfix reports whether a complete operand goes on at a member or bracket.
func postfix(r Reader) bool {
	kind, text := r.Peek()
	return kind == lex.Open && text != "{" || kind == lex.Op && (text == "." || text == "?.")
}

// binary reports the operators that stand between two operands.
func binary(kind lex.Kind, text string) bool {
	switch kind {
	case lex.Word:
		return lex.BinaryWord(text)
	case lex.Illegal:
		return operatorLike(text)
	case lex.Op:
		switch text {
		case "+", "-", "*", "/", "%", "^", "**", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "??", "..", "|":
			return true
		}
	}
	return false
}

// brackets consumes an opening bracket and everything up to its match.
func brackets(r Reader) {
	depth := 0
	for {
		kind, _ := r.Peek()
		switch kind {
		case lex.EOF:
			return
		case lex.Open:
			depth++
		case lex.Close:
			depth--
		}
		r.Next()
		if depth == 0 {
			return
		}
	}
}
