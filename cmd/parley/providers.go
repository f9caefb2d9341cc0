package main

import (
	"fmt"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/model"
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

// providers gives what answers for each model of a suite. The simulator gets
// one table of all plans, made when it is first asked for.
func providers(plans []*runtime.Plan) func(model.Spec) (model.Provider, error) {
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
		case "openai", "replay":
			return nil, fmt.Errorf("provider %q: %w", spec.Provider, model.ErrNotYet)
		}
		return nil, fmt.Errorf("there is no provider %q", spec.Provider)
	}
}
