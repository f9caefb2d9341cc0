package score

import (
	"context"

	"parley/runtime"
	"parley/runtime/eval"
)

// Verdicts evaluates the scenario's own predicates over one arm's run, in order.
func (s *Scorer) Verdicts(ctx context.Context, g Group, arm runtime.ArmName) ([]Verdict, error) {
	all := s.observe(ctx, g)
	o := s.run(all, arm)
	out := make([]Verdict, len(s.spec.Verify))
	for i, v := range s.spec.Verify {
		out[i] = Verdict{Name: v.Name, Text: v.Text, At: v.Expr.At}
		out[i].Holds, out[i].Why = word(o.predicate(s.preds[v.Name]))
	}
	return out, all.err
}

// Check evaluates conditions over one arm's run, as a test's `expect` does.
func (s *Scorer) Check(ctx context.Context, g Group, arm runtime.ArmName, conditions []Pred) ([]Verdict, error) {
	values, err := s.Values(ctx, g, arm, conditions)
	if err != nil {
		return nil, err
	}
	out := make([]Verdict, len(conditions))
	for i, c := range conditions {
		out[i] = Verdict{Name: c.Name, Text: c.Text, At: c.Expr.At}
		out[i].Holds, out[i].Why = word(values[i])
	}
	return out, nil
}

// Values evaluates expressions over one arm's run; eval.Missing is one that is
// unknown.
func (s *Scorer) Values(ctx context.Context, g Group, arm runtime.ArmName, expressions []Pred) ([]any, error) {
	cache := eval.NewCache(s.fns)
	all := s.observe(ctx, g)
	out := make([]any, len(expressions))
	for i, e := range expressions {
		p, err := compilePred(cache, e)
		if err != nil {
			return nil, err
		}
		o := s.run(all, arm)
		out[i] = o.eval(p.prog, o)
		if all.err != nil {
			return nil, all.err
		}
	}
	return out, nil
}

// word puts a truth value into words.
func word(v any) (holds, why string) {
	switch eval.TruthOf(v) {
	case eval.True:
		return "yes", ""
	case eval.False:
		return "no", ""
	}
	if m, ok := v.(eval.Missing); ok {
		return "unknown", m.Why
	}
	return "unknown", "it is neither true nor false"
}
