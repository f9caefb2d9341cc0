package vacuity

import (
	"context"
	"slices"
	"sort"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
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
}

// NewSurvey makes an empty survey.
func NewSurvey() *Survey { return &Survey{seen: map[string]*subject{}} }

// Declare notes a predicate that should be seen, so that one without any test is
// told of, too. It answers with the place by which results know it.
func (s *Survey) Declare(at, name, text string) (place string) {
	at = placed(at)
	if s.seen[at] == nil {
		s.seen[at] = &subject{Seen: Seen{At: at, Name: name, Text: text}}
	}
	return at
}

// Add looks at a test that ran: which predicates held in its runs and, where
// mutate is set, which mutants would make the test fail.
func (s *Survey) Add(ctx context.Context, t *interp.Test, p interp.Played, mutate bool) error {
	spec := t.Cell.Spec
	for i := range spec.Verify {
		put := func(c *score.Spec, src string) {
			c.Verify = slices.Clone(c.Verify)
			c.Verify[i].Expr.Src = src
		}
		if err := s.look(ctx, t, p, spec.Verify[i], spec.Verify[i].Name, put, mutate); err != nil {
			return err
		}
	}
	for i := range spec.AttackVerify {
		put := func(c *score.Spec, src string) {
			c.AttackVerify = slices.Clone(c.AttackVerify)
			c.AttackVerify[i].Expr.Src = src
		}
		if err := s.look(ctx, t, p, spec.AttackVerify[i], "attack."+spec.AttackVerify[i].Name, put, mutate); err != nil {
			return err
		}
	}
	return nil
}

// look evaluates one predicate in all runs of a test. read is how conditions name
// it, and put puts another expression in its place.
func (s *Survey) look(ctx context.Context, t *interp.Test, p interp.Played, pred score.Pred, read string, put func(*score.Spec, string), mutate bool) error {
	x := s.seen[s.Declare(pred.Expr.At, pred.Name, pred.Text)]
	x.Tests++
	named := []score.Pred{{Name: pred.Name, Expr: runtime.Expr{Src: read, At: pred.Expr.At}}}
	for arm := range p.Trials {
		v, err := p.Holds(ctx, arm, named)
		if err != nil {
			return err
		}
		switch v[0].Holds {
		case "yes":
			x.True++
		case "no":
			x.False++
		default:
			x.Unknown++
		}
	}
	if !mutate {
		return nil
	}
	return x.mutate(ctx, t, p, pred.Expr.Src, put)
}

// mutate looks at what the test expects with each mutant that is still alive.
func (x *subject) mutate(ctx context.Context, t *interp.Test, p interp.Played, src string, put func(*score.Spec, string)) error {
	made, err := Mutants(src)
	if err != nil {
		return err
	}
	for _, m := range made {
		known := x.mutant(m)
		if known.killed {
			continue
		}
		spec := *t.Cell.Spec
		put(&spec, m.Src)
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

// mutant finds what is known of a mutant. Parameters may make other expressions
// of one text: they are told apart by what was changed.
func (x *subject) mutant(m Mutant) *mutant {
	for _, known := range x.mutants {
		if known.Name == m.Name {
			return known
		}
	}
	x.mutants = append(x.mutants, &mutant{Mutant: m})
	return x.mutants[len(x.mutants)-1]
}

// Results lists what was seen, by place. why answers with the author's reason for
// letting a mutant of the predicate at a place live.
func (s *Survey) Results(why func(at, mutant string) string) []Seen {
	out := make([]Seen, 0, len(s.seen))
	for _, x := range s.seen {
		r := x.Seen
		for _, m := range x.mutants {
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
