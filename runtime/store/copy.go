package store

import (
	"context"
	"errors"

	"parley/runtime/trace"
)

// CopyTrial takes over from another run the trial that stands at a link, with its
// verdicts and what endpoints sent for it. False: it is not there, it ended in an
// error, or this run has it already. What its calls cost was spent by the other run.
// It does not wait.
func (r *Run) CopyTrial(ctx context.Context, from *Run, at Link) (bool, error) {
	outcome, ok, err := r.Outcome(ctx, at.Trial)
	if err != nil || ok && outcome != trace.Errored {
		return false, err
	}
	outcome, ok, err = from.Outcome(ctx, at.Trial)
	if err != nil || !ok || outcome == trace.Errored {
		return false, err
	}
	t, err := from.Trial(ctx, at.Trial)
	if err != nil {
		return false, err
	}
	t.Row, t.Arm = at.Row, at.Arm // where it stands here
	if err := r.PutTrial(ctx, t, nil, false); err != nil {
		return false, err
	}
	bodies, err := from.Bodies(ctx, at.Trial)
	if err != nil {
		return false, err
	}
	for _, b := range bodies {
		if err := r.PutBody(ctx, b); err != nil {
			return false, err
		}
	}
	var failed error
	err = from.Verdicts(ctx, at.Trial, func(v *trace.Verdict) error {
		failed = errors.Join(failed, r.PutVerdict(ctx, v, nil, false))
		return nil
	})
	return err == nil && failed == nil, errors.Join(err, failed)
}
