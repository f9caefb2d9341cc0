package shape

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// reader reads JSON from a text, a little more leniently than the standard.
type reader struct {
	s      string
	i      int
	depth  int
	budget int // bytes that may still be looked at, over all attempts
}

// refusal is an error that ends the search for JSON in a text.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

var errSyntax = errors.New("the reply is not JSON")

// whole reads a text that is one value and nothing else.
func (r *reader) whole(text string) (any, error) {
	v, end, err := r.at(text, 0)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text[end:]) != "" {
		return nil, errSyntax
	}
	return v, nil
}

// at reads the value that begins at byte i and returns where it ends.
func (r *reader) at(text string, i int) (any, int, error) {
	r.s, r.i, r.depth = text, i, 0
	v, err := r.value()
	r.budget -= r.i - i + 1
	if r.budget < 0 {
		return nil, r.i, &refusal{"the reply is too tangled to be read as JSON"}
	}
	return v, r.i, err
}

func (r *reader) value() (any, error) {
	r.space()
	if r.i >= len(r.s) {
		return nil, errSyntax
	}
	switch ch := r.s[r.i]; {
	case ch == '{':
		return r.nested(r.object)
	case ch == '[':
		return r.nested(r.array)
	case ch == '"':
		return r.str()
	case ch == '-' || ch >= '0' && ch <= '9':
		return r.number()
	}
	for word, v := range words {
		if strings.HasPrefix(r.s[r.i:], word) {
			r.i += len(word)
			return v, nil
		}
	}
	return nil, errSyntax
}

var words = map[string]any{"true": true, "false": false, "null": nil}

func (r *reader) nested(read func() (any, error)) (any, error) {
	r.depth++
	if r.depth > MaxDepth {
		return nil, &refusal{fmt.Sprintf("the reply nests deeper than %d levels", MaxDepth)}
	}
	r.i++
	v, err := read()
	r.depth--
	return v, err
}

func (r *reader) object() (any, error) {
	out := map[string]any{}
	for {
		r.space()
		if r.skip('}') {
			return out, nil
		}
		if r.i >= len(r.s) || r.s[r.i] != '"' {
			return nil, errSyntax
		}
		name, err := r.str()
		if err != nil {
			return nil, err
		}
		r.space()
		if !r.skip(':') {
			return nil, errSyntax
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		if _, twice := out[name]; twice {
			return nil, &refusal{fmt.Sprintf("the reply gives the field %q twice", name)}
		}
		out[name] = v
		r.space()
		if !r.skip(',') {
			if r.skip('}') {
				return out, nil
			}
			return nil, errSyntax
		}
	}
}

func (r *reader) array() (any, error) {
	out := []any{}
	for {
		r.space()
		if r.skip(']') {
			return out, nil
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		r.space()
		if !r.skip(',') {
			if r.skip(']') {
				return out, nil
			}
			return nil, errSyntax
		}
	}
}

func (r *reader) str() (string, error) {
	r.i++
	start := r.i
	for r.i < len(r.s) && r.s[r.i] != '"' && r.s[r.i] != '\\' {
		r.i++
	}
	if r.i >= len(r.s) {
		return "", errSyntax
	}
	if r.s[r.i] == '"' {
		text := r.s[start:r.i]
		r.i++
		return strings.ToValidUTF8(text, "\uFFFD"), nil
	}
	b := []byte(r.s[start:r.i])
	for r.i < len(r.s) {
		ch := r.s[r.i]
		r.i++
		switch ch {
		case '"':
			return strings.ToValidUTF8(string(b), "\uFFFD"), nil
		case '\\':
			var ok bool
			if b, ok = r.escape(b); !ok {
				return "", errSyntax
			}
		default:
			b = append(b, ch)
		}
	}
	return "", errSyntax
}

func (r *reader) escape(b []byte) ([]byte, bool) {
	if r.i >= len(r.s) {
		return b, false
	}
	ch := r.s[r.i]
	r.i++
	if k := strings.IndexByte(`"\/bfnrt`, ch); k >= 0 {
		return append(b, "\"\\/\b\f\n\r\t"[k]), true
	}
	if ch != 'u' {
		return b, false
	}
	first, ok := r.hex()
	if !ok {
		return b, false
	}
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(b, first), true
	}
	if strings.HasPrefix(r.s[r.i:], `\u`) {
		back := r.i
		r.i += 2
		second, ok := r.hex()
		if !ok {
			return b, false
		}
		if both := utf16.DecodeRune(first, second); both != utf8.RuneError {
			return utf8.AppendRune(b, both), true
		}
		r.i = back // the second stands for itself
	}
	return utf8.AppendRune(b, utf8.RuneError), true
}

func (r *reader) hex() (rune, bool) {
	if r.i+4 > len(r.s) {
		return 0, false
	}
	n, err := strconv.ParseUint(r.s[r.i:r.i+4], 16, 16)
	r.i += 4
	return rune(n), err == nil
}

func (r *reader) number() (any, error) {
	start := r.i
	for r.i < len(r.s) && strings.IndexByte("+-0123456789.eE", r.s[r.i]) >= 0 {
		r.i++
	}
	text := r.s[start:r.i]
	digits := strings.TrimPrefix(text, "-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return nil, errSyntax
	}
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.Atoi(text); err == nil {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, errSyntax
	}
	return f, nil
}

func (r *reader) space() {
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return
		}
	}
}

func (r *reader) skip(ch byte) bool {
	if r.i < len(r.s) && r.s[r.i] == ch {
		r.i++
		return true
	}
	return false
}
