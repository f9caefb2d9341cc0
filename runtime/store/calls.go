package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/runtime/model"
	"parley/runtime/store/pack"
)

// Answer is one answered call of a trial that has not ended yet. Answers that
// cost something are kept until all trials that share them have ended, so that
// no call is paid for twice.
type Answer struct {
	Unit     string // the trials that share draws
	Key      string // call key
	Trial    string // trial key
	Position string
	Response *model.Response

	// Body is what the endpoint sent in the attempt that was answered, if it is to
	// be kept; Call is the call key under which it is found.
	Body    []byte
	Call    string
	Attempt int // from 1
}

// Spend is what calls of one model in one role came to.
type Spend struct {
	Model     string // the endpoint's name of the model
	Role      string // turn guard attacker judge
	Calls     int
	Input     int // tokens
	Output    int // tokens
	Estimated int // calls whose tokens are not the provider's count
}

// Attempt is a failed attempt of a call.
type Attempt struct {
	At       time.Time
	Trial    string // trial key
	Call     string // call key
	Position string
	Attempt  int           // from 1
	Status   int           // HTTP status; 0: none
	Wait     time.Duration // until the next attempt; 0: it was the last
	Error    string
}

// PutAnswer records an answer and returns when no killed process can lose it:
// only then may the trial go on with it. Readers see its body and what was spent a
// second later at most.
func (r *Run) PutAnswer(ctx context.Context, a Answer, spent Spend) error {
	if r.write == nil {
		return ErrClosed
	}
	if err := errors.Join(r.write.err(), ctx.Err()); err != nil {
		return err
	}
	e := r.answers.Get().(*pack.Encoder)
	b, err := e.Encode(a.Response)
	e.Reset()
	r.answers.Put(e)
	if err != nil {
		return explain("write an answer to", r.path, err)
	}
	err = r.write.journal.add(a, b, spent)
	if errors.Is(err, ErrClosed) {
		return err
	}
	return explain("write", r.path, err)
}

// Answers reads the answers that a unit's unfinished trials left, by call key.
func (r *Run) Answers(ctx context.Context, unit string) (map[string]*model.Response, error) {
	rows, err := r.read.QueryContext(ctx, "SELECT key, response FROM calls WHERE unit = ?", unit)
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	defer rows.Close()
	out := map[string]*model.Response{}
	for rows.Next() {
		var k, b string
		if err := rows.Scan(&k, &b); err != nil {
			return nil, explain("read", r.path, err)
		}
		resp := &model.Response{}
		if err := r.codec.Decoder().Decode(b, resp); err != nil {
			return nil, explain("read an answer of", r.path, err)
		}
		out[k] = resp
	}
	if err := rows.Err(); err != nil || r.write == nil {
		return out, explain("read", r.path, err)
	}
	return out, explain("read an answer of", r.path, r.write.journal.left(unit, out))
}

// HasAnswers reports whether any unfinished trial left answers.
func (r *Run) HasAnswers(ctx context.Context) (bool, error) {
	if r.write != nil && r.write.journal.any() {
		return true, nil
	}
	var n int
	err := r.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM calls)").Scan(&n)
	return n > 0, explain("read", r.path, err)
}

// DropAnswers forgets a unit's answers: its trials, which were handed over
// before, are committed with it or earlier. It does not wait.
func (r *Run) DropAnswers(ctx context.Context, unit string) error {
	return r.later(ctx, func(w *writer) error {
		w.ended = append(w.ended, unit)
		return nil
	})
}

// PutAttempt puts a failed attempt on record, keys and passwords taken out. It
// does not wait.
func (r *Run) PutAttempt(ctx context.Context, a Attempt) error {
	text := Redact(a.Error)
	return r.later(ctx, func(w *writer) error {
		_, err := w.insertAttempt.Exec(a.At.UTC().Format(time.RFC3339Nano), a.Trial, a.Call, a.Position,
			a.Attempt, a.Status, a.Wait.Milliseconds(), text)
		return err
	})
}

// Attempts reads the newest failed attempts first, at most limit of them (0: all).
func (r *Run) Attempts(ctx context.Context, limit int) ([]Attempt, error) {
	if limit <= 0 {
		limit = -1
	}
	rows, err := r.read.QueryContext(ctx,
		"SELECT at, trial, call, position, attempt, status, wait_ms, error FROM attempts ORDER BY id DESC LIMIT ?", limit)
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return scanAll(r.path, rows, func(rows *sql.Rows) (a Attempt, err error) {
		var at string
		var ms int64
		if err := rows.Scan(&at, &a.Trial, &a.Call, &a.Position, &a.Attempt, &a.Status, &ms, &a.Error); err != nil {
			return a, err
		}
		a.Wait = time.Duration(ms) * time.Millisecond
		a.At, err = time.Parse(time.RFC3339Nano, at)
		return a, err
	})
}

// spend adds to what the transaction will write: a row or two, however many
// calls it holds.
func (w *writer) spend(list ...Spend) {
	for _, s := range list {
		k := [2]string{s.Model, s.Role}
		d := w.due[k]
		if d == nil {
			d = &Spend{Model: s.Model, Role: s.Role}
			w.due[k] = d
		}
		d.Calls += s.Calls
		d.Input += s.Input
		d.Output += s.Output
		d.Estimated += s.Estimated
	}
}

// Spent reads what all calls of the run came to, killed processes included.
func (r *Run) Spent(ctx context.Context) ([]Spend, error) {
	rows, err := r.read.QueryContext(ctx, "SELECT model, role, calls, input, output, estimated FROM spend ORDER BY model, role")
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return scanAll(r.path, rows, func(rows *sql.Rows) (s Spend, err error) {
		return s, rows.Scan(&s.Model, &s.Role, &s.Calls, &s.Input, &s.Output, &s.Estimated)
	})
}
