package typing

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/lang/ast"
	"parley/runtime/eval"
	"parley/runtime/segment"
)

type person struct{ name string }

func (p person) Field(name string) (any, bool) { return p.name, name == "name" }
func (p person) Key() string                   { return p.name }

// conforms reports whether a value is one of a type.
func conforms(v any, t Type) bool {
	if _, missing := v.(eval.Missing); missing || t.Kind == Open || t.Kind == Unknown {
		return true // what is missing has no type: conditions on it are unknown
	}
	if v == nil {
		return t.Optional || t.Kind == Nil
	}
	switch x := v.(type) {
	case bool:
		return t.Kind == Bool
	case int:
		return isNumeric(t.Kind)
	case float64:
		return t.Kind == Number
	case string, segment.Text:
		return t.Kind == String
	case person:
		return t.Kind == Agent
	case eval.Group:
		return t.Kind == Group || t.Kind == List && t.Why != ""
	case []any:
		if t.Kind != List {
			return false
		}
		for _, e := range x {
			if !conforms(e, t.elem()) {
				return false
			}
		}
		return true
	case map[string]any:
		if t.Kind == Table {
			return true
		}
		for n, f := range x {
			if ft, ok := t.Fields[n]; !ok || !conforms(f, ft) {
				return false
			}
		}
		return t.Kind == Record
	}
	return false
}

// What typing accepts evaluates to a value of the type that typing says.
func TestSoundness(t *testing.T) {
	env := &Env{
		Names: map[string]Type{
			"i": IntType, "x": NumberType, "s": StringType, "b": BoolType, "o": StringType.Maybe(), "is": ListOf(IntType), "ss": ListOf(StringType), "g": GroupOf("g", 2), "p": AgentType,
			"r": RecordOf("", map[string]Type{"a": IntType, "n": StringType.Maybe(), "l": ListOf(BoolType)}), "rs": ListOf(RecordOf("", map[string]Type{"a": IntType})), "t": TableOf(IntType),
		},
		Agent: map[string]Type{"name": StringType},
	}
	one, two := person{"one"}, person{"two"}
	values := eval.Map{
		"i": 2, "x": 1.5, "s": "abc", "b": true, "o": nil, "is": []any{3, 1, 2}, "ss": []any{"u", "v"}, "g": eval.Group{Name: "g", Members: []any{one, two}}, "p": two,
		"r": map[string]any{"a": 1, "n": nil, "l": []any{true, false}}, "rs": []any{map[string]any{"a": 4}}, "t": map[string]any{"k": 7},
	}
	typed := 0
	law := func(t *rapid.T) {
		src := someExpression(t, rapid.IntRange(0, 3).Draw(t, "depth"), false)
		got, problems := Check(&ast.Expr{Cooked: src}, env, OpenType)
		if len(problems) > 0 {
			return
		}
		typed++
		p, err := eval.Compile(src, nil)
		if err != nil {
			t.Fatalf("%s: typing accepts it, compiling says %v", src, err)
		}
		v, err := p.Eval(context.Background(), values, nil)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if !conforms(v, got.Type) {
			t.Fatalf("%s is %v (%T), typing says %v, optional %v", src, v, v, got.Type, got.Type.Optional)
		}
		for name, fields := range got.Reads {
			if _, ok := env.Names[name]; !ok || len(fields) == 0 {
				t.Fatalf("%s reads %s %v", src, name, fields)
			}
		}
	}
	// How many of the drawn expressions have a type is chance too.
	for range 10 {
		if rapid.Check(t, law); typed >= 30 {
			break
		}
	}
	if typed < 30 {
		t.Errorf("only %d of the expressions had a type", typed)
	}
}

func someExpression(t *rapid.T, d int, elem bool) string {
	pick := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "part") }
	if d <= 0 {
		leaves := []string{"i", "x", "s", "b", "o", "is", "ss", "g", "p", "r", "rs", "t", "1", "2.5", `"q"`, "true", "nil", "[]"}
		if elem {
			leaves = append(leaves, "#", ".a", "#", ".name", "#index")
		}
		return pick(leaves...)
	}
	sub := func() string { return someExpression(t, d-1, elem) }
	switch rapid.IntRange(0, 9).Draw(t, "form") {
	case 0:
		return fmt.Sprintf("(%s %s %s)", sub(), pick("+", "-", "*", "/", "%", "..", "**"), sub())
	case 1:
		return fmt.Sprintf("(%s %s %s)", sub(), pick("==", "!=", "<", ">=", "in", "contains", "&&", "||"), sub())
	case 2:
		return fmt.Sprintf("(%s ?? %s)", sub(), sub())
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", pick("b", "i > 1", sub()), sub(), sub())
	case 4:
		return fmt.Sprintf("%s(%s)", pick("len", "first", "last", "reverse", "uniq", "flatten", "max", "mean", "upper", "int", "string", "majority", "names", "sum", "count", "fold", "lines", "abs", "round"), sub())
	case 5:
		return fmt.Sprintf("%s(%s, %s)", pick("any", "all", "filter", "map", "find", "count", "sum", "sortBy", "none", "findIndex"), pick("is", "ss", "g", "rs", "[p]", sub()), someExpression(t, d-1, true))
	case 6:
		return fmt.Sprintf("%s(%s, %s)", pick("take", "concat", "same", "split", "join", "min", "mentions", "render"), sub(), sub())
	case 7:
		return fmt.Sprintf("%s[%s]", pick("is", "g", "rs", "t", sub()), pick("0", "1", "1..2", sub()))
	case 8:
		return fmt.Sprintf("%s%s", pick("r", "p", "g[1]", "rs[0]", sub()), pick(".a", ".n", ".l", ".name", "?.a", "?.n"))
	}
	return fmt.Sprintf("{a: %s, l: [%s]}", sub(), sub())
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{"turns[0].reply.answer", "debater[1..9]", "(let a = 1; a.b)", `"x" in {a: 1}`, "reduce(turns, #acc, 1)", "a?.b[0](1)", "#", "sum(1..3)"} {
		f.Add(s)
	}
	env := testEnv()
	f.Fuzz(func(t *testing.T, src string) {
		got, problems := Check(&ast.Expr{Cooked: src, Span: ast.Span{End: len(src)}}, env, BoolType)
		for _, p := range problems {
			if p.Message == "" || p.Code == "" || p.Span.End < p.Span.Start {
				t.Fatalf("%q: %+v", src, p)
			}
		}
		if len(problems) > 0 {
			return
		}
		form, err := got.Canonical(env.Values)
		if err != nil {
			return
		}
		if again, err := Canonical(form, nil); err != nil || again != form {
			t.Fatalf("%q: %s, then %s, %v", src, form, again, err)
		}
	})
}
