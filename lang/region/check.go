package region

import (
	"errors"
	"strings"

	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
)

// maxFindings is how many mistakes one expression is searched for.
const maxFindings = 10

// Expr cooks the expression tokens and reads them as expr does: it says what
// is wrong in them, each finding at its place in the file; File is left to
// the caller. Of several mistakes in one template each interpolation's is
// found.
func Expr(src string, tokens []lex.Token) (*ast.Expr, diag.List) {
	c := &cook{posMap: make(ast.PosMap, 0, len(tokens))}
	c.all(tokens)
	e := &ast.Expr{Cooked: c.out.String(), Map: c.posMap}
	if len(tokens) > 0 {
		e.Start, e.End = tokens[0].Start, tokens[len(tokens)-1].End
		e.Text = src[e.Start:e.End]
	}
	return e, check(tokens, c)
}

// check looks for mistakes in tokens that c has cooked.
func check(tokens []lex.Token, c *cook) diag.List {
	if plain(tokens) {
		return nil
	}
	if code, broken := weigh(tokens); broken {
		return nil
	} else if code > MaxCode {
		return diag.List{finding(diag.TooLong, tokens[0].Span(), "this expression is longer than 16 KiB", "divide it with `let`, or name parts of it")}
	}
	if found := append(append(choices(tokens), mixtures(tokens)...), loneDots(tokens)...); len(found) > 0 {
		return found
	}
	var found diag.List
	c.skip = map[int]bool{}
	for {
		fault := parse(c.out.String())
		if fault == nil {
			return found
		}
		d, hole := phrase(tokens, c.posMap.Span(fault.From, max(fault.To, fault.From+1)), fault.Message)
		found = append(found, d)
		if hole < 0 || len(found) == maxFindings {
			return found
		}
		c.skip[hole] = true
		c.out.Reset()
		c.posMap = nil
		c.all(tokens)
	}
}

func parse(cooked string) *file.Error {
	_, err := parser.ParseWithConfig(cooked, &conf.Config{DisableIfOperator: true, MaxNodes: conf.DefaultMaxNodes})
	var fault *file.Error
	if errors.As(err, &fault) {
		return fault
	}
	return nil
}

// plain recognises what needs no reading: names with members, short numbers,
// and texts of nothing else.
func plain(tokens []lex.Token) bool {
	if len(tokens)%2 == 0 || len(tokens) > 63 {
		return false
	}
	switch t := tokens[0]; {
	case t.Kind == lex.Number && len(tokens) == 1:
		return len(t.Text) < 16
	case t.Kind == lex.String && len(tokens) == 1:
		for _, p := range t.Str.Parts {
			if p.Tokens != nil && !plain(p.Tokens) {
				return false
			}
		}
		return !t.Str.Broken
	case t.Kind != lex.Word || lex.Reserved(t.Text):
		return false
	}
	for i := 1; i < len(tokens); i += 2 {
		if !tokens[i].Is(".") || tokens[i+1].Kind != lex.Word {
			return false
		}
	}
	return true
}

// loneDots finds a dot with nothing behind it and no operand before it: in other
// languages that is the element.
func loneDots(tokens []lex.Token) (found diag.List) {
	for i, t := range tokens {
		if t.Kind == lex.String {
			for _, p := range t.Str.Parts {
				found = append(found, loneDots(p.Tokens)...)
			}
			continue
		}
		if !t.Is(".") || i == 0 || i+1 == len(tokens) {
			continue
		}
		before, behind := tokens[i-1], tokens[i+1]
		if (before.Is("(") || before.Is(",") || before.Is("[")) && (behind.Is(",") || behind.Is(")") || behind.Is("]")) {
			found = append(found, finding(diag.ExprMember, t.Span(), "a dot alone is no value", "the element as a whole is `#`"))
		}
	}
	return found
}

// choices finds the word if, which expr would take for a name.
func choices(tokens []lex.Token) (found diag.List) {
	for i, t := range tokens {
		switch {
		case t.Is("if") && (i == 0 || !tokens[i-1].Is(".") && !tokens[i-1].Is("?.")):
			found = append(found, finding(diag.LetOrIf, t.Span(), "an expression has no `if`", "choose with `condition ? a : b`"))
		case t.Kind == lex.String:
			for _, p := range t.Str.Parts {
				found = append(found, choices(p.Tokens)...)
			}
		}
	}
	return found
}

// mixtures finds ?? beside another operator between the same brackets and
// commas. expr refuses an operator after it and lets one before it pass, with
// a reading that few would guess.
func mixtures(tokens []lex.Token) (found diag.List) {
	type chain struct{ coalesce, other bool }
	chains := []chain{{}}
	for i, t := range tokens {
		c := &chains[len(chains)-1]
		switch {
		case t.Kind == lex.String:
			for _, p := range t.Str.Parts {
				found = append(found, mixtures(p.Tokens)...)
			}
		case t.Kind == lex.Open:
			chains = append(chains, chain{})
		case t.Kind == lex.Close && len(chains) > 1:
			chains = chains[:len(chains)-1]
		case t.Is(",") || t.Is(";") || t.Is(":") || t.Is("?") || t.Is("=") || t.Is("|"):
			*c = chain{}
		case binary(t.Kind, t.Text) && i > 0 && completes(tokens, i-1):
			c.coalesce, c.other = c.coalesce || t.Text == "??", c.other || t.Text != "??"
			if c.coalesce && c.other {
				found = append(found, finding(diag.ExprMixed, t.Span(), "`??` stands beside another operator without brackets", "put brackets around one of them: (a ?? b) + c"))
				*c = chain{}
			}
		}
	}
	return found
}

