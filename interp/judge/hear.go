package judge

import (
	"context"
	"fmt"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/trace"
)

// Heard is what the judges of a test said.
type Heard struct {
	Scorer   *score.Scorer  // which reads the verdicts
	Said     score.Verdicts // for other scorers of the same judges
	Verdicts []*trace.Verdict
}

// Hear asks the judges that a test's predicates and conditions read about its runs,
// which are of one task. calls answers in an arm. A judge that cannot be asked is an
// error, as it is for an agent.
func Hear(ctx context.Context, spec *score.Spec, plan *runtime.Plan, conditions []score.Pred,
	trials map[runtime.ArmName]*trace.Trial, calls func(runtime.ArmName) runtime.Caller, learn Learn,
) (Heard, error) {
	s, err := score.New(spec, plan)
	if err != nil {
		return Heard{}, err
	}
	c := newCell(plan, s)
	if c.judging, err = s.JudgingFor(conditions); err != nil {
		return Heard{}, err
	}
	type said struct {
		trial *trace.Trial
		judge string
	}
	have := map[said]*trace.Verdict{}
	find := func(_ *runtime.Case, t *trace.Trial, j *score.Judge) *trace.Verdict { return have[said{t, j.ID}] }
	out := Heard{Scorer: s.Judged(find), Said: find}
	for i := range plan.Arms {
		arm := &plan.Arms[i]
		record := trials[arm.Name]
		for _, j := range c.judging[arm.Name] {
			if record == nil {
				continue
			}
			q := &question{cell: c, judge: j, revision: "test", ask: j.ID, trial: runtime.Trial{
				Plan: plan, Arm: arm, Case: &plan.Cases[0], Repeat: 1, Key: record.Key, CaseKey: "test",
			}}
			v, err := q.put(ctx, record, calls(arm.Name), learn)
			if err == nil && v.State == trace.VerdictFailed {
				err = fmt.Errorf("in the %s run: %s", arm.Name, v.Why)
			}
			if err != nil {
				return out, err
			}
			have[said{record, j.ID}] = v
			out.Verdicts = append(out.Verdicts, v)
		}
	}
	return out, nil
}
