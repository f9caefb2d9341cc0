package eval

import (
	"context"
	"reflect"
)

// maxDepth bounds how deep nested values are followed.
const maxDepth = 256

// Equal compares two values as `==` does: texts by their characters, numbers by
// their value, agents, turns and calls by their keys, an agent and a text by the
// agent's name, lists and records part by part. It is unknown where it hangs on
// something missing.
func Equal(a, b any) Truth {
	f := &frame{left: DefaultSteps, ctx: context.Background()}
	return f.equal(a, b, 0)
}

func (f *frame) equal(a, b any, depth int) Truth {
	if isMissing(a) || isMissing(b) {
		return Unknown
	}
	if a == nil || b == nil {
		return truth(a == nil && b == nil)
	}
	if s, ok := textOf(a); ok {
		t, ok := textOf(b)
		if !ok {
			t, ok = nameOf(b)
		}
		return truth(ok && s == t)
	}
	if x, ok := a.(bool); ok {
		y, ok := b.(bool)
		return truth(ok && x == y)
	}
	if i, x, whole, ok := number(a); ok {
		j, y, whole2, ok := number(b)
		if whole && whole2 {
			return truth(ok && i == j)
		}
		return truth(ok && x == y)
	}
	return f.equalParts(a, b, depth)
}

func (f *frame) equalParts(a, b any, depth int) Truth {
	f.charge(1)
	if depth > maxDepth {
		return Unknown
	}
	if k, ok := a.(Keyed); ok {
		if l, ok := b.(Keyed); ok {
			return truth(k.Key() == l.Key())
		}
	}
	if t, ok := textOf(b); ok {
		n, ok := nameOf(a)
		return truth(ok && n == t)
	}
	if x, ok := itemsOf(a); ok {
		y, ok := itemsOf(b)
		if !ok || x.n != y.n {
			return False
		}
		out := True
		for i := range x.n {
			f.charge(1)
			if out = and(out, f.equal(x.at(i), y.at(i), depth+1)); out == False {
				return False
			}
		}
		return out
	}
	if x, ok := mapOf(a); ok {
		y, ok := mapOf(b)
		return f.equalMaps(x, y, ok, depth)
	}
	if reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.TypeOf(a).Comparable() {
		return truth(a == b)
	}
	return False
}

func (f *frame) equalMaps(x, y map[string]any, ok bool, depth int) Truth {
	if !ok || len(x) != len(y) {
		return False
	}
	out := True
	for k, v := range x {
		f.charge(1)
		w, has := y[k]
		if !has {
			return False
		}
		if out = and(out, f.equal(v, w, depth+1)); out == False {
			return False
		}
	}
	return out
}

func truth(b bool) Truth {
	if b {
		return True
	}
	return False
}

func and(a, b Truth) Truth {
	switch {
	case a == False || b == False:
		return False
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return True
}

func or(a, b Truth) Truth { return not(and(not(a), not(b))) }

func not(a Truth) Truth {
	switch a {
	case True:
		return False
	case False:
		return True
	}
	return Unknown
}
