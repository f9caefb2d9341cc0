package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"strconv"
)

// noted names the number of the newest note whose body and spending the run file
// has. It is committed with them, so that nothing is counted twice.
const noted = "noted"

// recover moves what a killed process noted into the run file.
func (r *Run) recover(c *sql.Conn) error {
	j := r.journal
	notes, err := readJournal(j.path)
	if err != nil {
		return err
	}
	j.tabled = true
	var text string
	switch err := c.QueryRowContext(context.Background(), "SELECT value FROM meta WHERE name = ?", noted).Scan(&text); {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	default:
		if j.last, err = strconv.ParseUint(text, 10, 64); err != nil {
			return ErrDamaged
		}
	}
	if len(notes) > 0 {
		if err := j.tell(c, notes); err != nil {
			return err
		}
	}
	if err := os.Remove(j.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// tell writes notes into the run file, all or nothing: bodies and spending that
// it lacks, and the answers of units that have not ended.
func (j *journal) tell(c *sql.Conn, notes []note) error {
	ctx := context.Background()
	tx, err := c.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // once committed there is nothing to roll back
	open := map[string][]note{}
	for _, n := range notes {
		if n.a.Key == "" {
			delete(open, n.a.Unit)
			continue
		}
		open[n.a.Unit] = append(open[n.a.Unit], n)
		if n.number <= j.last {
			continue
		}
		j.last = n.number
		if err := tellOne(ctx, tx, n); err != nil {
			return err
		}
	}
	for _, list := range open {
		for _, n := range list {
			if _, err := tx.ExecContext(ctx, insertCall, n.a.Unit, n.a.Key, n.a.Trial, n.a.Position, n.blob); err != nil {
				return err
			}
		}
	}
	value, err := json.Marshal(j.last)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, setNoted, string(value)); err != nil {
		return err
	}
	return tx.Commit()
}

func tellOne(ctx context.Context, tx *sql.Tx, n note) error {
	if len(n.a.Body) > 0 {
		if _, err := tx.ExecContext(ctx, insertBody, n.a.Trial, n.a.Call, n.a.Position, n.a.Attempt, answered, n.a.Body); err != nil {
			return err
		}
	}
	s := n.spent
	_, err := tx.ExecContext(ctx, addSpend, s.Model, s.Role, s.Calls, s.Input, s.Output, s.Estimated)
	return err
}
