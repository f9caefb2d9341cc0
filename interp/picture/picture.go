// Package picture draws a compiled team: who hears whom, and who speaks when. It
// draws what the plan says, so a picture cannot show a team that is not run.
package picture

import (
	"fmt"
	"slices"

	"parley/runtime"
)

// Picture is a team ready to be drawn.
type Picture struct {
	Title string
	Nodes []Node
	Edges []Edge
	Order []Row
	Limit int // turns at most; 0: no limit
}

// Node is an agent, or a group whose members hear and are heard alike.
type Node struct {
	Name   string // debater[2], debater[1..30]
	Size   int    // 1 for an agent
	Lead   bool   // role orchestrator
	Inside bool   // members of the group all hear one another
	Struck bool   // an attack names it
	about  string

	group    string // of its agents, and which of its members they are
	from, to int
}

// Edge says that To hears From; with Both they hear each other. They are places
// in Nodes.
type Edge struct {
	From, To int
	Both     bool
}

// manyAgents is how many agents are drawn one by one; in a larger team, groups
// whose members are alike become one node.
const manyAgents = 8

// Of makes the picture of a program. What an attack changes is marked.
func Of(title string, p *runtime.Program) *Picture {
	pic := &Picture{Title: title, Limit: p.TurnLimit, Order: append(rows(p.Turns, 0), called(p.Tools)...)}
	n := network(p)
	struck := map[string]bool{}
	for _, x := range p.Patches {
		for _, a := range x.Agents {
			struck[a] = true
		}
	}
	at := map[string]int{}
	for _, part := range n.parts(len(p.Agents) > manyAgents, struck) {
		first := n.agents[part[0]]
		node := Node{Name: first.Name, Size: len(part), Lead: first.Role == "orchestrator", Struck: struck[first.Name], about: first.About, group: first.Group, from: first.Index, to: n.agents[part[len(part)-1]].Index}
		if len(part) > 1 {
			last := n.agents[part[len(part)-1]]
			node.Name = fmt.Sprintf("%s[%d..%d]", first.Group, first.Index, last.Index)
			node.Inside = n.hears[first.Name][last.Name]
		}
		for _, i := range part {
			at[n.agents[i].Name] = len(pic.Nodes)
		}
		pic.Nodes = append(pic.Nodes, node)
	}
	pic.join(p.Edges, at)
	return pic
}

// join draws each link between two nodes once.
func (pic *Picture) join(edges []runtime.Edge, at map[string]int) {
	where := map[[2]int]int{}
	for _, e := range edges {
		from, to := at[e.From], at[e.To]
		if from == to {
			continue
		}
		if i, back := where[[2]int{to, from}]; back {
			pic.Edges[i].Both = true
			continue
		}
		if _, drawn := where[[2]int{from, to}]; !drawn {
			where[[2]int{from, to}] = len(pic.Edges)
			pic.Edges = append(pic.Edges, Edge{From: from, To: to})
		}
	}
}

// net answers who hears whom by name.
type net struct {
	agents []runtime.Agent
	hears  map[string]map[string]bool // from → to
}

func network(p *runtime.Program) *net {
	n := &net{agents: p.Agents, hears: map[string]map[string]bool{}}
	for _, e := range p.Edges {
		if n.hears[e.From] == nil {
			n.hears[e.From] = map[string]bool{}
		}
		n.hears[e.From][e.To] = true
	}
	return n
}

// parts splits the agents into nodes: neighbours in a group that nobody could
// tell apart by their edges or their attacks make one.
func (n *net) parts(gather bool, struck map[string]bool) [][]int {
	var out [][]int
	for i := range n.agents {
		if gather && len(out) > 0 {
			last := &out[len(out)-1]
			if n.fits(*last, i) && struck[n.agents[(*last)[0]].Name] == struck[n.agents[i].Name] {
				*last = append(*last, i)
				continue
			}
		}
		out = append(out, []int{i})
	}
	return out
}

// fits reports that agent i is like all of the part: the same edges to and from
// everybody else, and the same within as the others have.
func (n *net) fits(part []int, i int) bool {
	a, b := n.agents[part[0]], n.agents[i]
	if a.Group == "" || a.Group != b.Group || b.Index != n.agents[part[len(part)-1]].Index+1 {
		return false
	}
	for k, c := range n.agents {
		if k == i || slices.Contains(part, k) {
			continue
		}
		if n.hears[a.Name][c.Name] != n.hears[b.Name][c.Name] || n.hears[c.Name][a.Name] != n.hears[c.Name][b.Name] {
			return false
		}
	}
	inside := n.hears[a.Name][b.Name]
	if len(part) > 1 {
		inside = n.hears[a.Name][n.agents[part[1]].Name]
	}
	for _, k := range part {
		c := n.agents[k].Name
		if n.hears[c][b.Name] != inside || n.hears[b.Name][c] != inside {
			return false
		}
	}
	return true
}
