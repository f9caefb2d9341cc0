package typing

import (
	"fmt"
	"maps"
	"sort"

	exprast "github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"

	"parley/lang/diag"
	"parley/runtime/eval"
)

// EngineFunctions are the functions that need a trial; an environment may have
// some of them.
var EngineFunctions = []string{"calls_of", "carried", "chance", "distance", "exposed", "retrieve"}

// Functions lists every function that an expression could call, sorted.
func Functions() []string {
	var names []string
	for n := range signatures {
		names = append(names, n)
	}
	for n := range overLists {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Taken says why a name cannot be given to anything, because a function or an
// operator has it; empty where it is free.
func Taken(name string) string {
	switch name {
	case "not", "in", "or", "and", "matches", "contains", "startsWith", "endsWith", "let", "if", "true", "false", "nil":
		return "is a word of the language"
	}
	if _, ok := builtin.Index[name]; ok {
		return "is the name of a function"
	}
	_, own := signatures[name]
	if _, over := overLists[name]; own || over {
		return "is the name of a function"
	}
	return ""
}

// arg says what an argument may be.
type arg struct {
	kinds []Kind
	what  string
}

var (
	textArg   = arg{[]Kind{String}, "a text"}
	intArg    = arg{[]Kind{Int}, "a whole number"}
	numberArg = arg{[]Kind{Int, Number}, "a number"}
	listArg   = arg{[]Kind{List, Group}, "a list"}
	agentArg  = arg{[]Kind{Agent, String}, "an agent"}
	anyArg    = arg{nil, "a value"}
	wordArg   = arg{[]Kind{String, Agent}, "a text or an agent"}
	countable = arg{[]Kind{String, List, Group, Record, Table}, "a list or a text"}
	readable  = arg{[]Kind{String, Int, Number}, "a number or a text"}
)

// signature is what a function takes and gives. rest repeats the last argument.
type signature struct {
	args   []arg
	opt    int // how many of args may be left out
	rest   bool
	gives  Kind // what the result is whatever the arguments are; empty where it depends
	result func(k *checker, n exprast.Node, args []exprast.Node, types []Type) Type
}

func always(t Type) func(*checker, exprast.Node, []exprast.Node, []Type) Type {
	return func(*checker, exprast.Node, []exprast.Node, []Type) Type { return t }
}

func textual(opt int, args ...arg) signature {
	return signature{args: args, opt: opt, result: always(StringType)}
}

func giving(t Type, args ...arg) signature {
	return signature{args: args, gives: t.Kind, result: always(t)}
}

var documentType = RecordOf("document", map[string]Type{"id": StringType, "title": StringType, "text": StringType, "score": NumberType})

// DocumentFields are those of what retrieve finds.
func DocumentFields() map[string]Type { return maps.Clone(documentType.Fields) }

var signatures = map[string]signature{
	"render": {args: []arg{anyArg}, opt: 1, rest: true, result: always(StringType)},
	"uri":    {args: []arg{anyArg}, rest: true, result: always(StringType)},
	"string": giving(StringType, anyArg),
	"lower":  textual(0, textArg), "upper": textual(0, textArg), "fold": textual(0, textArg),
	"trim": textual(1, textArg, textArg), "trimPrefix": textual(1, textArg, textArg), "trimSuffix": textual(1, textArg, textArg),
	"hasPrefix": giving(BoolType, textArg, textArg), "hasSuffix": giving(BoolType, textArg, textArg),
	"indexOf": giving(IntType, textArg, textArg), "lastIndexOf": giving(IntType, textArg, textArg),
	"split":   {args: []arg{textArg, textArg, intArg}, opt: 1, result: always(ListOf(StringType))},
	"replace": textual(1, textArg, textArg, textArg, intArg),
	"join":    textual(1, listArg, textArg), "lines": textual(0, listArg),
	"len": giving(IntType, countable), "int": giving(IntType, readable), "float": giving(NumberType, readable),
	"abs":  {args: []arg{numberArg}, result: sameNumber},
	"ceil": giving(NumberType, numberArg), "floor": giving(NumberType, numberArg), "round": giving(NumberType, numberArg),
	"min": {args: []arg{anyArg}, rest: true, result: numbers(false)}, "max": {args: []arg{anyArg}, rest: true, result: numbers(false)},
	"mean": {args: []arg{anyArg}, rest: true, result: numbers(true)}, "median": {args: []arg{anyArg}, rest: true, result: numbers(true)},
	"harmonic": {args: []arg{anyArg}, rest: true, result: numbers(true)},
	"first":    {args: []arg{listArg}, result: element}, "last": {args: []arg{listArg}, result: element},
	"majority": {args: []arg{listArg}, result: element},
	"uniq":     {args: []arg{listArg}, result: sameList}, "reverse": {args: []arg{listArg}, result: sameList},
	"take": {args: []arg{listArg, intArg}, result: sameList}, "latest": {args: []arg{listArg}, result: messages},
	"concat": {args: []arg{listArg}, rest: true, result: concatenated}, "flatten": {args: []arg{listArg}, result: flattened},
	"same":     giving(BoolType, anyArg, anyArg),
	"names":    {args: []arg{{[]Kind{List, Group, Agent}, "agents"}}, result: named},
	"mentions": {args: []arg{{[]Kind{List, Group, String, Record}, "a turn, a message, a call or a list of them"}, wordArg}, result: mentioned},
	"exposed":  giving(BoolType, agentArg), "carried": giving(BoolType, agentArg),
	"calls_of": {args: []arg{textArg}, result: callsOf}, "chance": {args: []arg{numberArg}, result: chanceOf},
	"retrieve": giving(ListOf(documentType), textArg), "distance": giving(IntType.Maybe(), agentArg, agentArg),
}

func (k *checker) call(n *exprast.CallNode) Type {
	id, ok := n.Callee.(*exprast.IdentifierNode)
	if !ok {
		if m, method := n.Callee.(*exprast.MemberNode); method && m.Method {
			name := m.Property.(*exprast.StringNode).Value
			return k.fail(m.Property, diag.ExprUnknownFunc, fmt.Sprintf("write %s(…)", name), "values have no functions of their own")
		}
		return k.fail(n.Callee, diag.ExprUnknownFunc, "", "only a function's name can stand before (")
	}
	return k.function(id, id.Value, n.Arguments)
}

func (k *checker) builtin(n *exprast.BuiltinNode) Type {
	if _, ok := overLists[n.Name]; ok {
		return k.overList(n)
	}
	return k.function(n, n.Name, n.Arguments)
}

func (k *checker) function(at exprast.Node, name string, arguments []exprast.Node) Type {
	sig, ok := signatures[name]
	if !ok || k.closed(name) {
		for _, a := range arguments {
			if _, pred := a.(*exprast.PredicateNode); !pred {
				k.infer(a)
			}
		}
		return k.noFunction(at, name)
	}
	k.calls[name] = true
	types := make([]Type, len(arguments))
	for i, a := range arguments {
		types[i] = k.infer(a)
	}
	if least := len(sig.args) - sig.opt; len(arguments) < least || !sig.rest && len(arguments) > len(sig.args) {
		return k.failHead(at, diag.ExprArity, "", "%s takes %s, not %d", name, counted(least, len(sig.args), sig.rest), len(arguments))
	}
	for i := range arguments {
		k.argument(name, arguments[i], types[i], sig.args[min(i, len(sig.args)-1)])
	}
	return sig.result(k, at, arguments, types)
}

// closed reports a function of the engine that does not exist in this place.
func (k *checker) closed(name string) bool {
	for _, f := range EngineFunctions {
		if f == name {
			return k.env.Functions != nil && !k.env.Functions[name]
		}
	}
	return false
}

func (k *checker) noFunction(at exprast.Node, name string) Type {
	if k.closed(name) {
		return k.failHead(at, diag.ExprUnknownFunc, "", "%s cannot be asked here", name)
	}
	if why := eval.Refused(name); why != "" {
		return k.failHead(at, diag.ExprUnknownFunc, "", "%s", why)
	}
	hint := ""
	if near := diag.Nearest(name, Functions()); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return k.failHead(at, diag.ExprUnknownFunc, hint, "there is no function %q", name)
}

func counted(least, most int, rest bool) string {
	switch {
	case rest:
		return fmt.Sprintf("at least %d", least)
	case least == most && most == 1:
		return "1 argument"
	case least == most:
		return fmt.Sprintf("%d arguments", most)
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

func (k *checker) argument(name string, n exprast.Node, t Type, want arg) {
	if want.kinds == nil || t.Kind == Open {
		return
	}
	for _, kind := range want.kinds {
		if t.Kind == kind {
			if want.what == agentArg.what {
				k.vocabulary(AgentType, n)
			}
			return
		}
	}
	if t.Kind == Unknown {
		k.fail(n, diag.ExprTypeLost, t.Why, "%s takes %s, and `%s` is of no known type", name, want.what, eval.Format(n))
		return
	}
	k.fail(n, diag.ExprArgument, "", "%s takes %s, and `%s` is %s", name, want.what, eval.Format(n), t)
}

func sameNumber(_ *checker, _ exprast.Node, _ []exprast.Node, types []Type) Type {
	if types[0].Kind == Int {
		return IntType
	}
	return NumberType
}

// numbers is a function of numbers and lists of numbers.
func numbers(float bool) func(*checker, exprast.Node, []exprast.Node, []Type) Type {
	return func(k *checker, _ exprast.Node, args []exprast.Node, types []Type) Type {
		out := IntType
		for i, t := range types {
			if isList(t) {
				t = t.elem()
			}
			k.need(args[i], t, Number, "as what is counted")
			if t.Kind != Int {
				out = NumberType
			}
		}
		if float {
			return NumberType
		}
		return out
	}
}

// element is one of a list; a list may be empty.
func element(_ *checker, _ exprast.Node, _ []exprast.Node, types []Type) Type {
	return types[0].elem().Maybe()
}

func sameList(_ *checker, _ exprast.Node, _ []exprast.Node, types []Type) Type {
	return ListOf(types[0].elem())
}

func messages(k *checker, _ exprast.Node, args []exprast.Node, types []Type) Type {
	e := types[0].elem()
	if e.Kind != Open {
		_, from := e.Fields["from"]
		_, agent := e.Fields["agent"]
		_, text := e.Fields["text"]
		if !text || !from && !agent {
			k.fail(args[0], diag.ExprArgument, "", "latest takes messages, and `%s` holds none", eval.Format(args[0]))
		}
	}
	return ListOf(e)
}

func concatenated(_ *checker, _ exprast.Node, _ []exprast.Node, types []Type) Type {
	out := types[0].elem()
	for _, t := range types[1:] {
		out = Either(out, t.elem())
	}
	return ListOf(out)
}

func flattened(_ *checker, _ exprast.Node, _ []exprast.Node, types []Type) Type {
	e := types[0].elem()
	for isList(e) {
		e = e.elem()
	}
	return ListOf(e)
}

func named(k *checker, _ exprast.Node, args []exprast.Node, types []Type) Type {
	t := types[0]
	if isList(t) {
		if e := t.elem(); e.Kind != Agent && e.Kind != Open {
			k.fail(args[0], diag.ExprArgument, "", "names takes agents, and `%s` holds none", eval.Format(args[0]))
		}
	}
	return StringType
}

func mentioned(k *checker, _ exprast.Node, args []exprast.Node, types []Type) Type {
	t := types[0]
	if isList(t) {
		t = t.elem()
	}
	_, text := t.Fields["text"]
	if _, result := t.Fields["result"]; result {
		text = true
	}
	if t.Kind != Open && t.Kind != String && !text {
		k.fail(args[0], diag.ExprArgument, "", "mentions looks into texts, turns, messages and calls, and `%s` is none", eval.Format(args[0]))
	}
	return BoolType
}

// chanceOf holds a written probability to what one can be.
func chanceOf(k *checker, _ exprast.Node, args []exprast.Node, _ []Type) Type {
	v, ok := literalOf(args[0])
	if !ok {
		return BoolType
	}
	p := 0.0
	switch v := v.(type) {
	case int:
		p = float64(v)
	case float64:
		p = v
	}
	if p < 0 || p > 1 {
		k.fail(args[0], diag.ExprArgument, "", "a probability is between 0 and 1, and this is %v", v)
	}
	return BoolType
}

func callsOf(k *checker, _ exprast.Node, args []exprast.Node, _ []Type) Type {
	if len(args) == 1 {
		if s, ok := args[0].(*exprast.StringNode); ok {
			k.callsOf = append(k.callsOf, s.Value)
			if k.env.Tools != nil {
				k.vocabulary(Vocabulary("tool", k.env.Tools), s)
			}
		}
	}
	return IntType
}
