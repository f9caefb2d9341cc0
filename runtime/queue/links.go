package queue

import (
	"parley/runtime"
	"parley/runtime/store"
)

// Links expands plans without running anything: which trial stands at each row,
// repeat and arm of each cell. Equal trials have equal keys; plans that are not
// run have none.
func Links(plans []*runtime.Plan, opt Options) ([]store.Link, error) {
	q := &queue{opt: withDefaults(opt)}
	q.models = newModels(q.opt)
	for i, p := range plans {
		if p.Unmeasured != "" {
			continue
		}
		c, err := q.cell(i, p)
		if err != nil {
			return nil, err
		}
		q.plans = append(q.plans, c)
	}
	var all []store.Link
	for _, u := range q.units() {
		_, links := u.trials()
		all = append(all, links...)
	}
	return all, nil
}
