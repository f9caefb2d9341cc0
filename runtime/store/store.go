// Package store keeps runs: one SQLite file a run, which holds everything that
// happened in it; while it goes on others stand beside it, the log of SQLite and
// the journal of paid answers. What was paid for survives a killed process, and a
// committed trial a power cut too; a file is never overwritten by a program that
// does not understand it. Secrets have no place in it: no headers, no environment,
// and errors are cleaned of keys.
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/store/pack"
	"parley/runtime/trace"
)

// Meta says what a run is. It is written once, when the run is created.
type Meta struct {
	ID        string          `json:"id"`             // short; part of the file's name
	Name      string          `json:"name"`           // of the scenario or experiment
	Target    string          `json:"target"`         // what the command named
	File      string          `json:"file,omitempty"` // the scenario file
	Digest    string          `json:"digest"`         // key of the plans: a run is resumed with equal ones
	Seed      uint64          `json:"seed"`
	Options   json.RawMessage `json:"options,omitempty"` // of the command; no secrets
	Started   time.Time       `json:"started"`
	Engine    string          `json:"engine"`    // engine version
	Version   string          `json:"version"`   // of the program
	Simulated bool            `json:"simulated"` // some model is the simulator
}

// State is how far a run has come.
type State struct {
	Status  Status    `json:"status"`
	Ended   time.Time `json:"ended,omitzero"`
	Note    string    `json:"note,omitempty"` // why it stopped, for people
	Planned int       `json:"planned"`        // different trials in all
}

// Status names the ways a run can stand.
type Status string

// A run that was killed stays Running.
const (
	Running    Status = "running"
	Complete   Status = "complete"   // every trial has ended, none in an error
	Incomplete Status = "incomplete" // stopped, or errors are left
)

// Run is an open run file. It is safe for concurrent use.
type Run struct {
	path  string
	meta  Meta
	codec *pack.Codec

	decoders sync.Pool // of *pack.Decoder
	trials   sync.Pool // of *pack.Encoder
	answers  sync.Pool // of *pack.Encoder, which stay small
	read     *sql.DB
	write    *writer // nil: opened for reading
	journal  *journal
	lock     *fileLock

	mu    sync.Mutex
	state State

	once   sync.Once // Close works once
	closed error
}

// Create makes a new run file in dir, which is created where it is missing. The
// name is the time, the run's name and a short id; an existing file is never
// touched.
func Create(dir string, m Meta) (*Run, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, explain("create the folder", dir, err)
	}
	path, m, err := reserve(dir, m)
	if err != nil {
		return nil, err
	}
	r, err := create(path, m)
	if err != nil {
		for _, end := range []string{"", "-wal", "-shm", "-journal", journalEnding} {
			_ = os.Remove(path + end) // nothing is in it yet; the error says what matters
		}
		return nil, err
	}
	return r, nil
}

func create(path string, m Meta) (*Run, error) {
	codec, err := newCodec(nil)
	if err != nil {
		return nil, err
	}
	r := &Run{path: path, meta: m, state: State{Status: Running}}
	r.use(codec)
	if err := r.openForWriting(func(c *sql.Conn) error { return layOut(c, r) }); err != nil {
		return nil, err
	}
	return r, nil
}

// Open opens a run for reading. The run may be going on.
func Open(path string) (*Run, error) {
	r := &Run{path: path}
	if _, err := os.Stat(path); err != nil {
		return nil, explain("open", path, err)
	}
	if err := r.openForReading(); err != nil {
		return nil, err
	}
	return r, nil
}

