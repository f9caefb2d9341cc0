package diff

import (
	"fmt"
	"sort"
	"strings"

	"parley/runtime"
	"parley/runtime/eval"
)

// Fact is one thing that a compiled scenario says: of what, which attribute, and
// its value in canonical form. Facts carry no places, no comments and no names
// that reach nobody, so equal facts mean equal experiments.
type Fact struct {
	Subject string // agent debater[2], step decide, tool send_money, score asr
	Name    string // system, tools, allow write
	Value   string
	kind    factKind
	// conds gives each element of a set its condition; "" always holds.
	conds map[string]string
}

// factKind says how two values of a fact are compared and in which words.
type factKind int

const (
	plain   factKind = iota // a value: other or not
	text                    // a text for a model
	grants                  // a set: more of it gives somebody more reach
	holds                   // a condition under which something bad is counted or done
	guards                  // a condition under which a defense looks
	level                   // an attack's level
	strike                  // what an attack does: other means another attack
	size                    // how many members a group has
	list                    // lines whose order matters
	records                 // digests of rows of data
	counts                  // what a predicate or score counts
)

func (f Fact) key() string { return f.Subject + "\x00" + f.Name }

// Facts are the facts of one configuration, in reading order.
type Facts struct {
	list  []Fact
	index map[string]int
}

func (f *Facts) add(subject, name, value string, kind factKind) {
	if value != "" {
		f.put(Fact{Subject: subject, Name: name, Value: value, kind: kind})
	}
}

func (f *Facts) put(fact Fact) {
	if f.index == nil {
		f.index = map[string]int{}
	}
	if i, twice := f.index[fact.key()]; twice {
		f.list[i].Value += "\n" + fact.Value
		for k, v := range fact.conds {
			f.list[i].conds[k] = v
		}
		return
	}
	f.index[fact.key()] = len(f.list)
	f.list = append(f.list, fact)
}

func (f *Facts) get(key string) (Fact, bool) {
	i, ok := f.index[key]
	if !ok {
		return Fact{}, false
	}
	return f.list[i], true
}

