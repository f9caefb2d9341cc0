package score

import (
	"context"
	"fmt"

	"parley/runtime"
	"parley/runtime/eval"
)

// threshold evaluates a `fail when`; scores are records in it.
func (g *gathered) threshold(p *pred) (Verdict, error) {
	v := Verdict{Name: p.Name, Text: p.Text, At: p.Expr.At}
	got, err := p.prog.Eval(context.Background(), tableEnv{g, g.s.base}, nil)
	if err != nil {
		return v, fmt.Errorf("%s: %w", p.Expr.At, err)
	}
	v.Holds, v.Why = word(got)
	return v, nil
}

// tableEnv gives the scores of one arm as records.
type tableEnv struct {
	g   *gathered
	arm runtime.ArmName
}

// Lookup gives a score, or the scores of another arm.
func (e tableEnv) Lookup(name string) (any, bool) {
	if siblingWord(name) {
		return tableEnv{e.g, sibling(e.arm, name)}, true
	}
	it := e.g.s.byName[name]
	if it == nil {
		return nil, false
	}
	return scoreRecord{name, e.g.estimates(leaf{it, e.arm})}, true
}

// Field is Lookup behind `baseline` and `placebo`.
func (e tableEnv) Field(name string) (any, bool) { return e.Lookup(name) }

// scoreRecord is a score in a threshold: value, low, high, n (tasks), num, den,
// errors, unknown, no_answer; of a split score, the record of each key.
type scoreRecord struct {
	name string
	list []Estimate
}

// Field reads the record; what is n/a is unknown.
func (r scoreRecord) Field(field string) (any, bool) {
	if len(r.list) == 1 && r.list[0].By == "" {
		return r.list[0].field(r.name, field)
	}
	for i := range r.list {
		if r.list[i].By == field {
			return scoreRecord{r.name, []Estimate{unsplit(r.list[i])}}, true
		}
	}
	return nil, false
}

func unsplit(e Estimate) Estimate {
	e.By = ""
	return e
}

func (e *Estimate) field(score, name string) (any, bool) {
	number := func(n Number) (any, bool) {
		if !n.Defined() {
			return eval.Missing{Why: fmt.Sprintf("%s.%s is n/a: %s", score, name, e.Why)}, true
		}
		return float64(n), true
	}
	switch name {
	case "value":
		return number(e.Value)
	case "low":
		return number(e.Low)
	case "high":
		return number(e.High)
	case "n":
		return e.Tasks, true
	case "num":
		return e.Num, true
	case "den":
		return e.Den, true
	case "errors":
		return e.Errors, true
	case "unknown":
		return e.Unknown, true
	case "no_answer":
		return e.NoAnswer, true
	}
	return nil, false
}
