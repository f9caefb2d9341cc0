package store

import (
	"context"
	"database/sql"
	"errors"

	"parley/runtime/store/pack"
	"parley/runtime/trace"
)

// PutTrial records a finished trial and what its calls came to. With wait it
// returns when the trial is committed; without, soon after it is handed over,
// and a failure shows in a later write, in Flush or in Close.
func (r *Run) PutTrial(ctx context.Context, t *trace.Trial, spent []Spend, wait bool) error {
	events, prompts, err := r.encode(t)
	if err != nil {
		return explain("write a trial to", r.path, err)
	}
	// The caller may go on to change the trial; what is written is read off now.
	calls, shared := countCalls(t)
	row := []any{
		t.Key, t.Arm, t.Repeat, string(t.Outcome), Redact(t.EndedBy), calls, shared, t.Usage.Input, t.Usage.Output,
		t.Simulated, events, prompts,
	}
	f := func(w *writer) error {
		w.spend(spent...)
		_, err := w.insertTrial.Exec(row...)
		return err
	}
	if wait {
		return r.do(ctx, f)
	}
	return r.later(ctx, f)
}

// exchange is the part of a trial that no predicate reads: what models were sent
// and what they answered. It is the larger part, so it is kept apart.
type exchange struct {
	Prompts []trace.Prompt
	Models  []placed
}

// placed is a model event and its index among the trial's events.
type placed struct {
	At    int
	Event trace.Event
}

// encode writes the trial without its exchange, and the exchange apart.
func (r *Run) encode(t *trace.Trial) (events, prompts []byte, err error) {
	e := r.trials.Get().(*pack.Encoder)
	defer r.trials.Put(e)
	defer e.Reset()
	bare := *t
	bare.Prompts = nil
	bare.EndedBy = Redact(t.EndedBy)
	x := exchange{Prompts: t.Prompts}
	if t.Events != nil {
		bare.Events = make([]trace.Event, 0, len(t.Events))
	}
	for i := range t.Events {
		if t.Events[i].Model != nil {
			x.Models = append(x.Models, placed{i, t.Events[i]})
		} else {
			bare.Events = append(bare.Events, t.Events[i])
		}
	}
	if events, err = e.Encode(&bare); err != nil {
		return nil, nil, err
	}
	prompts, err = e.Encode(&x)
	return events, prompts, err
}

// join puts the exchange back into a trial.
func (x *exchange) join(t *trace.Trial) error {
	t.Prompts = x.Prompts
	if len(x.Models) == 0 {
		return nil
	}
	all := make([]trace.Event, 0, len(t.Events)+len(x.Models))
	rest := t.Events
	for _, m := range x.Models {
		before := m.At - len(all)
		if before < 0 || before > len(rest) {
			return pack.ErrCorrupt
		}
		all = append(append(all, rest[:before]...), m.Event)
		rest = rest[before:]
	}
	t.Events = append(all, rest...)
	return nil
}

// decode reads a trial and readies it for predicates; prompts, which hold the
// exchange, may be empty.
func (r *Run) decode(events, prompts string) (*trace.Trial, error) {
	d := r.decoders.Get().(*pack.Decoder)
	defer r.decoders.Put(d)
	d.Reset()
	t := &trace.Trial{}
	if err := d.Decode(events, t); err != nil {
		return nil, explain("read a trial of", r.path, err)
	}
	if prompts != "" {
		var x exchange
		if err := d.Decode(prompts, &x); err != nil {
			return nil, explain("read a trial of", r.path, err)
		}
		if err := x.join(t); err != nil {
			return nil, explain("read a trial of", r.path, err)
		}
	}
	t.Link()
	return t, nil
}

// countCalls counts the trial's model calls, and those that share a draw.
func countCalls(t *trace.Trial) (calls, shared int) {
	for i := range t.Events {
		if m := t.Events[i].Model; m != nil {
			calls++
			if m.Shared {
				shared++
			}
		}
	}
	return calls, shared
}

// Outcome says how the stored trial of that key ended; false: it has not.
func (r *Run) Outcome(ctx context.Context, key string) (trace.Outcome, bool, error) {
	var o string
	err := r.read.QueryRowContext(ctx, "SELECT outcome FROM trials WHERE key = ?", key).Scan(&o)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return trace.Outcome(o), err == nil, explain("read", r.path, err)
}

// Tally counts what a run holds.
type Tally struct {
	Trials    int // different ones, stored
	ByOutcome map[trace.Outcome]int
	Calls     int // model calls in their records
	Shared    int // of these, draws that were another arm's too
	// Naive is how many calls it would take if every arm of every cell drew its
	// own, with nothing shared or stored once.
	Naive int
	// Paired is how many it would take if each attacked and each placebo run had a
	// clean run of its own; 0 where nothing is attacked.
	Paired int
}

