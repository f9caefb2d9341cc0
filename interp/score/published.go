package score

import (
	"math"

	"parley/interp/score/stat"
)

// Published is a value that somebody else printed for a score of this
// configuration.
type Published struct {
	Row   int    `json:"row"` // of the reference file, from 1
	Score string `json:"score"`
	By    string `json:"by,omitempty"`
	// Value is a fraction of 1, or a ratio; Printed is how the file has it.
	Value   Number `json:"value"`
	Printed string `json:"printed"`
	// Num of Den is the fraction behind the value; Den is 0 where nobody knows it.
	Num    float64 `json:"num,omitempty"`
	Den    float64 `json:"den,omitempty"`
	Source string  `json:"source,omitempty"`
	Note   string  `json:"note,omitempty"`
}

// Against sets a published value beside our estimate. The published value is a
// sample too, so "differs" is said only where MOVER-D (ρ = 0) with its fraction
// excludes 0; without a fraction all that can be said is that it lies outside
// our interval.
type Against struct {
	Published
	Difference Number `json:"difference"` // ours less theirs
	Outside    bool   `json:"outside,omitempty"`
	Differs    bool   `json:"differs,omitempty"`
	// Judged says that the fraction is known and our interval exists.
	Judged bool `json:"judged,omitempty"`
}

// Beside compares an estimate with a published value.
func Beside(e Estimate, p Published) Against {
	a := Against{Published: p, Difference: NA}
	if !e.Value.Defined() || !p.Value.Defined() {
		return a
	}
	if d := float64(e.Value - p.Value); !math.IsNaN(d) {
		a.Difference = Number(d)
	}
	if !e.Low.Defined() || !e.High.Defined() {
		return a
	}
	a.Outside = p.Value < e.Low || p.Value > e.High
	if p.Den > 0 {
		a.Judged = true
		ours := stat.Estimate{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
		a.Differs = stat.Differs(ours, p.Num, p.Den)
	}
	return a
}

// besides sets the specification's published values beside the estimates.
func (t *Table) besides(list []Published) {
	for _, p := range list {
		s := t.Score(p.Score)
		if s == nil {
			continue
		}
		e := s.By(p.By)
		if e == nil {
			// The key has not been seen in any run.
			s.Estimates = append(s.Estimates, Estimate{
				By: p.By, Value: NA, Low: NA, High: NA, BoundLow: NA, BoundHigh: NA, Bound: NA, Why: "no run has this key",
			})
			e = &s.Estimates[len(s.Estimates)-1]
		}
		a := Beside(*e, p)
		e.Published = &a
	}
}
