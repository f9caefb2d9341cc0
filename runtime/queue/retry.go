package queue

import (
	"errors"
	"math"
	"time"

	"parley/runtime/key"
	"parley/runtime/model"
)

// Retry says how a call that failed for a while is made again: after Base,
// doubled each time up to Max, half of it drawn from the call's key, and never
// before the server allows.
type Retry struct {
	Attempts int           // in all; 0: 10, about four minutes
	Base     time.Duration // 0: half a second
	Max      time.Duration // 0: a minute
	Patience time.Duration // a server that asks for longer is not waited for; 0: ten minutes
}

func (r Retry) withDefaults() Retry {
	set := func(d *time.Duration, to time.Duration) {
		if *d <= 0 {
			*d = to
		}
	}
	if r.Attempts <= 0 {
		r.Attempts = 10
	}
	set(&r.Base, 500*time.Millisecond)
	set(&r.Max, time.Minute)
	set(&r.Patience, 10*time.Minute)
	return r
}

// wait is the time until the next attempt, attempts counting from 1; false
// where there is none.
func (r Retry) wait(callKey string, attempt int, f *model.Fault) (time.Duration, bool) {
	if !f.Temporary || attempt >= r.Attempts || f.RetryAfter > r.Patience {
		return 0, false
	}
	d := float64(r.Base) * math.Pow(2, float64(attempt-1))
	d = min(d, float64(r.Max))
	u := key.Of("retry", callKey, attempt).Unit()
	if f.RetryAfter > 0 {
		// All who were told the same time must not come back at the same moment.
		return f.RetryAfter + time.Duration(u*float64(r.Base)), true
	}
	return time.Duration(d * (0.5 + u/2)), true
}

// faultOf reads an error of a provider; one that says nothing of itself is a
// failure of the transport and may pass.
func faultOf(err error) *model.Fault {
	var f *model.Fault
	if errors.As(err, &f) {
		return f
	}
	return &model.Fault{Temporary: true, Err: err}
}

// overloaded reports whether the endpoint asks for fewer calls.
func overloaded(f *model.Fault) bool {
	return f.Status == 429 || f.Status == 503 || f.Status == 529
}

// hopeless reports whether every further call would fail the same way: the key
// is wrong, the account is empty, there is no such endpoint or model.
func hopeless(f *model.Fault) bool {
	return f.Lasting || !f.Temporary && (f.Status == 401 || f.Status == 402 || f.Status == 404)
}
