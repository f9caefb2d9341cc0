package eval

import (
	"fmt"
	"reflect"
	"strconv"

	"parley/runtime/segment"
)

// span is a range of whole numbers that is not laid out in memory.
type span struct{ lo, n int }

// items is a list of any kind, ready to be walked.
type items struct {
	list []any
	lo   int
	n    int
	span bool
}

func (s items) at(i int) any {
	if s.span {
		return s.lo + i
	}
	return s.list[i]
}

// itemsOf walks lists, groups and ranges; other values are no lists.
func itemsOf(v any) (items, bool) {
	switch x := v.(type) {
	case []any:
		return items{list: x, n: len(x)}, true
	case Group:
		return items{list: x.Members, n: len(x.Members)}, true
	case *Group:
		return items{list: x.Members, n: len(x.Members)}, true
	case span:
		return items{lo: x.lo, n: x.n, span: true}, true
	case nil, string, segment.Text, bool, int, float64, Missing, Record, map[string]any:
		return items{}, false
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Slice {
		return items{}, false
	}
	list := make([]any, rv.Len())
	for i := range list {
		list[i] = rv.Index(i).Interface()
	}
	return items{list: list, n: len(list)}, true
}

// force lays a range out, so that it can be kept.
func (f *frame) force(v any) any {
	s, ok := v.(span)
	if !ok {
		return v
	}
	f.charge(s.n)
	list := make([]any, s.n)
	for i := range list {
		list[i] = s.lo + i
	}
	return list
}

// TruthOf reads a value as a condition.
func TruthOf(v any) Truth {
	if b, ok := v.(bool); ok {
		if b {
			return True
		}
		return False
	}
	return Unknown
}

func valueOf(t Truth, why any) any {
	switch t {
	case True:
		return true
	case False:
		return false
	}
	return why
}

// textOf returns the characters of a text.
func textOf(v any) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case segment.Text:
		return x.String(), true
	}
	return "", false
}

// originOf returns a text with its origin.
func originOf(v any) (segment.Text, bool) {
	switch x := v.(type) {
	case string:
		return segment.Of(x, ""), true
	case segment.Text:
		return x, true
	}
	return nil, false
}

// nameOf returns the name of an agent, or of any other record that has one.
func nameOf(v any) (string, bool) {
	r, ok := v.(Record)
	if !ok {
		return "", false
	}
	n, ok := r.Field("name")
	if !ok {
		return "", false
	}
	return textOf(n)
}

// number reads any whole or floating number.
func number(v any) (i int, fl float64, whole, ok bool) {
	switch x := v.(type) {
	case int:
		return x, float64(x), true, true
	case float64:
		return 0, x, false, true
	case nil, string, bool, segment.Text, Missing:
		return 0, 0, false, false
	}
	rv := reflect.ValueOf(v)
	switch {
	case rv.CanInt():
		return int(rv.Int()), float64(rv.Int()), true, true
	case rv.CanUint():
		return int(rv.Uint()), float64(rv.Uint()), true, true
	case rv.CanFloat():
		return 0, rv.Float(), false, true
	}
	return 0, 0, false, false
}

// mapOf returns a map with text keys.
func mapOf(v any) (map[string]any, bool) {
	switch x := v.(type) {
	case map[string]any:
		return x, true
	case nil, string, segment.Text, Missing, Record:
		return nil, false
	}
	rv := reflect.ValueOf(v)
	if rv.Kind() != reflect.Map || rv.Type().Key().Kind() != reflect.String {
		return nil, false
	}
	m := make(map[string]any, rv.Len())
	for it := rv.MapRange(); it.Next(); {
		m[it.Key().String()] = it.Value().Interface()
	}
	return m, true
}

func isMissing(v any) bool { _, ok := v.(Missing); return ok }

func absent(v any) bool { return v == nil || isMissing(v) }

// kindOf names a value's kind for people.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "true or false"
	case string, segment.Text:
		return "a text"
	case Group, *Group:
		return "a group"
	case Record:
		return "a record"
	case Missing:
		return "missing"
	case Keyed:
		return "a record"
	}
	if _, _, _, ok := number(v); ok {
		return "a number"
	}
	if _, ok := itemsOf(v); ok {
		return "a list"
	}
	if _, ok := mapOf(v); ok {
		return "a record"
	}
	return "a value of no known kind"
}

// short writes a value for a sentence.
func short(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case string:
		return clipText(x)
	case segment.Text:
		return clipText(x.String())
	case int:
		return strconv.Itoa(x)
	case float64, bool:
		return fmt.Sprint(x)
	}
	if n, ok := nameOf(v); ok {
		return n
	}
	return kindOf(v)
}

func clipText(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return strconv.Quote(string(r[:40]) + "…")
	}
	return strconv.Quote(s)
}
