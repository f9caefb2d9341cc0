package score

import (
	"encoding/json"
	"math"
	"strconv"

	"parley/runtime"
)

// TableVersion is the version of a table's JSON form.
const TableVersion = 1

// Table is what one configuration scored.
type Table struct {
	Version int     `json:"version"`
	Scores  []Score `json:"scores"`
	// Arms says how the runs of each arm ended.
	Arms []ArmCount `json:"arms"`
	// Judges says how the verdicts that the scores read stand.
	Judges []JudgeCount `json:"judges,omitempty"`
	// Fails are the thresholds, in order.
	Fails []Verdict `json:"fails,omitempty"`
	// Flags are things a reader of the whole table must know.
	Flags     []string `json:"flags,omitempty"`
	Simulated bool     `json:"simulated,omitempty"`
	// Pairs is "shared" or "independent" where runs are compared.
	Pairs string `json:"pairs,omitempty"`
}

// Score is one score with its estimates: one, or one for every value of `by`,
// sorted.
type Score struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Better string `json:"better,omitempty"`
	Text   string `json:"text,omitempty"` // as written
	At     string `json:"at,omitempty"`
	Split  bool   `json:"split,omitempty"`
	// Share says that a value made of shares alone is one itself, a mean of them.
	Share     bool       `json:"share,omitempty"`
	Estimates []Estimate `json:"estimates"`
}

// Estimate is a value, its interval and what it rests on. Shares are fractions
// of 1. A value or an end that does not exist is null in JSON, an infinite one
// the string "inf".
type Estimate struct {
	By     string `json:"by,omitempty"`
	Value  Number `json:"value"`
	Low    Number `json:"low"`
	High   Number `json:"high"`
	Method string `json:"method,omitempty"` // how the interval was made
	Why    string `json:"why,omitempty"`    // why there is no value or no interval

	// Num of Den: a rate's events and chances; zero for other scores.
	Num float64 `json:"num,omitempty"`
	Den float64 `json:"den,omitempty"`
	// Tasks is the sample size: tasks with a value or a chance.
	Tasks int `json:"tasks"`
	// Runs were scored; of these NoAnswer gave no readable answer. Errors were
	// dropped for a failed run, Absent have not run, Unknown could not be judged.
	Runs     int `json:"runs"`
	NoAnswer int `json:"no_answer"`
	Errors   int `json:"errors"`
	Absent   int `json:"absent,omitempty"`
	Unknown  int `json:"unknown"`
	// BoundLow and BoundHigh are the rate with all errors and unknowns counted
	// against and for the event; null where there are none.
	BoundLow  Number `json:"bound_low"`
	BoundHigh Number `json:"bound_high"`

	// Placebo is the same score with placebo runs in place of the attacked ones.
	Placebo *Estimate `json:"placebo,omitempty"`
	// Bound is the most a ratio of two rates can be: 1 over the lower one.
	Bound Number `json:"ratio_bound"`
	// Thin ratios rest on at most two tasks somewhere.
	Thin  bool     `json:"thin,omitempty"`
	Flags []string `json:"flags,omitempty"`

	// Published is somebody else's value, set beside this one.
	Published *Against `json:"published,omitempty"`
	// Parts are the tasks' parts of the estimate, for comparing configurations.
	Parts *Parts `json:"-"`
	// lean is each task's part in the error of a value; nil: not known.
	lean map[string]float64
}

// ArmCount says how the runs of an arm ended.
type ArmCount struct {
	Arm      runtime.ArmName `json:"arm"`
	Runs     int             `json:"runs"` // recorded, errors included
	Answered int             `json:"answered"`
	Unread   int             `json:"unreadable"` // ended without a limit, but nothing could be read
	Refused  int             `json:"refused"`
	Limit    int             `json:"limit"`
	Errors   int             `json:"errors"`
	Absent   int             `json:"absent"`
	// Estimated runs have token counts of our own tokenizer.
	Estimated int `json:"estimated,omitempty"`
}

// Verdict is whether a condition holds: yes, no, or unknown with the reason.
type Verdict struct {
	Name  string `json:"name,omitempty"`
	Text  string `json:"text"`
	At    string `json:"at,omitempty"`
	Holds string `json:"holds"` // yes no unknown
	Why   string `json:"why,omitempty"`
}

// Number is a float that JSON can hold: NaN is null, infinity a string.
type Number float64

// NA is the number that does not exist.
var NA = Number(math.NaN())

// Defined reports whether the number exists.
func (n Number) Defined() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON writes null, "inf", "-inf" or the number.
func (n Number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	switch {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	}
	return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*n = NA
		return nil
	case `"inf"`:
		*n = Number(math.Inf(1))
		return nil
	case `"-inf"`:
		*n = Number(math.Inf(-1))
		return nil
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return err
	}
	*n = Number(f)
	return nil
}

// Score returns the score of that name, or nil.
func (t *Table) Score(name string) *Score {
	for i := range t.Scores {
		if t.Scores[i].Name == name {
			return &t.Scores[i]
		}
	}
	return nil
}

// By returns the estimate for a value of `by`, or nil.
func (s *Score) By(key string) *Estimate {
	for i := range s.Estimates {
		if s.Estimates[i].By == key {
			return &s.Estimates[i]
		}
	}
	return nil
}
