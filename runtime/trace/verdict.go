package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// How asking a judge can end.
const (
	VerdictRead       = "read"
	VerdictUnreadable = "unreadable" // answered, refused or cut off, and not in the asked form
	VerdictFailed     = "failed"     // the call could not be made
	VerdictSkipped    = "skipped"    // the judge's own condition leaves the run out
)

// Verdict is what a judge said of one trial, with the calls that it took. It is no
// part of the trial: nothing in it is the team's.
type Verdict struct {
	Judge string `json:"judge"` // for people
	Trial string `json:"trial"` // trial key
	Ask   string `json:"ask"`   // key of what was asked, within the trial
	Key   string `json:"key"`   // judge, revision and the text shown; empty: nothing was shown
	State string `json:"state"`
	// Reply is the verdict, typed by the judge's form; nil unless it was read.
	Reply any `json:"reply,omitempty"`
	// Why says why there is no reply.
	Why string `json:"why,omitempty"`
	// Attempts is how often the judge has been asked in all.
	Attempts  int   `json:"attempts,omitempty"`
	Usage     Usage `json:"usage"` // of all attempts
	Simulated bool  `json:"simulated,omitempty"`
	// Prompts and Calls are the attempts as sent and answered; Seeds are the
	// seeds of the requests, one for each call.
	Prompts []Prompt `json:"prompts,omitempty"`
	Calls   []Model  `json:"calls,omitempty"`
	Seeds   []int64  `json:"seeds,omitempty"`
}

// Readable reports whether there is a verdict.
func (v *Verdict) Readable() bool { return v != nil && v.State == VerdictRead }

// Settled reports whether asking again would change nothing: the verdict was
// read, or the run is not to be judged.
func (v *Verdict) Settled() bool {
	return v != nil && (v.State == VerdictRead || v.State == VerdictSkipped)
}

// Lack says, behind the judge's name, why there is no verdict.
func (v *Verdict) Lack() string {
	switch {
	case v == nil:
		return "has not been asked"
	case v.State == VerdictSkipped:
		return "does not judge this run"
	case v.State == VerdictFailed:
		return "could not be asked: " + v.Why
	}
	return "gave no readable verdict: " + v.Why
}

// EncodeVerdict writes a verdict as JSON.
func EncodeVerdict(v *Verdict) ([]byte, error) {
	plain := *v
	plain.Reply = plainValue(v.Reply)
	b, err := json.Marshal(&plain)
	if err != nil {
		return nil, fmt.Errorf("the verdict cannot be written as JSON: %w", err)
	}
	return b, nil
}

// DecodeVerdict reads what EncodeVerdict wrote.
func DecodeVerdict(data []byte) (*Verdict, error) {
	v := &Verdict{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return nil, fmt.Errorf("this is not a recorded verdict: %w", err)
	}
	v.Reply = goValue(v.Reply)
	return v, nil
}