// weigh counts the bytes that are no literal text, and says whether something
// among the tokens was reported already.
func weigh(tokens []lex.Token) (code int, broken bool) {
	for _, t := range tokens {
		switch {
		case t.Kind == lex.Illegal || t.Kind == lex.String && t.Str.Broken:
			return 0, true
		case t.Kind == lex.String:
			for _, p := range t.Str.Parts {
				inner, bad := weigh(p.Tokens)
				if bad {
					return 0, true
				}
				code += inner + 1
			}
		default:
			code += len(t.Text) + 1
		}
	}
	return code, false
}

func finding(code diag.Code, span ast.Span, message, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Severity: diag.Error, Span: span, Message: message, Hint: hint}
}

// phrase says in plain words what expr's parser stumbled over. hole is the
// start of the innermost interpolation it lies in, or -1.
func phrase(tokens []lex.Token, span ast.Span, message string) (d diag.Diagnostic, hole int) {
	tokens, at, hole := locate(tokens, span.Start, -1)
	say := func(code diag.Code, message, hint string) (diag.Diagnostic, int) {
		return finding(code, span, message, hint), hole
	}
	switch {
	case strings.HasPrefix(message, "expected at least"):
		return say(diag.ExprArgs, "an argument is missing before this `)`", "functions over lists take a list and a condition: any(list, .name == \"x\")")
	case strings.Contains(message, "cannot be mixed"):
		return say(diag.ExprMixed, "`??` stands beside another operator without brackets", "put brackets around one of them: (a ?? b) + c")
	case strings.HasPrefix(message, "a map key"):
		return say(diag.ExprKey, "a key of `{ … }` is a word, a string or a number", "{ name: value }")
	case strings.Contains(message, "literal: ") || strings.Contains(message, "too large"):
		if at = min(at, len(tokens)) - 1; at >= 0 { // the parser has gone past it
			span = tokens[at].Span()
		}
		return say(diag.ExprNumber, "this number is too large", "")
	case strings.HasPrefix(message, "wrap predicate"):
		return say(diag.LetOrIf, "a `;` divides a condition here", "put the condition in `{ }`")
	case strings.HasPrefix(message, "expected name"):
		return say(diag.ExprMember, "a name is missing after the dot", "")
	case strings.Contains(message, "maximum allowed nodes"):
		return say(diag.TooLong, "this expression has too many parts", "divide it with `let`, or name parts of it")
	}
	if at >= len(tokens) {
		return say(diag.ExprValue, "a value is missing after "+Show(tokens[len(tokens)-1]), "")
	}
	span = tokens[at].Span()
	code, text, hint := unexpected(tokens, at)
	return say(code, text, hint)
}

// unexpected phrases that tokens[at] does not fit where it stands.
func unexpected(tokens []lex.Token, at int) (code diag.Code, message, hint string) {
	t := tokens[at]
	shown := Show(t)
	complete := at > 0 && completes(tokens, at-1)
	switch {
	case t.Is("="):
		return diag.SingleEqual, "`=` does not compare", "equality is written `==`"
	case !complete && t.Is(".") && at+1 < len(tokens):
		return diag.ExprElement, "`." + tokens[at+1].Text + "` means a member of a list's element, and no list is gone through here",
			"it stands inside any(list, …), filter(list, …), map(list, …) and the like"
	case t.Is("let"):
		return diag.LetOrIf, "`let` stands only at the beginning of a bracket or of a condition", "write `(let x = …; …)`"
	case !complete && (t.Is(".") || t.Kind == lex.Element):
		return diag.ExprElement, shown + " means the element of a list, and no list is gone through here",
			"it stands inside any(list, …), filter(list, …), map(list, …) and the like"
	case at > 0 && tokens[at-1].Is("let"):
		return diag.MissingName, "a name is missing after `let`", "write `(let x = …; …)`"
	case !complete && t.Kind == lex.Word && lex.Reserved(t.Text):
		return diag.ReservedName, shown + " cannot be a name", ""
	case !complete && at > 0:
		return diag.ExprValue, "a value is missing between " + Show(tokens[at-1]) + " and " + shown, ""
	case !complete:
		return diag.ExprValue, "a value is missing before " + shown, ""
	case t.Is(":"):
		return diag.ExprToken, "this `:` belongs to no `?` and to no key", ""
	}
	return diag.ExprToken, "an operator, a comma or a closing bracket is missing before " + shown, ""
}

// Show names a token in a message.
func Show(t lex.Token) string {
	switch {
	case t.Kind == lex.EOF:
		return "the end of the file"
	case t.Kind == lex.String:
		return "this string"
	case len(t.Text) > 40:
		return "this"
	}
	return "`" + t.Text + "`"
}

// locate finds the token at a file offset, within the interpolation it lies
// in, and that interpolation's start. at is len(tokens) at an end.
func locate(tokens []lex.Token, offset, hole int) (list []lex.Token, at, in int) {
	for i, t := range tokens {
		if t.Kind == lex.String {
			for _, p := range t.Str.Parts {
				if p.Tokens != nil && p.Start <= offset && offset <= p.End {
					return locate(p.Tokens, offset, p.Start)
				}
			}
		}
		if offset < t.End || offset == t.Start {
			return tokens, i, hole
		}
	}
	return tokens, len(tokens), hole
}
