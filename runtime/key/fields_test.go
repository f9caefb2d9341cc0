package key_test

import (
	"fmt"
	"reflect"
	"testing"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
)

// decision says, by type and field, whether a change of the field changes the
// key. A field that nobody decided on fails the test.
type decision map[string]map[string]bool

func TestArmKeyByField(t *testing.T) {
	type arm struct {
		Program runtime.Program
		Scripts []runtime.Script
	}
	yes, no := true, false
	shape := map[string]bool{"Kind": yes, "Optional": yes, "Elem": yes, "Fields": yes, "Values": yes}
	checkFields(t, decision{
		"arm":       {"Program": yes, "Scripts": yes},
		"Program":   {"Agents": yes, "Groups": yes, "Edges": yes, "Tools": yes, "Turns": yes, "TurnLimit": yes, "Answer": yes, "World": yes, "Patches": yes, "Defenses": yes, "Models": yes},
		"Defense":   {"Name": no, "Agents": yes, "Groups": yes, "Texts": yes, "Hooks": yes},
		"GuardText": {"Op": yes, "Slot": yes, "Agents": yes, "Value": yes, "When": yes},
		"Hook":      {"Point": yes, "Agents": yes, "When": yes, "Body": yes, "At": no},
		"Agent":     {"Name": yes, "Group": yes, "Index": yes, "About": yes, "Role": yes, "Honest": no, "Like": yes, "Attrs": yes},
		"Group":     {"Name": yes, "Members": yes},
		"Edge":      {"From": yes, "To": yes},
		"Attrs": {
			"Model": yes, "Temperature": yes, "MaxTokens": yes, "System": yes, "Prompt": yes, "Tools": yes, "Replies": yes,
			"Remembers": yes, "Shares": yes, "Aside": yes, "Where": yes, "Try": yes, "WhereElse": yes, "Repairs": yes, "RepliesElse": yes, "Handoff": yes,
		},
		"Remember": {"All": yes, "Last": yes},
		"ToolUse":  {"Names": yes, "Own": yes, "Limit": yes, "Then": yes, "Order": yes},
		"Tool":     {"Name": yes, "About": yes, "Params": yes, "Reads": yes, "Writes": yes, "Class": yes, "Body": yes, "Payload": no, "For": yes},
		"Stmt": {
			"Kind": yes, "Path": no, "At": no, "Name": yes, "Each": yes, "Many": yes, "Who": yes, "Attrs": yes, "Expr": yes, "Until": yes,
			"Else": yes, "Target": yes, "Body": yes, "Elses": yes,
		},
		"Expr":       {"Src": yes, "At": no},
		"World":      {"State": yes, "Files": yes, "Mails": yes, "Pages": yes, "Holes": yes, "Corpus": yes, "Allow": yes},
		"StateField": {"Name": yes, "Shape": yes, "Init": yes},
		"File":       {"Path": yes, "Text": yes},
		"Mail":       {"ID": yes, "From": yes, "Subject": yes, "Body": yes},
		"Hole":       {"Name": yes, "Default": yes},
		"Corpus":     {"Owners": yes, "Docs": yes, "From": yes, "Top": yes, "Truncate": yes},
		"Document":   {"ID": yes, "Title": yes, "Text": yes},
		"Allow":      {"Write": yes, "URIs": yes, "By": yes, "When": yes},
		"Patch": {
			"ID": no, "Attack": no, "Level": yes, "Goal": no, "Op": yes, "Slot": yes, "Agents": yes, "Name": yes, "Value": yes, "When": yes,
			"URI": yes, "Edges": yes, "Call": yes, "Delay": yes, "Unit": yes, "Model": yes, "Placebo": yes, "Obeyed": yes,
		},
		"Obeyed":      {"Tool": yes, "Args": yes, "Calls": yes, "Reply": yes},
		"Script":      {"Agents": yes, "Entries": yes, "Repeat": yes},
		"ScriptEntry": {"Reply": yes, "Calls": yes, "Contains": yes},
		"ScriptCall":  {"Tool": yes, "Args": yes},
		"Shape":       shape,
		"Field":       {"Name": yes, "Shape": yes, "HasDefault": yes, "Default": yes},
		"Spec":        {"Provider": yes, "Name": yes, "BaseURL": yes, "Temperature": yes, "MaxTokens": yes, "Params": yes},
	}, func(a *arm) any { return key.Arm(&a.Program, a.Scripts) })
}

func TestTrialKeyByField(t *testing.T) {
	all := map[string]bool{
		"Engine": true, "Arm": true, "Fields": true, "Allow": true, "Case": true, "Repeat": true, "Seed": true,
		"Stream": true, "Revisions": true, "Catalogue": true,
	}
	checkFields(t, decision{"TrialParts": all}, func(p *key.TrialParts) any { return key.Trial(*p) })
}

// entry is everything that draws are made of.
type entry struct {
	Table    key.Table
	Position string
	Spec     model.Spec
	Revision string
	Request  model.Request
	Agent    string
	Name     string
}

var table = map[string]bool{"Seed": true, "Stream": true, "Case": true, "Repeat": true}

