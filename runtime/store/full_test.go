package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/runtime/trace"
)

// A full disk, as SQLite meets it: the first write that does not fit fails, so
// does every later one, and what was committed before stays.
func TestFullDisk(t *testing.T) {
	ctx := context.Background()
	r, err := Create(t.TempDir(), Meta{Name: "full", Started: time.Unix(1, 0)})
	if err != nil {
		t.Fatal(err)
	}
	err = r.do(ctx, func(w *writer) error {
		_, err := w.conn.ExecContext(ctx, "PRAGMA max_page_count = 200")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	for ; stored < 100; stored++ {
		one := &trace.Trial{Key: string(rune('A' + stored)), EndedBy: string(make([]byte, 20000))}
		if err = r.PutTrial(ctx, one, nil, true); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrFull) || stored < 5 {
		t.Fatalf("after %d trials: %v", stored, err)
	}
	if err := r.PutTrial(ctx, &trace.Trial{Key: "small"}, nil, false); !errors.Is(err, ErrFull) {
		t.Errorf("a later write: %v", err)
	}
	if err := r.Close(); !errors.Is(err, ErrFull) {
		t.Errorf("close: %v", err)
	}
	r, err = Resume(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	if n, _, err := r.Counts(ctx); n != stored || err != nil {
		t.Errorf("%d of %d trials are left, %v", n, stored, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