// set adds a set with the condition that each element has.
func (f *Facts) set(subject, name string, conds map[string]string) {
	if len(conds) == 0 {
		return
	}
	keys := make([]string, 0, len(conds))
	for k := range conds {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var lines []string
	for _, k := range keys {
		lines = append(lines, whenever(k, conds[k]))
	}
	f.put(Fact{Subject: subject, Name: name, Value: strings.Join(lines, "\n"), kind: grants, conds: conds})
}

func always(names ...string) map[string]string {
	out := map[string]string{}
	for _, n := range names {
		out[n] = ""
	}
	return out
}

func whenever(what, cond string) string {
	if cond == "" {
		return what
	}
	return what + " when " + cond
}

// Lines writes the facts one a line, as `git diff` shows them.
func (f *Facts) Lines() []string {
	var out []string
	for _, x := range f.list {
		value := x.Value
		if x.kind == text || x.kind == strike || x.kind == plain {
			value = eval.Written(value)
		}
		for _, line := range strings.Split(value, "\n") {
			out = append(out, fmt.Sprintf("%s / %s = %s", x.Subject, x.Name, line))
		}
	}
	return out
}

// program adds what an arm's program says, without its patches.
func (f *Facts) program(prefix string, p *runtime.Program) {
	for _, g := range p.Groups {
		f.add(prefix+"group "+g.Name, "members", fmt.Sprint(len(g.Members)), size)
	}
	for _, a := range p.Agents {
		subject := prefix + "agent " + a.Name
		f.add(subject, "exists", "yes", plain)
		f.add(subject, "group", a.Group, plain)
		f.add(subject, "role", a.Role, plain)
		f.add(subject, "twin of", a.Like, plain)
		f.attrs(subject, a.Attrs, p)
	}
	edges := map[string]string{}
	for _, e := range p.Edges {
		edges[e.From+" -> "+e.To] = ""
	}
	f.set(prefix+"edges", "who hears whom", edges)
	f.steps(prefix, p.Turns, p)
	f.add(prefix+"turns", "order", strings.Join(outline(p.Turns, ""), "\n"), list)
	if p.TurnLimit > 0 {
		f.add(prefix+"turns", "limit", fmt.Sprint(p.TurnLimit), plain)
	}
	f.add(prefix+"team", "answer", p.Answer.Src, plain)
	for _, t := range p.Tools {
		f.tool(prefix, t)
	}
	f.world(prefix, p.World)
	for _, d := range p.Defenses {
		f.defense(prefix, d, p)
	}
}

// defense adds a defense: its agents, its texts and its hooks.
func (f *Facts) defense(prefix string, d runtime.Defense, p *runtime.Program) {
	subject := prefix + "defense " + d.Name
	f.add(subject, "exists", "yes", plain)
	for _, g := range d.Groups {
		f.add(subject, "group "+g.Name, fmt.Sprint(len(g.Members)), plain)
	}
	for _, a := range d.Agents {
		f.attrs(subject+" agent "+a.Name, a.Attrs, p)
	}
	for i, t := range d.Texts {
		name := fmt.Sprintf("%s %s (%d)", t.Op, t.Slot, i+1)
		f.add(subject, name, whenever(t.Value.Src, t.When.Src), text)
		f.set(subject, name+" guards", always(t.Agents...))
	}
	for i, h := range d.Hooks {
		name := fmt.Sprintf("%s (%d)", h.Point, i+1)
		f.add(subject, name+" when", orTrue(h.When.Src), guards)
		f.add(subject, name, strings.Join(outline(h.Body, ""), "\n"), list)
		f.set(subject, name+" guards", always(h.Agents...))
		f.steps(subject+" ", h.Body, p)
	}
}

func (f *Facts) attrs(subject string, a runtime.Attrs, p *runtime.Program) {
	if m, ok := p.Models[a.Model]; ok {
		f.add(subject, "model", modelText(m), plain)
	}
	if a.Temperature != nil {
		f.add(subject, "temperature", fmt.Sprintf("%g", *a.Temperature), plain)
	}
	if a.MaxTokens > 0 {
		f.add(subject, "max_tokens", fmt.Sprint(a.MaxTokens), plain)
	}
	f.add(subject, "system", a.System.Src, text)
	f.add(subject, "prompt", a.Prompt.Src, text)
	if a.Tools != nil {
		f.set(subject, "tools", always(a.Tools.Names...))
		if a.Tools.Limit > 0 {
			f.add(subject, "tool rounds", fmt.Sprintf("%d then %s", a.Tools.Limit, a.Tools.Then), plain)
		}
		f.add(subject, "last order", a.Tools.Order.Src, text)
	}
	if a.Replies != nil {
		f.add(subject, "replies", shapeText(*a.Replies), plain)
	}
	if r := a.Remembers; r != nil {
		switch {
		case r.All:
			f.add(subject, "remembers", "all", plain)
		case r.Last > 0:
			f.add(subject, "remembers", fmt.Sprintf("last %d", r.Last), plain)
		default:
			f.add(subject, "remembers", "nothing", plain)
		}
	}
	f.add(subject, "shares", a.Shares, plain)
	if a.Aside {
		f.add(subject, "aside", "yes", plain)
	}
	f.add(subject, "where", a.Where.Src, plain)
	if a.Try > 0 {
		f.add(subject, "tries", fmt.Sprint(a.Try), plain)
	}
	f.add(subject, "said where it does not hold", a.WhereElse.Src, text)
	if a.Repairs != nil {
		f.add(subject, "repairs", fmt.Sprint(*a.Repairs), plain)
	}
	f.add(subject, "said where the reply is unreadable", a.RepliesElse.Src, text)
	f.add(subject, "hands over to", a.Handoff.Src, plain)
}

// steps adds the attributes of every step of a turn program.
func (f *Facts) steps(prefix string, body []runtime.Stmt, p *runtime.Program) {
	for _, s := range body {
		if s.Kind == runtime.StepStmt {
			f.attrs(prefix+"step "+s.Name, s.Attrs, p)
		}
		f.steps(prefix, s.Body, p)
		f.steps(prefix, s.Elses, p)
	}
}

// outline writes a turn program or a tool's body as lines.
func outline(body []runtime.Stmt, margin string) []string {
	var out []string
	for _, s := range body {
		words := []string{string(s.Kind)}
		if s.Kind == runtime.StepStmt {
			words = []string{s.Name + ":"}
		} else if s.Name != "" {
			words = append(words, s.Name)
		}
		if s.Each {
			words = append(words, "each")
		}
		for _, e := range append(append([]runtime.Expr{s.Who}, s.Target...), s.Expr) {
			if !e.Absent() {
				words = append(words, e.Src)
			}
		}
		if !s.Until.Absent() {
			words = append(words, "until "+s.Until.Src)
		}
		if !s.Else.Absent() {
			words = append(words, "else "+s.Else.Src)
		}
		out = append(out, margin+strings.Join(words, " "))
		out = append(out, outline(s.Body, margin+"  ")...)
		if len(s.Elses) > 0 {
			out = append(append(out, margin+"else"), outline(s.Elses, margin+"  ")...)
		}
	}
	return out
}

func (f *Facts) tool(prefix string, t runtime.Tool) {
	subject := prefix + "tool " + t.Name
	f.add(subject, "description", t.About, text)
	f.add(subject, "class", t.Class, plain)
	var params []string
	for _, p := range t.Params {
		params = append(params, p.Name+": "+shapeText(p.Shape))
	}
	f.add(subject, "parameters", strings.Join(params, ", "), plain)
	f.add(subject, "reads", sources(t.Reads), strike)
	f.add(subject, "writes", sources(t.Writes), strike)
	f.add(subject, "body", strings.Join(outline(t.Body, ""), "\n"), list)
	f.set(subject, "offered beside to", always(t.For...))
}

func sources(list []runtime.Expr) string {
	var out []string
	for _, e := range list {
		out = append(out, eval.Written(e.Src))
	}
	return strings.Join(out, ", ")
}
