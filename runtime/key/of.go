package key

import (
	"bytes"
	"fmt"
	"reflect"
	"sort"
)

// Of is the key of any parts, in order. Structs go by field names and values
// without the fields tagged key:"-", maps by sorted keys. A nil pointer or
// interface is absent and differs from every value; a nil list equals an empty
// one. Whole numbers and floats differ, the width of a number does not count.
// A function or a channel has no identity: passing one is a mistake of the
// program, and Of panics.
func Of(parts ...any) Key {
	e := begin("of")
	e.open(tagList, len(parts))
	for _, p := range parts {
		e.value(p)
	}
	return e.sum()
}

// value writes what task data and plans hold, without reflection where it can.
func (e *encoder) value(v any) {
	switch x := v.(type) {
	case nil:
		e.null()
	case bool:
		e.flag(x)
	case int:
		e.int(int64(x))
	case float64:
		e.float(x)
	case string:
		e.str(x)
	case []any:
		e.open(tagList, len(x))
		for _, m := range x {
			e.value(m)
		}
	case map[string]any:
		e.record(x)
	default:
		e.reflect(reflect.ValueOf(v))
	}
}

func (e *encoder) record(m map[string]any) {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	e.open(tagMap, len(m))
	for _, n := range names {
		e.str(n)
		e.value(m[n])
	}
}

func (e *encoder) reflect(v reflect.Value) {
	switch v.Kind() {
	case reflect.Invalid:
		e.null()
	case reflect.Bool:
		e.flag(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.String:
		e.str(v.String())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			e.null()
			return
		}
		e.reflect(v.Elem())
	case reflect.Slice, reflect.Array:
		e.open(tagList, v.Len())
		for i := range v.Len() {
			e.reflect(v.Index(i))
		}
	case reflect.Map:
		e.reflectMap(v)
	case reflect.Struct:
		e.reflectStruct(v)
	default:
		panic(fmt.Sprintf("key: a %s has no identity", v.Kind()))
	}
}

// reflectMap sorts by the written form of the keys. For strings that is by
// length first, which record must not do: so string keys sort as strings.
func (e *encoder) reflectMap(v reflect.Value) {
	type entry struct {
		name string
		key  []byte
		val  reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		var one encoder
		one.reflect(it.Key())
		n := entry{key: one.b, val: it.Value()}
		if it.Key().Kind() == reflect.String {
			n.name = it.Key().String()
		}
		entries = append(entries, n)
	}
	sort.Slice(entries, func(i, j int) bool {
		if a, b := entries[i].name, entries[j].name; a != b {
			return a < b
		}
		return bytes.Compare(entries[i].key, entries[j].key) < 0
	})
	e.open(tagMap, len(entries))
	for _, n := range entries {
		e.b = append(e.b, n.key...)
		e.reflect(n.val)
	}
}

func (e *encoder) reflectStruct(v reflect.Value) {
	t := v.Type()
	n := 0
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("key") != "-" {
			n++
		}
	}
	e.open(tagStruct, n)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("key") == "-" {
			continue
		}
		e.str(f.Name)
		e.reflect(v.Field(i))
	}
}
