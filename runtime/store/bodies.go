package store

import (
	"context"
	"database/sql"
)

// Body is what an endpoint sent in one attempt of a call, as it arrived but for
// its length and the keys in it.
type Body struct {
	Trial    string // trial key
	Call     string // call key
	Position string
	Attempt  int // from 1
	Status   int // HTTP status; 0: none
	Body     []byte
}

// bodyTable came to the format later: files without it are given it when they
// are gone on with.
const bodyTable = `
CREATE TABLE IF NOT EXISTS bodies (
  id INTEGER PRIMARY KEY, trial TEXT NOT NULL, call TEXT NOT NULL, position TEXT NOT NULL,
  attempt INTEGER NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL
);
`

// PutBody keeps a body. It does not wait.
func (r *Run) PutBody(ctx context.Context, b Body) error {
	body := nonNil(b.Body)
	return r.later(ctx, func(w *writer) error {
		_, err := w.insertBody.Exec(b.Trial, b.Call, b.Position, b.Attempt, b.Status, body)
		return err
	})
}

// Bodies reads what endpoints sent for a trial, in order; of an empty key all
// that the run holds.
func (r *Run) Bodies(ctx context.Context, trial string) ([]Body, error) {
	var n int
	if err := r.read.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'bodies'").Scan(&n); err != nil || n == 0 {
		return nil, explain("read", r.path, err)
	}
	rows, err := r.read.QueryContext(ctx,
		"SELECT trial, call, position, attempt, status, body FROM bodies WHERE ? IN ('', trial) ORDER BY id", trial)
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return scanAll(r.path, rows, func(rows *sql.Rows) (b Body, err error) {
		return b, rows.Scan(&b.Trial, &b.Call, &b.Position, &b.Attempt, &b.Status, &b.Body)
	})
}
