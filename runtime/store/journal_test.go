package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
)

// putAnswers puts n answers of each of some units on record.
func putAnswers(t *testing.T, r *Run, n int, units ...string) {
	t.Helper()
	for _, u := range units {
		for i := range n {
			k := fmt.Sprint(u, i)
			a := Answer{
				Unit: u, Key: k, Trial: "t" + u, Position: "p", Response: &model.Response{Content: k},
				Body: []byte("body of " + k), Call: k, Attempt: 1,
			}
			if err := r.PutAnswer(context.Background(), a, Spend{Model: "m", Role: "turn", Calls: 1, Input: 10, Output: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// killed is the run as a process that is killed just now leaves it.
func killed(t *testing.T, r *Run) string {
	t.Helper()
	dir := t.TempDir()
	files, err := filepath.Glob(r.Path() + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(f)), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, filepath.Base(r.Path()))
}

func created(t *testing.T) *Run {
	t.Helper()
	r, err := Create(t.TempDir(), Meta{Name: "s", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// holds checks which units' answers a resumed run has, n of each, and that what
// was spent and what was sent is there once.
func holds(t *testing.T, path string, n, spent int, units ...string) {
	t.Helper()
	ctx := context.Background()
	r, err := Resume(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range units {
		want := map[string]*model.Response{}
		for i := range n {
			want[fmt.Sprint(u, i)] = &model.Response{Content: fmt.Sprint(u, i)}
		}
		got, err := r.Answers(ctx, u)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("unit %s: %v %s", u, err, d)
		}
	}
	list, err := r.Spent(ctx)
	if err != nil || len(list) != 1 || list[0].Calls != spent || list[0].Input != 10*spent {
		t.Errorf("%d calls were paid: %v, %v", spent, list, err)
	}
	if bodies, err := r.Bodies(ctx, ""); err != nil || len(bodies) != spent {
		t.Errorf("%d bodies of %d, %v", len(bodies), spent, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(path + "*"); len(left) != 1 {
		t.Errorf("closing leaves %v", left)
	}
}

// A killed process loses no answer and counts none twice, whatever the run file
// had taken of them by then.
func TestAnswersOfAKilledProcess(t *testing.T) {
	ctx := context.Background()
	r := created(t)
	putAnswers(t, r, 3, "a", "b")
	holds(t, killed(t, r), 3, 6, "a", "b")
	if err := r.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	holds(t, killed(t, r), 3, 6, "a", "b")
	putAnswers(t, r, 3, "c")
	path := killed(t, r)
	holds(t, path, 3, 9, "a", "b", "c")
	holds(t, path, 3, 9, "a", "b", "c") // and again, from the run file alone

	if err := errors.Join(r.DropAnswers(ctx, "b"), r.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	path = killed(t, r)
	holds(t, path, 3, 9, "a", "c")
	holds(t, path, 0, 9, "b")
}

// A note that was not written to its end is left out; those before it are not.
func TestTornNote(t *testing.T) {
	r := created(t)
	putAnswers(t, r, 3, "a")
	path := killed(t, r)
	for cut := 1; cut < 40; cut += 13 {
		b, err := os.ReadFile(r.Path() + journalEnding)
		if err == nil {
			err = os.WriteFile(path+journalEnding, b[:len(b)-cut], 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		notes, err := readJournal(path + journalEnding)
		if err != nil || len(notes) != 2 {
			t.Errorf("without its last %d bytes: %d notes, %v", cut, len(notes), err)
		}
	}
	holds(t, path, 2, 2, "a")
}

// A journal that has grown moves into the run and begins anew.
func TestJournalStaysSmall(t *testing.T) {
	ctx := context.Background()
	r := created(t)
	putAnswers(t, r, 2, "a", "b")
	r.journal.mu.Lock()
	real := r.journal.size
	r.journal.size = journalSize + 1
	r.journal.mu.Unlock()
	if err := r.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(r.Path() + journalEnding); err != nil || st.Size() != 0 {
		t.Errorf("%d of %d bytes are left, %v", st.Size(), real, err)
	}
	putAnswers(t, r, 2, "c")
	if err := r.DropAnswers(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	holds(t, killed(t, r), 2, 6, "a", "b", "c") // a had not been dropped yet
	if err := r.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	path := killed(t, r)
	holds(t, path, 2, 6, "b", "c")
	holds(t, path, 0, 6, "a")
}

// Readers see what was sent and spent before long, without anybody's asking.
func TestJournalIsShownInTime(t *testing.T) {
	r := created(t)
	putAnswers(t, r, 2, "a")
	reader, err := Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for deadline := time.Now().Add(20 * lag); ; time.Sleep(lag / 10) {
		list, err := reader.Spent(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && list[0].Calls == 2 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v after a long time", list)
		}
	}
}

func FuzzReadNote(f *testing.F) {
	n := note{number: 7, a: Answer{Unit: "u", Key: "k", Body: []byte("x"), Attempt: 2}, blob: []byte("b"), spent: Spend{Model: "m", Output: -1}}
	f.Add(n.append(nil))
	f.Add((&note{}).append([]byte{}))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, rest, err := readNote(b)
		if err != nil {
			return
		}
		again, _, err := readNote(append(got.append(nil), rest...))
		if err != nil || !bytes.Equal(got.append(nil), again.append(nil)) {
			t.Errorf("%+v comes back as %+v, %v", got, again, err)
		}
	})
}

// A process that is killed while it turns the run's log on leaves a header half
// changed; the run is read and gone on with all the same.
func TestKilledInTheHeader(t *testing.T) {
	r := created(t)
	putAnswers(t, r, 2, "a")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := connect(r.Path(), "rw")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	// A cache of one page makes SQLite write before it commits.
	_, err = db.Exec(`PRAGMA cache_size = 1; BEGIN; UPDATE meta SET value = value || ' ';
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
		INSERT INTO links SELECT i, i, 0, '', '', hex(randomblob(3000)) FROM n`)
	if err != nil {
		t.Fatal(err)
	}
	path := killed(t, r)
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path + "-journal"); err != nil || st.Size() == 0 {
		t.Fatal("nothing is to be undone: the test shows nothing", err)
	}
	reader, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	holds(t, path, 2, 2, "a")
}