func TestCallKeyByField(t *testing.T) {
	yes, no := true, false
	checkFields(t, decision{
		"entry": {"Table": yes, "Position": yes, "Spec": yes, "Revision": yes, "Request": yes, "Agent": no, "Name": no},
		"Table": table,
		"Spec":  {"Provider": yes, "Name": yes, "BaseURL": yes, "Temperature": no, "MaxTokens": no, "Params": no},
		"Request": {
			"Model": yes, "Messages": yes, "Tools": yes, "Replies": yes, "Temperature": yes, "MaxTokens": yes,
			"Seed": no, "User": no,
		},
		"Message":  {"Role": yes, "Name": yes, "Content": yes, "ToolCalls": yes, "ToolCallID": no},
		"Tool":     {"Name": yes, "Description": yes, "Params": yes},
		"ToolCall": {"ID": no, "Name": yes, "Args": yes},
		"Shape":    {"Kind": yes, "Optional": yes, "Elem": yes, "Fields": yes, "Values": yes},
		"Field":    {"Name": yes, "Shape": yes, "HasDefault": yes, "Default": yes},
	}, func(e *entry) any { return e.Table.Call(e.Position, &e.Spec, e.Revision, &e.Request) })
}

func TestDrawKeysByField(t *testing.T) {
	yes, no := true, false
	for name, draw := range map[string]struct {
		counts map[string]bool
		of     func(*entry) any
	}{
		"seed": {
			map[string]bool{"Table": yes, "Position": yes},
			func(e *entry) any { return e.Table.ProviderSeed(e.Position) },
		},
		"user": {
			map[string]bool{"Table": yes, "Agent": yes},
			func(e *entry) any { return e.Table.User(e.Agent) },
		},
		"chance": {
			map[string]bool{"Table": yes, "Position": yes, "Name": yes},
			func(e *entry) any { return e.Table.Chance(e.Position, e.Name) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			of := map[string]bool{
				"Table": no, "Position": no, "Spec": no, "Revision": no, "Request": no, "Agent": no, "Name": no,
			}
			for f, counts := range draw.counts {
				of[f] = counts
			}
			want := decision{"entry": of}
			if of["Table"] {
				want["Table"] = table
			}
			checkFields(t, want, draw.of)
		})
	}
}

// checkFields fills a value, changes each field of each type in turn and
// compares the keys. Below a field that does not count nothing is looked at.
func checkFields[T any](t *testing.T, want decision, of func(*T) any) {
	t.Helper()
	build := func() *T {
		v := new(T)
		n := 0
		fill(reflect.ValueOf(v).Elem(), &n, 0)
		return v
	}
	before := of(build())
	if before != of(build()) {
		t.Fatal("equal values have different keys")
	}
	seen := map[string]bool{}
	visit(reflect.ValueOf(build()).Elem(), nil, func(path []int, owner reflect.Type, field reflect.StructField) bool {
		name := owner.Name() + "." + field.Name
		counts, decided := want[owner.Name()][field.Name]
		if !decided {
			t.Errorf("nobody decided whether %s enters the key", name)
			return false
		}
		if seen[name] {
			return counts
		}
		changed := build()
		v, after := at(reflect.ValueOf(changed).Elem(), path)
		if v.IsZero() { // here a recursive type ends
			return false
		}
		seen[name] = true
		change(v, after)
		if (of(changed) != before) != counts {
			t.Errorf("%s: a change of it changes the key: %v, want %v", name, !counts, counts)
		}
		return counts
	})
	for typ, fields := range want {
		for f := range fields {
			if name := typ + "." + f; !seen[name] {
				t.Errorf("%s was not reached", name)
			}
		}
	}
}

// fill gives every field a value of its own; recursive types end at some depth.
func fill(v reflect.Value, n *int, depth int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString(fmt.Sprint("s", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n % 256))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Interface:
		v.Set(reflect.ValueOf(fmt.Sprint("any", *n)))
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n, depth)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n, depth+1)
		}
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if depth > 8 {
			return
		}
		fillNested(v, n, depth)
	default:
		panic("fill: " + v.Kind().String())
	}
}

func fillNested(v reflect.Value, n *int, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), n, depth+1)
	case reflect.Map:
		val := reflect.New(v.Type().Elem()).Elem()
		fill(val, n, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf(fmt.Sprint("k", *n)), val)
	}
}

// visit offers every struct field with the way to it: field numbers, and -1
// into pointers and lists.
func visit(v reflect.Value, path []int, f func([]int, reflect.Type, reflect.StructField) bool) {
	step := func(i int) []int { return append(append([]int(nil), path...), i) }
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f(step(i), v.Type(), v.Type().Field(i)) {
				visit(v.Field(i), step(i), f)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			visit(v.Elem(), step(-1), f)
		}
	case reflect.Slice:
		if v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct {
			visit(v.Index(0), step(-1), f)
		}
	case reflect.Map:
		// A map's values cannot be set in place: see visitMapped.
		for it := v.MapRange(); it.Next() && it.Value().Kind() == reflect.Struct; {
			visitMapped(it.Value(), path, f)
		}
	}
}

// visitMapped looks at the fields of the one struct in a map.
func visitMapped(v reflect.Value, path []int, f func([]int, reflect.Type, reflect.StructField) bool) {
	for i := range v.NumField() {
		f(append(append([]int(nil), path...), -2, i), v.Type(), v.Type().Field(i))
	}
}

func at(v reflect.Value, path []int) (reflect.Value, func()) {
	after := func() {}
	for _, i := range path {
		switch {
		case i == -2:
			m, name := v, v.MapKeys()[0]
			one := reflect.New(m.Type().Elem()).Elem()
			one.Set(m.MapIndex(name))
			after = func() { m.SetMapIndex(name, one) }
			v = one
		case i >= 0:
			v = v.Field(i)
		case v.Kind() == reflect.Slice:
			v = v.Index(0)
		default:
			v = v.Elem()
		}
	}
	return v, after
}

// change makes a value differ; what holds others is emptied.
func change(v reflect.Value, after func()) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Interface:
		v.Set(reflect.ValueOf(1.5))
	default:
		v.SetZero()
	}
	after()
}
