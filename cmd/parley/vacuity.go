package main

import (
	"context"
	"fmt"

	"parley/interp"
	"parley/interp/vacuity"
	"parley/lang/diag"
)

// survey says what the tests showed of predicates, and whether that is enough:
// each seen true and false and, with mutants, most of these noticed and the rest
// explained.
func (t *testRun) survey(ctx context.Context, results []outcome, declared []interp.Declared, h host) (good bool, err error) {
	s := vacuity.New(declared)
	for _, o := range results {
		if !o.Passed {
			continue // a test that fails shows nothing of what it would notice
		}
		if err := s.Add(ctx, o.test, o.played, t.vacuity); err != nil {
			return false, err
		}
	}
	sum := vacuitySum{most: t.killed}
	for _, r := range s.Results() {
		sum.add(r)
		if t.json {
			_ = writeJSONLine(h.stdout, map[string]any{"predicate": r}) // a closed pipe ends the program anyway
			continue
		}
		t.sayPredicate(h, r)
	}
	switch {
	case t.json:
		_ = writeJSONLine(h.stdout, map[string]any{"predicates": sum.all(t.vacuity)})
	default:
		if t.vacuity && sum.mutants > sum.killed+sum.explained {
			fmt.Fprintln(h.stdout, mutantHelp)
		}
		fmt.Fprintln(h.stdout, sum.line(t.vacuity))
	}
	return !t.vacuity || sum.good(), nil
}

// mutantHelp says what to do about a mutant that lives.
const mutantHelp = `A mutant is the predicate with one small mistake. Where no test notices one, write a test that passes with the predicate and not with
the mutant. Where there can be none, say so on the line above the predicate:  // survives "any → all": a run writes once at most`

func (t *testRun) sayPredicate(h host, r vacuity.Seen) {
	word := "ok     "
	switch {
	case r.Tests == 0:
		word = "UNSEEN "
	case r.Vacuous():
		word = "VACUOUS"
	case len(r.Survived)+len(r.Stale) > 0 && t.vacuity:
		word = "LIVES  "
	}
	if word == "ok     " && !t.verbose && !t.coverage {
		return
	}
	line := fmt.Sprintf("%s %s: %s  ", word, diag.Safe(r.At), diag.Safe(r.Name))
	switch {
	case r.Tests == 0:
		line += "no test runs a scenario with it"
	case r.Values > 0:
		line += count(r.Values, "value")
	default:
		line += fmt.Sprintf("true %d, false %d", r.True, r.False)
	}
	if r.Unknown > 0 {
		line += fmt.Sprintf(", unknown %d", r.Unknown)
	}
	if t.vacuity && r.Tests > 0 {
		line += fmt.Sprintf("; %d of %s noticed", r.Killed, count(r.Mutants, "mutant"))
	}
	fmt.Fprintln(h.stdout, line)
	if !t.vacuity {
		return
	}
	for _, m := range r.Survived {
		why := "no test notices"
		if m.Reason != "" {
			why = "explained: " + m.Reason
		}
		fmt.Fprintf(h.stdout, "          \"%s\": %s (%s)\n", diag.Safe(m.Mutant), shorten(m.Text, 120), diag.Safe(why))
	}
	for _, name := range r.Stale {
		fmt.Fprintf(h.stdout, "          \"%s\" is explained, and there is no such mutant alive: take the line out\n", diag.Safe(name))
	}
}

// vacuitySum adds up what is known of all predicates.
type vacuitySum struct {
	predicates, vacuous, mutants, killed, explained, stale int
	most                                                   float64
}

func (s *vacuitySum) add(r vacuity.Seen) {
	s.predicates++
	if r.Vacuous() {
		s.vacuous++
	}
	s.mutants += r.Mutants
	s.killed += r.Killed
	s.stale += len(r.Stale)
	for _, m := range r.Survived {
		if m.Reason != "" {
			s.explained++
		}
	}
}

func (s *vacuitySum) good() bool {
	return s.vacuous == 0 && s.stale == 0 && s.killed+s.explained == s.mutants && float64(s.killed) >= s.most*float64(s.mutants)
}

// all is the sum for programs.
func (s *vacuitySum) all(mutants bool) map[string]any {
	out := map[string]any{"predicates": s.predicates, "vacuous": s.vacuous}
	if mutants {
		out["mutants"], out["killed"], out["explained"], out["stale"], out["good"] = s.mutants, s.killed, s.explained, s.stale, s.good()
	}
	return out
}

func (s *vacuitySum) line(mutants bool) string {
	line := fmt.Sprintf("%s, %d not seen both true and false", count(s.predicates, "predicate"), s.vacuous)
	if !mutants || s.mutants == 0 {
		return line
	}
	return line + fmt.Sprintf("; %d of %s noticed (%.1f %%), %d explained, %d neither", s.killed, count(s.mutants, "mutant"), 100*float64(s.killed)/float64(s.mutants), s.explained, s.mutants-s.killed-s.explained)
}
