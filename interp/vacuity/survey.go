package vacuity

import (
	"context"
	"maps"
	"slices"
	"sort"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/eval"
)

// Seen is what tests showed of one predicate.
type Seen struct {
	At   string `json:"at"` // where it is declared
	Name string `json:"name"`
	Text string `json:"text"`
	// In how many runs it held, did not, and could not be told, over all tests and
	// their arms.
	True    int `json:"true"`
	False   int `json:"false"`
	Unknown int `json:"unknown"`
	// Values counts the different values of what is no condition, such as a list that
	// other predicates read; 0 for conditions.
	Values   int        `json:"values,omitempty"`
	Tests    int        `json:"tests"` // that run a scenario with it
	Mutants  int        `json:"mutants"`
	Killed   int        `json:"killed"`
	Survived []Survivor `json:"survived,omitempty"`
	// Stale are reasons given for mutants that do not live: they are noticed by now,
	// or the predicate has none of that name.
	Stale []string `json:"stale,omitempty"`
}

// Vacuous reports that no test makes the predicate true, or none false; of what is
// no condition, that it has the same value in every run.
func (s *Seen) Vacuous() bool {
	if s.Values > 0 {
		return s.Values == 1
	}
	return s.True == 0 || s.False == 0
}

// Survivor is a mutant that no test notices.
type Survivor struct {
	Mutant string `json:"mutant"`
	Text   string `json:"text"`             // the changed predicate
	Reason string `json:"reason,omitempty"` // why that is right, as the author explains it
}

// Survey gathers what tests show of the predicates that were declared to it.
type Survey struct {
	seen map[string]*subject
}

// subject is a predicate with the tests that look at it.
type subject struct {
	Seen
	reasons map[string]string // to let mutants live, by their names
	values  map[string]bool
	mutants []*mutant
}

type mutant struct {
	Mutant
	killed bool
}

// New makes a survey of these predicates. Others that the tests run into, such as
// those of an imported file, are not looked at: whoever wrote them has tests of them.
func New(declared []interp.Declared) *Survey {
	s := &Survey{seen: map[string]*subject{}}
	for _, d := range declared {
		at, name := placed(d.At), d.Name
		if d.Owner != "" {
			name = d.Owner + "." + name
		}
		s.seen[at] = &subject{Seen: Seen{At: at, Name: name, Text: d.Text}, reasons: d.Survives, values: map[string]bool{}}
	}
	return s
}

// spot is a place of a specification where a predicate stands.
type spot struct {
	pred score.Pred
	read string // how conditions name it
	// put puts another expression in its place.
	put func(spec *score.Spec, src string)
}

// spots lists the predicates that a test's run is judged by.
func spots(spec *score.Spec) []spot {
	var out []spot
	for i, p := range spec.Verify {
		out = append(out, spot{p, p.Name, func(c *score.Spec, src string) {
			c.Verify = slices.Clone(c.Verify)
			c.Verify[i].Expr.Src = src
		}})
	}
	for i, p := range spec.AttackVerify {
		out = append(out, spot{p, "attack." + p.Name, func(c *score.Spec, src string) {
			c.AttackVerify = slices.Clone(c.AttackVerify)
			c.AttackVerify[i].Expr.Src = src
		}})
	}
	for _, row := range slices.Sorted(maps.Keys(spec.TaskVerify)) {
		for i, p := range spec.TaskVerify[row] {
			out = append(out, spot{p, "task." + p.Name, func(c *score.Spec, src string) {
				c.TaskVerify = maps.Clone(c.TaskVerify)
				c.TaskVerify[row] = slices.Clone(c.TaskVerify[row])
				c.TaskVerify[row][i].Expr.Src = src
			}})
		}
	}
	return out
}

// Add looks at a test that ran: which predicates held in its runs and, where
// mutate is set, which mutants would make the test fail.
func (s *Survey) Add(ctx context.Context, t *interp.Test, p interp.Played, mutate bool) error {
	for _, at := range spots(t.Cell.Spec) {
		x := s.seen[placed(at.pred.Expr.At)]
		if x == nil {
			continue
		}
		x.Tests++
		if err := x.look(ctx, p, at); err != nil {
			return err
		}
		if !mutate {
			continue
		}
		if err := x.mutate(ctx, t, p, at); err != nil {
			return err
		}
	}
	return nil
}

// look evaluates the predicate in all runs of a test.
func (x *subject) look(ctx context.Context, p interp.Played, at spot) error {
	named := []score.Pred{{Name: at.pred.Name, Expr: runtime.Expr{Src: at.read, At: at.pred.Expr.At}}}
	for arm := range p.Trials {
		got, err := p.Values(ctx, arm, named)
		if err != nil {
			return err
		}
		switch v := got[0].(type) {
		case eval.Missing:
			x.Unknown++
		case bool:
			if v {
				x.True++
			} else {
				x.False++
			}
		default:
			x.values[eval.Render(v).String()] = true
		}
	}
	return nil
}

// mutate looks at what the test expects with each mutant that is still alive.
func (x *subject) mutate(ctx context.Context, t *interp.Test, p interp.Played, at spot) error {
	made, err := Mutants(at.pred.Expr.Src)
	if err != nil {
		return err
	}
	for _, m := range made {
		known := x.mutant(m)
		if known.killed {
			continue
		}
		spec := *t.Cell.Spec
		at.put(&spec, m.Src)
		verdicts, err := p.Judge(ctx, t, &spec)
		if err != nil { // a mutant that cannot be evaluated is noticed
			if ctx.Err() != nil {
				return ctx.Err()
			}
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

// Results lists what was seen, by place. Reasons that lead nowhere are told only
// of predicates whose mutants were made.
func (s *Survey) Results() []Seen {
	out := make([]Seen, 0, len(s.seen))
	for _, x := range s.seen {
		out = append(out, x.result())
	}
	sort.Slice(out, func(i, k int) bool { return placeLess(out[i].At, out[k].At) })
	return out
}

func (x *subject) result() Seen {
	r := x.Seen
	r.Values = len(x.values)
	lives := map[string]bool{}
	for _, m := range x.mutants {
		r.Mutants++
		if m.killed {
			r.Killed++
			continue
		}
		lives[m.Name] = true
		r.Survived = append(r.Survived, Survivor{Mutant: m.Name, Text: m.Src, Reason: x.reasons[m.Name]})
	}
	for _, name := range slices.Sorted(maps.Keys(x.reasons)) {
		if r.Mutants > 0 && !lives[name] {
			r.Stale = append(r.Stale, name)
		}
	}
	return r
}
