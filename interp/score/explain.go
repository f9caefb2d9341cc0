package score

import (
	"context"

	"parley/runtime"
	"parley/runtime/eval"
)

// Explain evaluates conditions over one arm's run and keeps what every part of
// them came to.
func (s *Scorer) Explain(ctx context.Context, g Group, arm runtime.ArmName, conditions []Pred) ([]*eval.Node, error) {
	cache := eval.NewCache(s.fns)
	env := s.Observe(ctx, g, arm)
	out := make([]*eval.Node, len(conditions))
	for i, c := range conditions {
		p, err := compilePred(cache, c)
		if err != nil {
			return nil, err
		}
		if out[i], err = p.prog.Explain(ctx, env, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}
