package world

import (
	"reflect"
	"slices"
	"strconv"

	"parley/runtime/trace"
)

// Change is one place in which two snapshots differ. Before or After is nil
// where the place exists on one side only.
type Change struct {
	Target        string // state.payments[2].amount, files["a.txt"]
	Before, After any
}

// Diff lists where two snapshots differ: state, files, pages, mails, by name and
// position. A test uses it to show that an attack changed one slot and no more.
func Diff(before, after *trace.World) []Change {
	if before == nil {
		before = &trace.World{}
	}
	if after == nil {
		after = &trace.World{}
	}
	var out []Change
	out = diffMaps(out, before.State, after.State, func(name string) string { return "state." + name })
	for _, part := range []string{"files", "pages", "mails"} {
		out = diffMaps(out, named(before, part), named(after, part), func(name string) string {
			return part + "[" + strconv.Quote(name) + "]"
		})
	}
	return out
}

// named are the files or pages by name, or the mails by id.
func named(w *trace.World, part string) map[string]any {
	v, _ := w.Field(part)
	if byName, ok := v.(map[string]any); ok {
		return byName
	}
	out := map[string]any{}
	for _, m := range v.([]any) {
		mail := m.(map[string]any)
		out[mail["id"].(string)] = mail
	}
	return out
}

func diffMaps(out []Change, a, b map[string]any, target func(string) string) []Change {
	var names []string
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		if _, both := a[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		out = diffValues(out, a[name], b[name], target(name))
	}
	return out
}

func diffValues(out []Change, a, b any, at string) []Change {
	if m, ok := a.(map[string]any); ok {
		if n, ok := b.(map[string]any); ok {
			return diffMaps(out, m, n, func(name string) string { return at + "." + name })
		}
	}
	if l, ok := a.([]any); ok {
		if m, ok := b.([]any); ok {
			for i := range max(len(l), len(m)) {
				out = diffValues(out, element(l, i), element(m, i), at+"["+strconv.Itoa(i)+"]")
			}
			return out
		}
	}
	if reflect.DeepEqual(a, b) {
		return out
	}
	return append(out, Change{at, a, b})
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}