// Resume opens a run to go on with it. Only one process at a time can.
func Resume(path string) (*Run, error) {
	r := &Run{path: path}
	if _, err := os.Stat(path); err != nil {
		return nil, explain("open", path, err)
	}
	// Looked at before anything is written: a foreign file stays as it is.
	if err := r.openForReading(); err != nil {
		return nil, err
	}
	if err := r.read.Close(); err != nil {
		return nil, explain("open", path, err)
	}
	if err := r.openForWriting(r.resume); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Run) resume(c *sql.Conn) error {
	r.state.Status, r.state.Note, r.state.Ended = Running, "", time.Time{}
	if _, err := c.ExecContext(context.Background(), bodyTable+verdictTable); err != nil {
		return err
	}
	if err := r.recover(c); err != nil {
		return err
	}
	for name, v := range map[string]any{"schema": r.codec.Schema(), "state": r.state} {
		if err := putMeta(c, name, v); err != nil {
			return err
		}
	}
	return nil
}

func newCodec(known pack.Schema) (*pack.Codec, error) {
	c, err := pack.New(known, []any{segment.Text{}}, trace.Trial{}, exchange{}, model.Response{})
	if err != nil {
		return nil, err
	}
	c.Plain = func(v any) (any, bool) {
		if a, ok := v.(*trace.Agent); ok && a != nil {
			return a.Name, true
		}
		return nil, false
	}
	return c, nil
}

func (r *Run) openForWriting(prepare func(*sql.Conn) error) error {
	lock, err := lockFile(r.path)
	if err != nil {
		return err
	}
	r.lock = lock
	j := &journal{path: r.path + journalEnding, codec: r.codec, open: map[string][]*note{}}
	r.journal = j
	if r.write, err = startWriter(r.path, j, prepare); err != nil {
		return errors.Join(err, lock.release())
	}
	if r.read, err = connect(r.path, "rw", "_pragma=query_only(1)"); err != nil {
		return errors.Join(err, r.write.close(), lock.release())
	}
	return nil
}

func (r *Run) openForReading() error {
	db, err := connectReadOnly(r.path)
	if err != nil {
		return err
	}
	if err := r.load(db); err != nil {
		return errors.Join(err, db.Close())
	}
	r.read = db
	return nil
}

// load checks that the file is a run of a version we know and reads its heads.
func (r *Run) load(db *sql.DB) error {
	if err := checkVersion(db, r.path); err != nil {
		return err
	}
	var schema pack.Schema
	for name, into := range map[string]any{"run": &r.meta, "state": &r.state, "schema": &schema} {
		if err := getMeta(db, name, into); err != nil {
			return explain("read", r.path, err)
		}
	}
	codec, err := newCodec(schema)
	if err != nil {
		return explain("read", r.path, err)
	}
	r.use(codec)
	return nil
}

func (r *Run) use(codec *pack.Codec) {
	r.codec = codec
	r.decoders.New = func() any { return codec.Decoder() }
	r.trials.New = func() any { return codec.Encoder() }
	r.answers.New = r.trials.New
}

// Path is the run's file.
func (r *Run) Path() string { return r.path }

// Name is the file's name without folder and ending: how people call the run.
func (r *Run) Name() string { return runName(filepath.Base(r.path)) }

// Meta says what the run is.
func (r *Run) Meta() Meta { return r.meta }

// State says how far the run has come, as last written by this process or read.
func (r *Run) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// SetState records how the run stands; the number of planned trials is kept.
func (r *Run) SetState(ctx context.Context, s State) error {
	r.mu.Lock()
	s.Planned = r.state.Planned
	r.state = s
	r.mu.Unlock()
	return r.do(ctx, func(w *writer) error { return putMeta(w.conn, "state", s) })
}

// Flush waits until everything handed over before is written.
func (r *Run) Flush(ctx context.Context) error {
	return r.do(ctx, func(*writer) error { return nil })
}

// Close writes what is left and closes the file. Closing again gives the same
// answer.
func (r *Run) Close() error {
	r.once.Do(func() { r.closed = r.close() })
	return r.closed
}

func (r *Run) close() error {
	var errs []error
	if r.read != nil {
		errs = append(errs, explain("close", r.path, r.read.Close()))
	}
	if r.write != nil {
		errs = append(errs, r.write.close())
	}
	if r.lock != nil {
		errs = append(errs, explain("unlock", r.path, r.lock.release()))
	}
	return errors.Join(errs...)
}
