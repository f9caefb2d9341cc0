package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"
)

// batchSize bounds what one commit holds. A commit takes what is waiting, so
// under load it grows by itself.
const batchSize = 512

// writer owns the one connection that writes. Work is done in the order in
// which it came and committed together; a failed commit fails all of it and
// everything later, since nobody knows what a full disk takes next.
type writer struct {
	path string
	db   *sql.DB
	conn *sql.Conn

	insertTrial, insertCall, insertAttempt, insertBody, addSpend, dropCalls, insertLink, setNoted *sql.Stmt

	journal *journal
	due     map[[2]string]*Spend // what this transaction's calls came to, by model and role
	ended   []string             // units whose trials this transaction completes

	jobs chan job
	quit chan struct{} // closed by close: take what is there and end
	done chan struct{} // closed when the goroutine has ended
	once sync.Once

	mu     sync.Mutex
	failed error
}

// job is a piece of a transaction; result is nil where nobody waits.
type job struct {
	do     func(*writer) error
	result chan error
}

func (j job) urgent() bool { return j.result != nil }

// gathering is how long jobs that nobody waits for stay together: a commit costs
// more than everything else that is done with one. A process that is killed in
// that time runs the trials again, from the journal where they were paid for.
const gathering = 5 * time.Millisecond

// lag is how long what the journal has may be missing from the run file.
const lag = time.Second

func startWriter(path string, j *journal, prepare func(*sql.Conn) error) (*writer, error) {
	db, err := connect(path, "rw", "_pragma=page_size(8192)", "_pragma=journal_mode(WAL)",
		"_pragma=synchronous(FULL)", "_pragma=wal_autocheckpoint(2000)")
	if err != nil {
		return nil, err
	}
	w := &writer{
		path: path, db: db, due: map[[2]string]*Spend{}, journal: j,
		jobs: make(chan job, 256), quit: make(chan struct{}), done: make(chan struct{}),
	}
	if err := w.open(prepare); err != nil {
		if w.conn != nil {
			_ = w.conn.Close()
		}
		_ = db.Close()
		return nil, explain("write", path, err)
	}
	go w.run()
	return w, nil
}

// Statements that recovering a run takes too.
const (
	insertCall = `INSERT OR IGNORE INTO calls (unit, key, trial, position, response) VALUES (?, ?, ?, ?, ?)`
	insertBody = `INSERT INTO bodies (trial, call, position, attempt, status, body) VALUES (?, ?, ?, ?, ?, ?)`
	addSpend   = `INSERT INTO spend (model, role, calls, input, output, estimated) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (model, role) DO UPDATE SET calls = calls + excluded.calls, input = input + excluded.input,
			output = output + excluded.output, estimated = estimated + excluded.estimated`
	setNoted = `INSERT OR REPLACE INTO meta (name, value) VALUES ('` + noted + `', ?)`
)

// answered is the status of an attempt that was answered.
const answered = 200

func (w *writer) open(prepare func(*sql.Conn) error) error {
	ctx := context.Background()
	var err error
	if w.conn, err = w.db.Conn(ctx); err != nil {
		return err
	}
	if err := prepare(w.conn); err != nil {
		return err
	}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		// A trial that ended in an error gives way to one that did not.
		{&w.insertTrial, `INSERT INTO trials (key, arm, repeat, outcome, ended_by, calls, shared, input, output, simulated, events, prompts)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (key) DO UPDATE SET outcome = excluded.outcome, ended_by = excluded.ended_by, calls = excluded.calls,
			shared = excluded.shared, input = excluded.input, output = excluded.output, simulated = excluded.simulated,
			events = excluded.events, prompts = excluded.prompts WHERE trials.outcome = 'error'`},
		{&w.insertCall, insertCall},
		{&w.insertAttempt, `INSERT INTO attempts (at, trial, call, position, attempt, status, wait_ms, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`},
		{&w.insertBody, insertBody},
		{&w.addSpend, addSpend},
		{&w.dropCalls, `DELETE FROM calls WHERE unit = ?`},
		{&w.insertLink, `INSERT OR REPLACE INTO links (cell, row, repeat, arm, case_key, trial) VALUES (?, ?, ?, ?, ?, ?)`},
		{&w.setNoted, setNoted},
	} {
		if *p.stmt, err = w.conn.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) run() {
	defer close(w.done)
	tick := time.NewTicker(lag)
	defer tick.Stop()
	for {
		select {
		case j := <-w.jobs:
			w.batch(j)
		case <-tick.C:
			if !w.journal.idle() {
				w.batch(job{do: func(*writer) error { return nil }})
			}
		case <-w.quit:
			for {
				select {
				case j := <-w.jobs:
					w.batch(j)
				default:
					return
				}
			}
		}
	}
}

// batch commits a job together with those that come behind it.
func (w *writer) batch(first job) {
	jobs := w.gather(w.waiting(append(make([]job, 0, 16), first)))
	err := w.err()
	if err == nil {
		err = w.commit(jobs, false)
	}
	for _, j := range jobs {
		if j.result != nil {
			j.result <- err
		}
	}
}

