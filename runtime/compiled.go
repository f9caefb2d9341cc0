package runtime

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// program is a Program with its expressions compiled and its names resolved.
type program struct {
	src     *Program
	agents  []*actor
	byName  map[string]*actor
	groups  map[string][]*actor
	turns   []*stmt
	answer  *expression
	labels  []string // step labels that the answer reads
	patches []*patch
	tools   map[string]*tool
	hops    map[[2]string]int // lengths of shortest ways along edges
	worldly worldPlan
	wired   bool // some patch is about messages on their way
	alone   bool // some patch works in the middle of a turn: turns are taken one by one
	twins   map[string][]string
	guards  []*guarding
	hooked  map[HookPoint]bool // at which points some hook looks
	events  atomic.Int64       // of the longest trial so far: room to make for the next
}

// actor is an agent as compiled.
type actor struct {
	src     *Agent
	index   int
	heardBy []*actor // in agent order
	attrs   Attrs
}

// stmt is a compiled statement.
type stmt struct {
	src         *Stmt
	who         *expression
	expr        *expression
	until       *expression
	orElse      *expression
	target      []*expression // keys after the root
	root        string
	body, elses []*stmt
	attrs       []*attributes // step: by actor index
}

// attributes are what holds for one agent in one step.
type attributes struct {
	spec        model.Spec
	model       string // the name under Program.Models
	temperature *float64
	maxTokens   int
	system      *expression
	prompt      *expression
	tools       []*tool
	offered     []model.Tool
	toolNames   []string
	rounds      int
	then        string
	replies     *shape.Shape
	instruction string
	remembers   Remember
	shares      string
	aside       bool
	order       *expression // what comes before the answer after the last tool round
	where       *expression
	try         int
	whereElse   *expression
	repairs     int
	repliesElse *expression
	handoff     *expression
	placesHeard bool // the prompt reads `heard` and places the messages itself
	acts        bool // some offered tool changes the world, or lets others speak
}

// tool is a compiled tool.
type tool struct {
	src    *Tool
	params shape.Shape
	reads  []*header
	writes []*header
	body   []*stmt
	labels []string // of the steps in its body
}

// header is one resource expression of a tool.
type header struct {
	expr  *expression
	after bool // it reads `result`, so it is known only after the body
}

func (c *compiler) program(src *Program) (*program, error) {
	p := &program{src: src, byName: map[string]*actor{}, groups: map[string][]*actor{}, tools: map[string]*tool{}}
	for i := range src.Agents {
		a := &actor{src: &src.Agents[i], index: i, attrs: src.Agents[i].Attrs}
		p.agents = append(p.agents, a)
		p.byName[a.src.Name] = a
		if model := a.src.Like; model != "" {
			if p.twins == nil {
				p.twins = map[string][]string{}
			}
			p.twins[model] = append(p.twins[model], a.src.Name)
		}
	}
	for _, g := range src.Groups {
		for _, name := range g.Members {
			a := p.byName[name]
			if a == nil {
				return nil, fmt.Errorf("group %s has no agent %s", g.Name, name)
			}
			p.groups[g.Name] = append(p.groups[g.Name], a)
		}
	}
	if err := p.connect(); err != nil {
		return nil, err
	}
	var err error
	for i := range src.Tools {
		if p.tools[src.Tools[i].Name], err = c.tool(&src.Tools[i]); err != nil {
			return nil, err
		}
	}
	for i := range src.Tools { // their steps may offer any of them
		t := p.tools[src.Tools[i].Name]
		if t.body, err = c.stmts(p, t.src.Body); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.src.Name, err)
		}
		t.labels = stepLabels(t.src.Body)
	}
	if p.turns, err = c.stmts(p, src.Turns); err != nil {
		return nil, err
	}
	if p.answer, err = c.expr(src.Answer); err != nil {
		return nil, err
	}
	p.labels = answerLabels(p)
	for i := range src.Patches {
		q, err := c.patch(&src.Patches[i])
		if err != nil {
			return nil, err
		}
		p.patches = append(p.patches, q)
		p.wired = p.wired || q.src.Slot == SlotEdge
		p.alone = p.alone || q.src.Slot == SlotCalls || q.src.Slot == SlotResult
	}
	if err := c.guardings(p, src); err != nil {
		return nil, err
	}
	p.worldly, err = c.world(src)
	return p, err
}

