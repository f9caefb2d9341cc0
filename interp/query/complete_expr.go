package query

import (
	"strings"

	"parley/interp/build"
	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/lex"
)

// expression completes within an expression.
func (a *asker) expression() {
	if e, t, ok := a.f.typedAt(a.at + 1); ok {
		for _, p := range typing.Trace(e, t.env, t.want) {
			if p.Name == stand && a.part(t.env, p) {
				return
			}
		}
	}
	if chain := a.tail(); len(chain) > 0 {
		a.guessField(chain)
		return
	}
	a.guessNames()
}

// part completes the part that the cursor stands at; false where nothing is known.
func (a *asker) part(env *typing.Env, p typing.Part) bool {
	if p.Kind == typing.FieldPart {
		known := env.FieldsOf(p.Base)
		for name, t := range known {
			a.add(FieldItem, 0, name, Written(t), fieldDoc(p.Base, name))
		}
		return len(known) > 0
	}
	if p.Kind != typing.NamePart && p.Kind != typing.FunctionPart {
		return false
	}
	for name, t := range p.Lets {
		a.add(NameItem, 0, name, Written(t), "")
	}
	open := 0
	for name, t := range env.Names {
		if t.Kind == typing.Open {
			open++
		}
		a.name(name, Written(t))
	}
	if p.Elem != nil {
		a.add(NameItem, 0, "#", Written(*p.Elem), "The element that is looked at.")
		for name, t := range env.FieldsOf(*p.Elem) {
			a.add(FieldItem, 0, "."+name, Written(t), fieldDoc(*p.Elem, name))
		}
	}
	a.functions(env.Functions)
	if open > len(env.Names)/2 {
		a.guessNames()
	}
	return true
}

// name adds a name of an expression with what is known of it.
func (a *asker) name(name, detail string) {
	if doc, ok := standing[name]; ok {
		a.add(NameItem, 1, name, detail, doc)
		return
	}
	if syms := a.r.lookup(nil, name); len(syms) > 0 {
		a.add(ItemKind(syms[0].Kind), 0, name, detail, syms[0].Doc)
		return
	}
	a.add(NameItem, 0, name, detail, "")
}

func (a *asker) functions(open map[string]bool) {
	engine := map[string]bool{}
	for _, f := range typing.EngineFunctions {
		engine[f] = true
	}
	for name, fn := range functions {
		if open == nil || !engine[name] || open[name] {
			a.add(FunctionItem, 2, name, fn.form, fn.says)
		}
	}
}

// guessNames completes a name where the place of the expression is not known well.
func (a *asker) guessNames() {
	for _, kind := range []Kind{Parameter, Agent, Label, Predicate, Estimate} {
		a.symbols(0, a.all(kind))
	}
	for name, doc := range standing {
		if name != "judge" || len(a.f.main.Names(load.Judge)) > 0 {
			a.add(NameItem, 1, name, "", doc)
		}
	}
	a.functions(nil)
}

// tail are the names before the cursor's dot, inside of strings too.
func (a *asker) tail() []string {
	text := a.f.main.Source.Text[:a.at]
	var out []string
	for strings.HasSuffix(text, ".") {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "."), "?")
		for strings.HasSuffix(text, "]") {
			i := strings.LastIndexByte(text, '[')
			if i < 0 {
				return out
			}
			text = text[:i]
		}
		from, _ := wordAround(text, len(text))
		if from == len(text) {
			break
		}
		out = append([]string{text[from:]}, out...)
		text = text[:from]
	}
	return out
}

// guessField completes a field by the names before it.
func (a *asker) guessField(chain []string) {
	last := chain[len(chain)-1]
	switch last {
	case "reply":
		for _, s := range a.repliers(chain) {
			for _, t := range s.replies {
				a.recordFields(t)
			}
		}
		return
	case "state":
		a.symbols(0, a.all(State))
		return
	case "hole":
		a.symbols(0, a.all(Hole))
		return
	case "task":
		a.symbols(0, a.all(TaskField))
		a.words("prompt", "answer", "wrong")
		return
	case "attack":
		a.symbols(0, a.all(Predicate))
	case "clean", "baseline", "placebo":
		a.symbols(0, a.all(Predicate))
		a.symbols(1, a.all(Label))
		a.words("run")
		return
	case "judge":
		for _, name := range a.f.main.Names(load.Judge) {
			a.add("judge", 0, name, "judge", "")
		}
		return
	}
	thing := map[string]string{"before": "world", "after": "world", "self": "agent", "heard": "message", "agent": "agent", "call": "call", "message": "message", "document": "document", "run": "run", "attack": "attack"}[last]
	if thing == "" && len(a.r.lookup(nil, last, Label)) > 0 {
		thing = "turn"
	}
	if thing == "" && len(a.r.lookup(nil, last, Agent)) > 0 {
		thing = "agent"
	}
	for key, doc := range fields {
		if name, ok := strings.CutPrefix(key, thing+"."); ok {
			a.add(FieldItem, 1, name, "", doc)
		}
	}
}

// repliers are the steps whose reply is read.
func (a *asker) repliers(chain []string) []*Symbol {
	if len(chain) > 1 {
		if syms := a.r.lookup(nil, chain[len(chain)-2], Label); len(syms) > 0 {
			return a.r.speakersOf(syms)
		}
		if syms := a.r.declared(load.Judge, chain[len(chain)-2]); len(syms) > 0 {
			return syms
		}
	}
	return append(a.all(Label), a.all(Agent)...)
}

// levelOf is the level that the attack around is declared at.
func (a *asker) levelOf() string {
	l := a.f.layout()
	for _, b := range l.Bodies {
		if b.In != lex.InFile {
			continue
		}
		for _, it := range b.Items {
			if it.From >= len(l.Tokens) || l.Tokens[it.From].Text != "attack" || l.Tokens[it.From].Start > a.at || l.Tokens[max(it.To-1, it.From)].End < a.at {
				continue
			}
			for i := it.From; i+1 < it.To; i++ {
				if l.Tokens[i].Is("at") && build.LevelOf(l.Tokens[i+1].Text) {
					return l.Tokens[i+1].Text
				}
				if l.Tokens[i].Is("{") {
					break
				}
			}
		}
	}
	return ""
}