// gather waits a little for more, as long as nobody waits for what is there.
func (w *writer) gather(jobs []job) []job {
	if len(jobs) >= batchSize || slices.ContainsFunc(jobs, job.urgent) {
		return jobs
	}
	timer := time.NewTimer(gathering)
	defer timer.Stop()
	for len(jobs) < batchSize {
		select {
		case j := <-w.jobs:
			jobs = append(jobs, j)
			if j.urgent() {
				return w.waiting(jobs)
			}
		case <-timer.C:
			return jobs
		case <-w.quit:
			return jobs
		}
	}
	return jobs
}

// waiting adds the jobs that have been handed over, as many as a batch takes.
func (w *writer) waiting(jobs []job) []job {
	for len(jobs) < batchSize {
		select {
		case j := <-w.jobs:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// commit writes jobs, and what the journal has, in one transaction; all empties
// the journal. A failure ends all writing.
func (w *writer) commit(jobs []job, all bool) error {
	w.ended = w.ended[:0]
	p := w.journal.take(all)
	err := w.transact(jobs, &p)
	clear(w.due)
	err = explain("write", w.path, errors.Join(err, w.journal.settle(p, err == nil)))
	if err != nil {
		w.mu.Lock()
		w.failed = err
		w.mu.Unlock()
	}
	return err
}

func (w *writer) transact(jobs []job, p *part) error {
	ctx := context.Background()
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := w.apply(jobs, p); err != nil {
		_, back := w.conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, back)
	}
	if _, err := w.conn.ExecContext(ctx, "COMMIT"); err != nil {
		_, _ = w.conn.ExecContext(ctx, "ROLLBACK") // SQLite may have done so
		return err
	}
	return nil
}

func (w *writer) apply(jobs []job, p *part) error {
	for _, j := range jobs {
		if err := j.do(w); err != nil {
			return err
		}
	}
	p.drops = w.ended
	if err := w.move(p); err != nil {
		return err
	}
	for _, s := range w.due {
		if _, err := w.addSpend.Exec(s.Model, s.Role, s.Calls, s.Input, s.Output, s.Estimated); err != nil {
			return err
		}
	}
	return nil
}

// move writes what a part of the journal brings.
func (w *writer) move(p *part) error {
	for _, n := range p.waiting {
		w.spend(n.spent)
		if a := &n.a; len(a.Body) > 0 {
			if _, err := w.insertBody.Exec(a.Trial, a.Call, a.Position, a.Attempt, answered, a.Body); err != nil {
				return err
			}
		}
	}
	for _, n := range p.open {
		if _, err := w.insertCall.Exec(n.a.Unit, n.a.Key, n.a.Trial, n.a.Position, n.blob); err != nil {
			return err
		}
	}
	if w.journal.tabled {
		for _, unit := range p.drops {
			if _, err := w.dropCalls.Exec(unit); err != nil {
				return err
			}
		}
	}
	if len(p.waiting) == 0 {
		return nil
	}
	_, err := w.setNoted.Exec(strconv.FormatUint(p.last, 10))
	return err
}

// err is the failure that ended all writing.
func (w *writer) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// close commits what waits, folds the log into the file, and ends the goroutine.
func (w *writer) close() error {
	var err error
	w.once.Do(func() {
		w.journal.close()
		close(w.quit)
		<-w.done
		if err = w.err(); err == nil && (w.journal.any() || !w.journal.idle()) {
			err = w.commit(nil, true)
		}
		err = errors.Join(err, explain("close", w.path, w.journal.remove(err == nil)))
		// One plain file is left, which can be read where nothing can be written.
		// Where somebody reads it just now it stays as it is.
		_, _ = w.conn.ExecContext(context.Background(), "PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE")
		err = errors.Join(err, explain("close", w.path, errors.Join(w.conn.Close(), w.db.Close())))
	})
	return err
}

// do hands over a piece of work and waits until it is committed.
func (r *Run) do(ctx context.Context, f func(*writer) error) error {
	return r.await(ctx, job{do: f})
}

// await hands over a job and waits until it is committed.
func (r *Run) await(ctx context.Context, j job) error {
	result := make(chan error, 1)
	j.result = result
	if err := r.hand(ctx, j); err != nil {
		return err
	}
	select {
	case err := <-result:
		return err
	case <-r.write.done:
		select {
		case err := <-result:
			return err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// later hands over a piece of work; a failure shows in what comes after it.
func (r *Run) later(ctx context.Context, f func(*writer) error) error {
	if r.write != nil {
		if err := r.write.err(); err != nil {
			return err
		}
	}
	return r.hand(ctx, job{do: f})
}

func (r *Run) hand(ctx context.Context, j job) error {
	if r.write == nil {
		return ErrClosed
	}
	select {
	case <-r.write.quit:
		return ErrClosed
	default:
	}
	select {
	case r.write.jobs <- j:
		return nil
	case <-r.write.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}
