package runtime

import (
	"context"
	"errors"

	"parley/runtime/model"
	"parley/runtime/trace"
)

// Caller makes model calls on behalf of trials: it finds stored and shared
// draws, retries, counts budgets and records. An error means that the call
// could not be made at all; the trial then ends as trace.Errored, unless the
// error is ErrStopped, which leaves the trial unfinished.
type Caller interface {
	Call(ctx context.Context, c Call) (CallResult, error)
}

// ErrStopped says that no further call may be made: the budget is spent or the
// run is being stopped. The trial stays unfinished and is run again on resume.
var ErrStopped = errors.New("the run was stopped")

// Call is one model call of a trial.
type Call struct {
	Spec     model.Spec
	Request  *model.Request
	Key      string // call key
	Position string // label path / agent / role / tool round / repair
	Agent    string
	Role     string   // turn guard attacker judge: says whose tokens these are
	Script   []Script // tests: answers by script, where one names the agent
}

// CallResult is an answer and where it came from.
type CallResult struct {
	Response *model.Response
	Shared   bool // this draw also serves another arm
	Stored   bool // answered before, not paid again
}

// Trial is what RunTrial needs besides the caller.
type Trial struct {
	Plan    *Plan
	Arm     *Arm
	Case    *Case
	Repeat  int    // from 1
	Key     string // trial key
	CaseKey string
	// Revisions says what answers for each model of the arm's program, by the
	// name under Program.Models: the provider's revision, for call keys.
	Revisions map[string]string
}

// Runner runs one trial from start to end. Implemented by RunTrial.
type Runner func(ctx context.Context, t Trial, calls Caller) (*trace.Trial, error)
