package runtime

import (
	"context"
	"fmt"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// exposedFunc is exposed(agent): a payload stood in something it was sent.
func exposedFunc(ctx context.Context, args []any) (any, error) {
	m, f, err := memberArg(ctx, "exposed", args)
	if m == nil || err != nil {
		return unknownAgent(args), err
	}
	return m.agent.Exposed() || (f.self == m && m.job != nil && len(m.job.exposed) > 0), nil
}

// carriedFunc is carried(agent): it passed a payload on.
func carriedFunc(ctx context.Context, args []any) (any, error) {
	m, _, err := memberArg(ctx, "carried", args)
	if m == nil || err != nil {
		return unknownAgent(args), err
	}
	return m.agent.Carried(), nil
}

// callsOfFunc is calls_of("tool"): how often self has called the tool.
func callsOfFunc(ctx context.Context, args []any) (any, error) {
	f, err := frameOf(ctx)
	if err != nil {
		return nil, err
	}
	if len(args) != 1 {
		return nil, fmt.Errorf("calls_of takes the name of a tool")
	}
	if f.self == nil {
		return eval.Missing{Why: "nobody speaks here"}, nil
	}
	return f.self.made[plain(args[0])], nil
}

// chanceFunc is chance(p): true with probability p, by seed and place.
func chanceFunc(ctx context.Context, args []any) (any, error) {
	f, err := frameOf(ctx)
	if err != nil {
		return nil, err
	}
	p, ok := float(args)
	if !ok {
		return nil, fmt.Errorf("chance takes a number between 0 and 1")
	}
	name := "chance#" + strconv.Itoa(f.draws)
	if f.to != nil {
		name += ">" + f.to.Name
	}
	f.draws++
	return f.run.table.Chance(f.place, name).Unit() < p, nil
}

// retrieveFunc is retrieve(query): the best documents of the caller's store.
func retrieveFunc(ctx context.Context, args []any) (any, error) {
	f, err := frameOf(ctx)
	if err != nil {
		return nil, err
	}
	if len(args) != 1 {
		return nil, fmt.Errorf("retrieve takes a query")
	}
	if f.self == nil {
		return eval.Missing{Why: "nobody calls here"}, nil
	}
	return f.run.world.retrieve(f.self.agent.Name, plain(args[0]))
}

// distanceFunc is distance(a, b): hops along edges from a to b; unknown where
// no way leads there.
func distanceFunc(ctx context.Context, args []any) (any, error) {
	f, err := frameOf(ctx)
	if err != nil {
		return nil, err
	}
	if len(args) != 2 {
		return nil, fmt.Errorf("distance takes two agents")
	}
	way := [2]string{agentName(args[0]), agentName(args[1])}
	if n, ok := f.run.program.hops[way]; ok {
		return n, nil
	}
	return eval.Missing{Why: "no way leads from " + way[0] + " to " + way[1]}, nil
}

func memberArg(ctx context.Context, fn string, args []any) (*member, *frame, error) {
	f, err := frameOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	if len(args) != 1 {
		return nil, nil, fmt.Errorf("%s takes an agent", fn)
	}
	return f.run.members[agentName(args[0])], f, nil
}

func unknownAgent(args []any) any {
	if len(args) == 0 {
		return eval.Missing{Why: "no agent was given"}
	}
	return eval.Missing{Why: "there is no agent " + strconv.Quote(agentName(args[0]))}
}

// agentName names an agent given as itself or by name.
func agentName(v any) string {
	switch v := v.(type) {
	case *trace.Agent:
		return v.Name
	case eval.Record:
		name, _ := v.Field("name")
		return plain(name)
	}
	return plain(v)
}

// plain is the characters of a text value; other values give none.
func plain(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case segment.Text:
		return v.String()
	}
	return ""
}

func float(args []any) (float64, bool) {
	if len(args) != 1 {
		return 0, false
	}
	switch v := args[0].(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	}
	return 0, false
}
