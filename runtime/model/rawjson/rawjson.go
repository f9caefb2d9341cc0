// Package rawjson reads JSON without deciding what it means. It hands out the
// members of an object in the order in which they stand, under exactly the
// names that stand there, and leaves every value as it was written. Nothing in
// it fails on a value of an unexpected kind: it is then simply not there.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrNotJSON says that a text is not one JSON value and nothing else.
var ErrNotJSON = errors.New("not JSON")

// Value is one JSON value as written, without space around it. Nil is a value
// that is not there. Values come from Parse alone, so they are well formed.
type Value []byte

// Parse checks that b is one JSON value and nothing else.
func Parse(b []byte) (Value, error) {
	b = bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
	if !json.Valid(b) {
		return nil, ErrNotJSON
	}
	return Value(bytes.Trim(b, space)), nil
}

const space = " \t\r\n"

// Object reports whether the value is an object.
func (v Value) Object() bool { return len(v) > 0 && v[0] == '{' }

// Array reports whether the value is an array.
func (v Value) Array() bool { return len(v) > 0 && v[0] == '[' }

// String reports whether the value is a string.
func (v Value) String() bool { return len(v) > 0 && v[0] == '"' }

// Empty reports whether the value is missing or null.
func (v Value) Empty() bool { return len(v) == 0 || v[0] == 'n' }

// Members yields an object's members in order; of anything else none.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for name, m := range v.members() {
			if !yield(name.text(), m) {
				return
			}
		}
	}
}

// members yields members with their names as written.
func (v Value) members() iter.Seq2[Value, Value] {
	return func(yield func(Value, Value) bool) {
		if !v.Object() {
			return
		}
		i := v.skipSpace(1)
		for i < len(v) && v[i] == '"' {
			end := v.skip(i)
			name := Value(v[i:end])
			i = v.skipSpace(v.skipSpace(end) + 1)
			end = v.skip(i)
			if !yield(name, v[i:end]) {
				return
			}
			if i = v.skipSpace(end); v[i] != ',' {
				return
			}
			i = v.skipSpace(i + 1)
		}
	}
}

// Elements yields an array's elements in order; of anything else none.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.Array() {
			return
		}
		i := v.skipSpace(1)
		for i < len(v) && v[i] != ']' {
			end := v.skip(i)
			if !yield(v[i:end]) {
				return
			}
			if i = v.skipSpace(end); v[i] != ',' {
				return
			}
			i = v.skipSpace(i + 1)
		}
	}
}

// Get returns the first member of exactly this name: neither a repetition nor
// another case of it takes its place.
func (v Value) Get(name string) Value {
	for n, m := range v.members() {
		if n.is(name) {
			return m
		}
	}
	return nil
}

// Pick gives several members at once, as Get gives each of them.
func (v Value) Pick(names []string, into []Value) {
	found := 0
	for n, m := range v.members() {
		for i, name := range names {
			if into[i] == nil && n.is(name) {
				into[i] = m
				found++
				break
			}
		}
		if found == len(names) {
			return
		}
	}
}

// is reports whether a member's name, as written, is the name meant.
func (v Value) is(name string) bool {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == name
	}
	return v.text() == name
}

// Text is the value of a string. What is no character of Unicode comes as
// U+FFFD.
func (v Value) Text() (string, bool) {
	if !v.String() {
		return "", false
	}
	return v.text(), true
}

func (v Value) text() string {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return ""
	}
	return s
}

// Number is a number, also one that was written as a string.
func (v Value) Number() (float64, bool) {
	text := string(v)
	if s, ok := v.Text(); ok {
		text = strings.TrimSpace(s)
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
}

func (v Value) skipSpace(i int) int {
	for i < len(v) && strings.IndexByte(space, v[i]) >= 0 {
		i++
	}
	return i
}

// skip returns the place behind the value that begins at byte i.
func (v Value) skip(i int) int {
	depth := 0
	for i < len(v) {
		switch v[i] {
		case '"':
			i = v.skipString(i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

func (v Value) skipString(i int) int {
	for i++; i < len(v); {
		n := bytes.IndexByte(v[i:], '"')
		if n < 0 {
			return len(v)
		}
		slash := bytes.IndexByte(v[i:i+n], '\\')
		if slash < 0 {
			return i + n + 1
		}
		i += slash + 2
	}
	return len(v)
}