// Tally counts the stored trials and their calls.
func (r *Run) Tally(ctx context.Context) (Tally, error) {
	t := Tally{ByOutcome: map[trace.Outcome]int{}}
	rows, err := r.read.QueryContext(ctx, "SELECT outcome, count(*), sum(calls), sum(shared) FROM trials GROUP BY outcome")
	if err != nil {
		return t, explain("read", r.path, err)
	}
	type line struct {
		outcome               trace.Outcome
		trials, calls, shared int
	}
	lines, err := scanAll(r.path, rows, func(rows *sql.Rows) (l line, err error) {
		return l, rows.Scan(&l.outcome, &l.trials, &l.calls, &l.shared)
	})
	if err != nil {
		return t, err
	}
	for _, l := range lines {
		t.ByOutcome[l.outcome] = l.trials
		t.Trials += l.trials
		t.Calls += l.calls
		t.Shared += l.shared
	}
	err = r.read.QueryRowContext(ctx,
		"SELECT coalesce(sum(t.calls), 0) FROM links l JOIN trials t ON t.key = l.trial").Scan(&t.Naive)
	if err != nil {
		return t, explain("read", r.path, err)
	}
	err = r.read.QueryRowContext(ctx, `SELECT coalesce(sum(t.calls + coalesce(u.calls, 0)), 0)
		FROM links l JOIN trials t ON t.key = l.trial
		LEFT JOIN links c ON c.cell = l.cell AND c.row = l.row AND c.repeat = l.repeat
			AND c.arm = CASE WHEN l.arm LIKE 'baseline-%' THEN 'baseline-clean' ELSE 'clean' END
		LEFT JOIN trials u ON u.key = c.trial
		WHERE l.arm NOT IN ('clean', 'baseline-clean')`).Scan(&t.Paired)
	return t, explain("read", r.path, err)
}

// Trial reads a trial whole, model calls and prompts included; nil where there is
// none.
func (r *Run) Trial(ctx context.Context, key string) (*trace.Trial, error) {
	var events, prompts string
	err := r.read.QueryRowContext(ctx, "SELECT events, prompts FROM trials WHERE key = ?", key).Scan(&events, &prompts)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return r.decode(events, prompts)
}

// Events reads a trial without its model calls and prompts, as scoring needs it;
// nil where there is none.
func (r *Run) Events(ctx context.Context, key string) (*trace.Trial, error) {
	var events string
	err := r.read.QueryRowContext(ctx, "SELECT events FROM trials WHERE key = ?", key).Scan(&events)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return r.decode(events, "")
}

// Keys lists the stored trials whose key begins with prefix, at most limit of
// them (0: all), in the order in which they were stored.
func (r *Run) Keys(ctx context.Context, prefix string, limit int) ([]string, error) {
	if limit <= 0 {
		limit = -1
	}
	rows, err := r.read.QueryContext(ctx,
		"SELECT key FROM trials WHERE substr(key, 1, ?) = ? ORDER BY id LIMIT ?", len(prefix), prefix, limit)
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return scanAll(r.path, rows, func(rows *sql.Rows) (s string, err error) { return s, rows.Scan(&s) })
}

// scanAll reads all rows and closes them.
func scanAll[T any](path string, rows *sql.Rows, scan func(*sql.Rows) (T, error)) ([]T, error) {
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, explain("read", path, err)
		}
		out = append(out, v)
	}
	return out, explain("read", path, rows.Err())
}

// Unit is all arms of one row and repeat of a cell.
type Unit struct {
	N           int // counts the cell's units from 0, by row and repeat
	Row, Repeat int
	Case        string // case key: rows that agree are the same task
	Arms        map[string]*trace.Trial
}

// raw is a unit before it is decoded.
type raw struct {
	Unit
	arms   []string
	events []string
}

func (r *Run) decodeUnit(u *raw) (Unit, error) {
	u.Arms = make(map[string]*trace.Trial, len(u.arms))
	for i, arm := range u.arms {
		for j := range i { // equal trials are decoded once
			if u.events[i] == u.events[j] {
				u.Arms[arm] = u.Arms[u.arms[j]]
			}
		}
		if u.Arms[arm] != nil {
			continue
		}
		t, err := r.decode(u.events[i], "")
		if err != nil {
			return Unit{}, err
		}
		u.Arms[arm] = t
	}
	return u.Unit, nil
}

// scanUnits reads the cell's stored trials, without model calls and prompts, unit
// by unit.
func (r *Run) scanUnits(ctx context.Context, cell int, yield func(*raw) error) error {
	rows, err := r.read.QueryContext(ctx, `SELECT l.row, l.repeat, l.arm, l.case_key, t.events
		FROM links l JOIN trials t ON t.key = l.trial WHERE l.cell = ? ORDER BY l.row, l.repeat, l.arm`, cell)
	if err != nil {
		return explain("read", r.path, err)
	}
	defer rows.Close()
	var u *raw
	n := 0
	for rows.Next() {
		var row, repeat int
		var arm, task string
		var events string
		if err := rows.Scan(&row, &repeat, &arm, &task, &events); err != nil {
			return explain("read", r.path, err)
		}
		if u == nil || u.Row != row || u.Repeat != repeat {
			if u != nil {
				if err := yield(u); err != nil {
					return err
				}
			}
			u = &raw{Unit: Unit{N: n, Row: row, Repeat: repeat, Case: task}}
			n++
		}
		u.arms = append(u.arms, arm)
		u.events = append(u.events, events)
	}
	if err := rows.Err(); err != nil || u == nil {
		return explain("read", r.path, err)
	}
	return yield(u)
}
