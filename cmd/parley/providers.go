package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/model/openai"
	"parley/runtime/model/sim"
)

// plansOf lists a suite's plans in the order of its cells.
func plansOf(suite *interp.Suite) []*runtime.Plan {
	plans := make([]*runtime.Plan, len(suite.Cells))
	for i, c := range suite.Cells {
		plans[i] = c.Plan
	}
	return plans
}

// answers gives what answers for a model.
type answers func(model.Spec) (model.Provider, error)

// providers gives what answers for each model of a suite. The simulator gets
// one table of all plans, made when it is first asked for; others answers for
// models of endpoints and stored runs. Nil means that none is to be asked.
func providers(plans []*runtime.Plan, others answers) answers {
	var table *sim.Table
	return func(spec model.Spec) (model.Provider, error) {
		switch spec.Provider {
		case "sim":
			params, err := sim.ParseParams(spec.Params)
			if err != nil {
				return nil, err
			}
			if table == nil {
				if table, err = runtime.SimTable(plans...); err != nil {
					return nil, err
				}
			}
			return sim.New(table, params), nil
		case runtime.ApprovalProvider:
			switch {
			case spec.Name == "always" || spec.Name == "never":
				return approver{policy: spec.Name}, nil
			case others == nil:
				return nil, errors.New("nobody is asked to approve in a test: script the person with reply \"yes\" or reply \"no\"")
			}
			return others(spec)
		case "openai", "replay":
			if others == nil {
				return nil, fmt.Errorf("%s is not asked in a test: script the agent, or let the simulator answer for it", spec.Name)
			}
			return others(spec)
		}
		return nil, fmt.Errorf("there is no provider %q", spec.Provider)
	}
}

// knowing gives the simulator facts about the runs that it judges.
func knowing(facts *sim.Facts, provide answers) answers {
	return func(spec model.Spec) (model.Provider, error) {
		p, err := provide(spec)
		if s, ok := p.(*sim.Sim); ok {
			return s.With(facts), err
		}
		return p, err
	}
}

// recorded tells what a stored run calls its models: the run that answered, where
// one did, for simulated models too.
func recorded(h host, inv invocation, plans []*runtime.Plan) answers {
	if inv.ReplayOf != "" {
		return revisions(h, inv)
	}
	return providers(plans, revisions(h, inv))
}

// revisions stand for models that are not asked: they tell what a run that was
// begun this way calls them, so that its trials can be found.
func revisions(h host, inv invocation) answers {
	return func(spec model.Spec) (model.Provider, error) {
		if inv.ReplayOf != "" {
			return unasked("replay of " + inv.ReplayOf), nil
		}
		switch spec.Provider {
		case "openai":
		case runtime.ApprovalProvider:
			return unasked(approver{policy: spec.Name}.Revision()), nil
		default:
			return unasked(spec.Provider), nil
		}
		env := variables(h)
		if inv.Endpoint != "" {
			env["OPENAI_BASE_URL"] = inv.Endpoint
		}
		name, err := openai.Revision(spec, env)
		return unasked(name), err
	}
}

// unasked is a model by its revision.
type unasked string

// Revision is the model's.
func (u unasked) Revision() string { return string(u) }

var errUnasked = errors.New("no model is asked here")

// variables are the host's environment.
func variables(h host) map[string]string {
	env := map[string]string{}
	if h.environ == nil {
		return env
	}
	for _, line := range h.environ() {
		if name, value, ok := strings.Cut(line, "="); ok {
			env[name] = value
		}
	}
	return env
}

// Complete never answers.
func (u unasked) Complete(context.Context, *model.Request) (*model.Response, error) {
	return nil, errUnasked
}
