package score

import (
	"context"
	"slices"

	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/trace"
)

// functions are those of expressions that ask about a run: exposed and carried
// of an agent, and the distance between two, in hops along edges.
func functions(graph hops) map[string]eval.Func {
	one := func(f func(*trace.Agent) bool) func(context.Context, []any) (any, error) {
		return func(_ context.Context, args []any) (any, error) {
			if len(args) == 1 {
				if a, ok := args[0].(*trace.Agent); ok {
					return f(a), nil
				}
			}
			return eval.Missing{Why: "this is not an agent"}, nil
		}
	}
	return map[string]eval.Func{
		"exposed":  {Name: "exposed", Call: one((*trace.Agent).Exposed)},
		"carried":  {Name: "carried", Call: one((*trace.Agent).Carried)},
		"distance": {Name: "distance", Call: graph.distance},
	}
}

// hops is who hears whom: sender → recipients.
type hops map[string][]string

func (h hops) add(edges []runtime.Edge) {
	for _, e := range edges {
		if !slices.Contains(h[e.From], e.To) {
			h[e.From] = append(h[e.From], e.To)
		}
	}
}

func (h hops) distance(_ context.Context, args []any) (any, error) {
	if len(args) != 2 {
		return eval.Missing{Why: "distance is between two agents"}, nil
	}
	from, ok1 := args[0].(*trace.Agent)
	to, ok2 := args[1].(*trace.Agent)
	if !ok1 || !ok2 {
		return eval.Missing{Why: "distance is between two agents"}, nil
	}
	seen := map[string]bool{from.Name: true}
	for d, front := 0, []string{from.Name}; len(front) > 0; d++ {
		var next []string
		for _, a := range front {
			if a == to.Name {
				return d, nil
			}
			for _, b := range h[a] {
				if !seen[b] {
					seen[b] = true
					next = append(next, b)
				}
			}
		}
		front = next
	}
	return eval.Missing{Why: "no edges lead from " + from.Name + " to " + to.Name}, nil
}