// connect resolves edges: who hears whom, and how far agents are apart.
func (p *program) connect() error {
	hears := map[[2]string]bool{}
	for _, e := range p.src.Edges {
		if p.byName[e.From] == nil || p.byName[e.To] == nil {
			return fmt.Errorf("the edge %s -> %s names an agent that is not there", e.From, e.To)
		}
		if e.From != e.To {
			hears[[2]string{e.From, e.To}] = true
		}
	}
	for _, a := range p.agents {
		for _, b := range p.agents {
			if hears[[2]string{a.src.Name, b.src.Name}] {
				a.heardBy = append(a.heardBy, b)
			}
		}
	}
	p.hops = map[[2]string]int{}
	for _, a := range p.agents {
		p.measure(a)
	}
	return nil
}

// measure walks the edges breadth first from one agent.
func (p *program) measure(from *actor) {
	p.hops[[2]string{from.src.Name, from.src.Name}] = 0
	for front, far := []*actor{from}, 1; len(front) > 0; far++ {
		var next []*actor
		for _, a := range front {
			for _, b := range a.heardBy {
				way := [2]string{from.src.Name, b.src.Name}
				if _, seen := p.hops[way]; !seen {
					p.hops[way] = far
					next = append(next, b)
				}
			}
		}
		front = next
	}
}

// answerLabels are the labels that the answer reads.
func answerLabels(p *program) []string {
	labels := stepLabels(p.src.Turns)
	for i := range p.src.Tools {
		labels = append(labels, stepLabels(p.src.Tools[i].Body)...)
	}
	return slices.DeleteFunc(labels, func(label string) bool { return !p.answer.reads(label) })
}

// stepLabels are the labels of the steps in a block, each once.
func stepLabels(list []Stmt) []string {
	var labels []string
	for i := range list {
		s := &list[i]
		if s.Kind == StepStmt && !slices.Contains(labels, s.Name) {
			labels = append(labels, s.Name)
		}
		for _, inner := range append(stepLabels(s.Body), stepLabels(s.Elses)...) {
			if !slices.Contains(labels, inner) {
				labels = append(labels, inner)
			}
		}
	}
	return labels
}

func (c *compiler) stmts(p *program, list []Stmt) ([]*stmt, error) {
	var out []*stmt
	for i := range list {
		s, err := c.stmt(p, &list[i])
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// stmt compiles a statement.
func (c *compiler) stmt(p *program, src *Stmt) (*stmt, error) {
	s := &stmt{src: src}
	for _, x := range []struct {
		to   **expression
		from Expr
	}{{&s.who, src.Who}, {&s.expr, src.Expr}, {&s.until, src.Until}, {&s.orElse, src.Else}} {
		var err error
		if *x.to, err = c.expr(x.from); err != nil {
			return nil, err
		}
	}
	if len(src.Target) > 0 {
		s.root = strings.TrimSpace(src.Target[0].Src)
		keys, err := c.exprs(src.Target[1:])
		if err != nil {
			return nil, err
		}
		s.target = keys
	}
	var err error
	if s.body, err = c.stmts(p, src.Body); err != nil {
		return nil, err
	}
	if s.elses, err = c.stmts(p, src.Elses); err != nil {
		return nil, err
	}
	if src.Kind == StepStmt {
		for _, a := range p.agents {
			at, err := c.attributes(p, a.src.Name, a.attrs, src.Attrs)
			if err != nil {
				return nil, fmt.Errorf("step %s, agent %s: %w", src.Name, a.src.Name, err)
			}
			s.attrs = append(s.attrs, at)
		}
	}
	return s, nil
}
