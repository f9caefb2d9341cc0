package build

import (
	"math"

	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/key"
)

// edges collects who hears whom, each pair once, in the order written.
type edges struct {
	list []runtime.Edge
	seen map[runtime.Edge]bool
}

func newEdges() *edges { return &edges{seen: map[runtime.Edge]bool{}} }

func (g *edges) add(from, to string) {
	e := runtime.Edge{From: from, To: to}
	if from == to || g.seen[e] {
		return
	}
	g.seen[e] = true
	g.list = append(g.list, e)
}

func (g *edges) both(a, b string) {
	g.add(a, b)
	g.add(b, a)
}

// edge adds what `a -> b` and `a <-> b` mean.
func (c *Compiler) edge(sc scope, r *roster, g *edges, e *ast.Edge) {
	from, _, ok := c.pick(sc, r, e.From, "an edge")
	to, _, ok2 := c.pick(sc, r, e.To, "an edge")
	if !ok || !ok2 {
		return
	}
	before := len(g.list)
	for _, a := range from {
		for _, b := range to {
			g.add(a, b)
			if e.Both {
				g.add(b, a)
			}
		}
	}
	if len(g.list) == before && len(from) == 1 && len(to) == 1 && from[0] == to[0] {
		c.fail(sc.m, diag.WrongValue, e.Span, "", "an agent does not hear itself over an edge")
	}
}

// maker is a graph maker: what it takes and which edges it makes.
type maker struct {
	form string
	lead int // how many single agents come before the group
	rest int // how many numbers follow it
	make func(g *edges, lead string, group []string, numbers []float64)
}

var makers = map[string]maker{
	"chain":    {"chain(group)", 0, 0, func(g *edges, _ string, m []string, _ []float64) { eachNext(m, g.add) }},
	"ring":     {"ring(group)", 0, 0, func(g *edges, _ string, m []string, _ []float64) { eachNext(m, g.both); g.both(m[len(m)-1], m[0]) }},
	"complete": {"complete(group)", 0, 0, func(g *edges, _ string, m []string, _ []float64) { complete(g, m) }},
	"tree":     {"tree(group)", 0, 0, func(g *edges, _ string, m []string, _ []float64) { tree(g, m) }},
	"star":     {"star(agent, group)", 1, 0, func(g *edges, lead string, m []string, _ []float64) { star(g, lead, m) }},
	"random":   {"random(group, p, seed)", 0, 2, random},
	"layers":   {"layers(group, width)", 0, 1, layers},
}

// eachNext visits neighbours: 1 and 2, 2 and 3, and so on.
func eachNext(m []string, visit func(a, b string)) {
	for i := 1; i < len(m); i++ {
		visit(m[i-1], m[i])
	}
}

func complete(g *edges, m []string) {
	for _, a := range m {
		for _, b := range m {
			g.add(a, b)
		}
	}
}

// tree links member i with members 2i and 2i+1.
func tree(g *edges, m []string) {
	for i := 2; i <= len(m); i++ {
		g.both(m[i/2-1], m[i-1])
	}
}

func star(g *edges, centre string, m []string) {
	for _, a := range m {
		g.both(centre, a)
	}
}

// random links each pair both ways with probability p; a pair's draw hangs on
// the seed and the two places alone.
func random(g *edges, _ string, m []string, numbers []float64) {
	for i := range m {
		for j := range i {
			draw := key.Of("graph", int(numbers[1]), j+1, i+1)
			if draw.Unit() < numbers[0] {
				g.both(m[j], m[i])
			}
		}
	}
}

// layers puts the members into rows of a width, in order; each hears the whole row
// before its own.
func layers(g *edges, _ string, m []string, numbers []float64) {
	width := int(numbers[0])
	for i := range m {
		row := i / width
		for j := max(0, (row-1)*width); j < row*width; j++ {
			g.add(m[j], m[i])
		}
	}
}

// graph adds the edges of a graph maker.
func (c *Compiler) graph(sc scope, r *roster, g *edges, decl *ast.Graph) {
	mk, ok := makers[decl.Kind.Name]
	if !ok {
		c.fail(sc.m, diag.NoSuchDecl, decl.Kind.Span, "the graphs are "+list(keysOf(makers)), "no graph is named %q", decl.Kind.Name)
		return
	}
	if len(decl.Args) != mk.lead+1+mk.rest {
		c.fail(sc.m, diag.ArgumentMissing, decl.Span, "", "this graph is written %s", mk.form)
		return
	}
	lead := ""
	if mk.lead == 1 {
		names, _, ok := c.pick(sc, r, decl.Args[0], "the centre of a star")
		if !ok {
			return
		}
		if len(names) != 1 {
			c.fail(sc.m, diag.WrongValue, decl.Args[0].Span, "", "the centre of a star is one agent")
			return
		}
		lead = names[0]
	}
	group, _, ok := c.pick(sc, r, decl.Args[mk.lead], "the members of a graph")
	if !ok {
		return
	}
	var numbers []float64
	for i, e := range decl.Args[mk.lead+1:] {
		n, ok := c.constantNumber(sc, e, "a number of a graph")
		if !ok {
			return
		}
		if decl.Kind.Name == "layers" {
			if n != math.Trunc(n) || n < 1 || n > MaxAgents {
				c.fail(sc.m, diag.WrongValue, e.Span, "", "a layer holds a whole number of agents, at least one, and it is %v", n)
				return
			}
			numbers = append(numbers, n)
			continue
		}
		if i == 0 && (n < 0 || n > 1) {
			c.fail(sc.m, diag.WrongValue, e.Span, "", "the chance of an edge is between 0 and 1, and it is %v", n)
			return
		}
		numbers = append(numbers, n)
	}
	mk.make(g, lead, group, numbers)
}
