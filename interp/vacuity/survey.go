package vacuity

import (
	"context"
	"sort"

	"parley/interp"
	"parley/interp/score"
)

// Seen is what tests showed of one predicate.
type Seen struct {
	At       string     `json:"at"` // where it is declared
	Name     string     `json:"name"`
	Text     string     `json:"text"`
	True     int        `json:"true"` // runs in which it held, over all tests and their arms
	False    int        `json:"false"`
	Unknown  int        `json:"unknown"`
	Tests    int        `json:"tests"` // that run a scenario with it
	Mutants  int        `json:"mutants"`
	Killed   int        `json:"killed"`
	Survived []Survivor `json:"survived,omitempty"`
}

// Vacuous reports that no test makes the predicate true, or none false.
func (s *Seen) Vacuous() bool { return s.True == 0 || s.False == 0 }

// Survivor is a mutant that no test notices.
type Survivor struct {
	Mutant string `json:"mutant"`
	Text   string `json:"text"`             // the changed predicate
	Reason string `json:"reason,omitempty"` // why that is right, as the author explains it
}

// Survey gathers what tests show of predicates.
type Survey struct {
	seen map[string]*subject
}

// subject is a predicate with the tests that look at it.
type subject struct {
	Seen
	mutants []*mutant
}

type mutant struct {
	Mutant
	killed bool
	tried  bool
}

// NewSurvey makes an empty survey.
func NewSurvey() *Survey { return &Survey{seen: map[string]*subject{}} }

// Declare notes a predicate that should be seen, so that one without any test is
// told of, too.
func (s *Survey) Declare(at, name, text string) {
	if s.seen[at] == nil {
		s.seen[at] = &subject{Seen: Seen{At: at, Name: name, Text: text}}
	}
}

// Add looks at a test that ran: which predicates held in its runs and, where
// mutate is set, which mutants would make the test fail.
func (s *Survey) Add(ctx context.Context, t *interp.Test, p interp.Played, mutate bool) error {
	arms, err := p.Predicates(ctx)
	if err != nil {
		return err
	}
	for i, pred := range t.Cell.Spec.Verify {
		at := pred.Expr.At
		s.Declare(at, pred.Name, pred.Text)
		x := s.seen[at]
		x.Tests++
		for _, verdicts := range arms {
			switch verdicts[i].Holds {
			case "yes":
				x.True++
			case "no":
				x.False++
			default:
				x.Unknown++
			}
		}
		if !mutate {
			continue
		}
		if err := s.mutate(ctx, t, p, i, x); err != nil {
			return err
		}
	}
	return nil
}

// mutate runs what the test expects with each mutant that is still alive.
func (s *Survey) mutate(ctx context.Context, t *interp.Test, p interp.Played, i int, x *subject) error {
	made, err := Mutants(t.Cell.Spec.Verify[i].Expr.Src)
	if err != nil {
		return err
	}
	for k, m := range made {
		if k == len(x.mutants) { // parameters may make other trees of one text
			x.mutants = append(x.mutants, &mutant{Mutant: m})
		}
		known := x.mutants[k]
		if known.killed || known.Name != m.Name {
			continue
		}
		known.tried = true
		spec := *t.Cell.Spec
		spec.Verify = append([]score.Pred(nil), spec.Verify...)
		spec.Verify[i].Expr.Src = m.Src
		verdicts, err := p.Judge(ctx, t, &spec)
		if err != nil { // a mutant that cannot be evaluated is noticed
			known.killed = true
			continue
		}
		for _, v := range verdicts {
			known.killed = known.killed || v.Holds != "yes"
		}
	}
	return nil
}

// Results lists what was seen, by place. why answers with the author's reason for
// letting a mutant of the predicate at a place live.
func (s *Survey) Results(why func(at, mutant string) string) []Seen {
	out := make([]Seen, 0, len(s.seen))
	for _, x := range s.seen {
		r := x.Seen
		for _, m := range x.mutants {
			if !m.tried && !m.killed {
				continue
			}
			r.Mutants++
			if m.killed {
				r.Killed++
				continue
			}
			r.Survived = append(r.Survived, Survivor{Mutant: m.Name, Text: m.Src, Reason: why(r.At, m.Name)})
		}
		out = append(out, r)
	}
	sort.Slice(out, func(i, k int) bool { return placeLess(out[i].At, out[k].At) })
	return out
}
