package store

import (
	"context"
	"database/sql"
)

// Cell is one configuration of a run: what it is called, its plan, and how it
// is scored. The store does not look into them.
type Cell struct {
	Labels string // JSON: the values of the sweep
	Plan   []byte
	Spec   []byte
}

// Link says which trial is an arm's at a row and a repeat of a cell. Equal
// trials are stored once and linked often.
type Link struct {
	Cell, Row, Repeat int
	Arm               string
	Case              string // case key
	Trial             string // trial key
}

// PutCells records the run's cells, in order, in place of any before.
func (r *Run) PutCells(ctx context.Context, cells []Cell) error {
	return r.do(ctx, func(w *writer) error {
		if _, err := w.conn.ExecContext(ctx, "DELETE FROM cells"); err != nil {
			return err
		}
		for i, c := range cells {
			_, err := w.conn.ExecContext(ctx, "INSERT INTO cells (cell, labels, plan, spec) VALUES (?, ?, ?, ?)",
				i, c.Labels, nonNil(c.Plan), nonNil(c.Spec))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func nonNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Cells reads the run's cells, in order.
func (r *Run) Cells(ctx context.Context) ([]Cell, error) {
	rows, err := r.read.QueryContext(ctx, "SELECT labels, plan, spec FROM cells ORDER BY cell")
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return scanAll(r.path, rows, func(rows *sql.Rows) (c Cell, err error) {
		return c, rows.Scan(&c.Labels, &c.Plan, &c.Spec)
	})
}

// PutLinks records links; equal ones of before are replaced. It does not wait.
func (r *Run) PutLinks(ctx context.Context, links []Link) error {
	return r.later(ctx, func(w *writer) error {
		for _, l := range links {
			if _, err := w.insertLink.Exec(l.Cell, l.Row, l.Repeat, l.Arm, l.Case, l.Trial); err != nil {
				return err
			}
		}
		return nil
	})
}

// SetPlanned records how many different trials the run has in all.
func (r *Run) SetPlanned(ctx context.Context, n int) error {
	r.mu.Lock()
	r.state.Planned = n
	s := r.state
	r.mu.Unlock()
	return r.do(ctx, func(w *writer) error { return putMeta(w.conn, "state", s) })
}

// Links reads a cell's links, by row, repeat and arm.
func (r *Run) Links(ctx context.Context, cell int) ([]Link, error) {
	rows, err := r.read.QueryContext(ctx,
		"SELECT row, repeat, arm, case_key, trial FROM links WHERE cell = ? ORDER BY row, repeat, arm", cell)
	if err != nil {
		return nil, explain("read", r.path, err)
	}
	return scanAll(r.path, rows, func(rows *sql.Rows) (Link, error) {
		l := Link{Cell: cell}
		return l, rows.Scan(&l.Row, &l.Repeat, &l.Arm, &l.Case, &l.Trial)
	})
}

// Counts says how many trials are stored and how many of them are errors.
func (r *Run) Counts(ctx context.Context) (trials, errored int, err error) {
	err = r.read.QueryRowContext(ctx,
		"SELECT (SELECT count(*) FROM trials), (SELECT count(*) FROM trials WHERE outcome = 'error')").Scan(&trials, &errored)
	return trials, errored, explain("read", r.path, err)
}
