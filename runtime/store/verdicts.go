package store

import (
	"context"
	"database/sql"
	"slices"

	"parley/runtime/trace"
)

// verdictTable came to the format later, as bodies did. A trial has one verdict for
// each thing that it was asked; asking again replaces one that was not settled.
const verdictTable = `
CREATE TABLE IF NOT EXISTS verdicts (
  trial TEXT NOT NULL, ask TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, verdict BLOB NOT NULL,
  PRIMARY KEY (trial, ask)
) WITHOUT ROWID;
`

// PutVerdict records what a judge said and what its calls came to. With wait it
// returns when both are committed. Keys and passwords are taken out of the reason
// of one that failed.
func (r *Run) PutVerdict(ctx context.Context, v *trace.Verdict, spent []Spend, wait bool) error {
	plain := *v
	plain.Why = Redact(v.Why)
	b, err := trace.EncodeVerdict(&plain)
	if err != nil {
		return explain("write a verdict to", r.path, err)
	}
	spent = slices.Clone(spent)
	row := []any{plain.Trial, plain.Ask, plain.Key, plain.State, b}
	f := func(w *writer) error {
		w.spend(spent...)
		_, err := w.conn.ExecContext(context.Background(),
			"INSERT OR REPLACE INTO verdicts (trial, ask, key, state, verdict) VALUES (?, ?, ?, ?, ?)", row...)
		return err
	}
	if wait {
		return r.do(ctx, f)
	}
	return r.later(ctx, f)
}

// Verdicts gives all verdicts of a trial to f, by what was asked; those of all
// trials for an empty key. It ends at the first error.
func (r *Run) Verdicts(ctx context.Context, trial string, f func(*trace.Verdict) error) error {
	var n int
	if err := r.read.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'verdicts'").Scan(&n); err != nil || n == 0 {
		return explain("read", r.path, err)
	}
	query := "SELECT verdict FROM verdicts ORDER BY trial, ask"
	var args []any
	if trial != "" {
		query, args = "SELECT verdict FROM verdicts WHERE trial = ? ORDER BY ask", []any{trial}
	}
	rows, err := r.read.QueryContext(ctx, query, args...)
	if err != nil {
		return explain("read", r.path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var b sql.RawBytes
		if err := rows.Scan(&b); err != nil {
			return explain("read", r.path, err)
		}
		v, err := trace.DecodeVerdict(b)
		if err != nil {
			return explain("read a verdict of", r.path, err)
		}
		if err := f(v); err != nil {
			return err
		}
	}
	return explain("read", r.path, rows.Err())
}
