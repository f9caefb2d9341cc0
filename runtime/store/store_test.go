package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"parley/runtime/model"
	"parley/runtime/store"
	"parley/runtime/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestARunComesBack(t *testing.T) {
	ctx := context.Background()
	r := newRun(t)
	cells := []store.Cell{{Labels: `[{"mode":"colluding"}]`, Plan: []byte("plan"), Spec: []byte{0, 255}}, {Labels: "[]"}}
	a, b := debate(1), debate(2)
	b.Arm, b.Outcome, b.EndedBy = "clean", trace.Limit, "turns"
	b.Events[0].Model.Shared = true
	links := []store.Link{
		{Cell: 0, Row: 0, Repeat: 1, Arm: "attacked", Case: a.Case, Trial: a.Key},
		{Cell: 0, Row: 0, Repeat: 1, Arm: "clean", Case: a.Case, Trial: b.Key},
		{Cell: 0, Row: 0, Repeat: 1, Arm: "placebo", Case: a.Case, Trial: b.Key},
		{Cell: 1, Row: 0, Repeat: 1, Arm: "clean", Case: a.Case, Trial: b.Key},
		{Cell: 0, Row: 4, Repeat: 1, Arm: "clean", Case: a.Case, Trial: "not there yet"},
	}
	err := errors.Join(
		r.PutCells(ctx, cells),
		r.PutLinks(ctx, links), r.SetPlanned(ctx, 3),
		r.PutTrial(ctx, a, []store.Spend{{Model: "sim", Role: "turn", Calls: 12, Input: 4000, Output: 900}}, true),
		r.PutTrial(ctx, b, []store.Spend{{Model: "sim", Role: "turn", Calls: 1, Input: 5, Output: 6, Estimated: 1}}, false),
		r.SetState(ctx, store.State{Status: store.Incomplete, Note: "stopped", Ended: began}),
		r.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(r.Path() + "*"); len(left) != 1 {
		t.Errorf("closing leaves %v", left)
	}
	r, err = store.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := meta()
	want.ID = r.Meta().ID
	if d := cmp.Diff(want, r.Meta()); d != "" {
		t.Error(d)
	}
	state := store.State{Status: store.Incomplete, Note: "stopped", Ended: began, Planned: 3}
	if d := cmp.Diff(state, r.State()); d != "" {
		t.Error(d)
	}
	got, err := r.Cells(ctx)
	if d := cmp.Diff(cells, got); d != "" || err != nil {
		t.Error(err, d)
	}
	for _, one := range []*trace.Trial{a, b} {
		whole, err := r.Trial(ctx, one.Key)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(asJSON(t, one), asJSON(t, whole)); d != "" {
			t.Error(d)
		}
		if n, ok := whole.Reply.(map[string]any)["n"].(int); !ok || n < 1 {
			t.Errorf("an int came back as %T", whole.Reply.(map[string]any)["n"])
		}
	}
	testCounts(t, r, a)
	testUnits(t, r, a, b)
}

func testCounts(t *testing.T, r *store.Run, a *trace.Trial) {
	t.Helper()
	ctx := context.Background()
	if n, bad, err := r.Counts(ctx); n != 2 || bad != 0 || err != nil {
		t.Errorf("counts %d, %d, %v", n, bad, err)
	}
	tally, err := r.Tally(ctx)
	want := store.Tally{Trials: 2, ByOutcome: map[trace.Outcome]int{trace.Answered: 1, trace.Limit: 1}, Calls: 24, Shared: 1, Naive: 48, Paired: 48}
	if d := cmp.Diff(want, tally); d != "" || err != nil {
		t.Error(err, d)
	}
	spent, err := r.Spent(ctx)
	if d := cmp.Diff([]store.Spend{{Model: "sim", Role: "turn", Calls: 13, Input: 4005, Output: 906, Estimated: 1}}, spent); d != "" || err != nil {
		t.Error(err, d)
	}
	if keys, err := r.Keys(ctx, a.Key[:8], 0); err != nil || len(keys) != 1 || keys[0] != a.Key {
		t.Errorf("keys %v, %v", keys, err)
	}
	read, err := r.Links(ctx, 0)
	if err != nil || len(read) != 4 || read[3].Row != 4 || read[0].Trial != a.Key {
		t.Errorf("links %v, %v", read, err)
	}
}

func testUnits(t *testing.T, r *store.Run, a, b *trace.Trial) {
	var units []store.Unit
	err := r.EachUnit(context.Background(), 0, 1, func(u store.Unit) error {
		units = append(units, u)
		return nil
	})
	if err != nil || len(units) != 1 {
		t.Fatalf("%d units, %v", len(units), err)
	}
	u := units[0]
	if u.N != 0 || u.Row != 0 || u.Repeat != 1 || u.Case != a.Case || len(u.Arms) != 3 {
		t.Errorf("unit %+v", u)
	}
	if u.Arms["attacked"].Key != a.Key || u.Arms["placebo"].Key != b.Key || u.Arms["clean"] != u.Arms["placebo"] {
		t.Error("the arms are mixed up")
	}
	if d := cmp.Diff(withoutModels(b), u.Arms["clean"].Events, cmpopts.IgnoreUnexported(trace.Turn{}, trace.Call{}, trace.Message{})); len(u.Arms["clean"].Prompts) != 0 || d != "" {
		t.Error("units must hold all events but model calls, and no prompts", d)
	}
	if len(u.Arms["attacked"].TurnList()) != 12 {
		t.Error("the trial is not linked")
	}
}

// withoutModels are the events that predicates read.
func withoutModels(t *trace.Trial) []trace.Event {
	return slices.DeleteFunc(slices.Clone(t.Events), func(e trace.Event) bool { return e.Model != nil })
}

func TestUnitsInParallel(t *testing.T) {
	ctx := context.Background()
	r := newRun(t)
	const n = 100
	for i := range n {
		d := debate(i)
		link := store.Link{Row: i / 2, Repeat: 1 + i%2, Arm: "clean", Case: d.Case, Trial: d.Key}
		if err := errors.Join(r.PutTrial(ctx, d, nil, false), r.PutLinks(ctx, []store.Link{link})); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := make([]string, n)
	err := r.EachUnit(ctx, 0, 4, func(u store.Unit) error {
		mu.Lock()
		defer mu.Unlock()
		seen[u.N] = u.Arms["clean"].Key
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if seen[i] != debate(i).Key {
			t.Fatalf("unit %d holds another trial", i)
		}
	}
	stop := errors.New("enough")
	for _, workers := range []int{1, 4} {
		if err := r.EachUnit(ctx, 0, workers, func(store.Unit) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("%d workers: got %v", workers, err)
		}
	}
}

func TestAnErrorGivesWay(t *testing.T) {
	ctx := context.Background()
	r := newRun(t)
	d := debate(1)
	for _, c := range []struct {
		outcome trace.Outcome
		want    trace.Outcome
	}{{trace.Errored, trace.Errored}, {trace.Refused, trace.Refused}, {trace.Answered, trace.Refused}, {trace.Errored, trace.Refused}} {
		d.Outcome = c.outcome
		if err := r.PutTrial(ctx, d, nil, true); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := r.Outcome(ctx, d.Key); got != c.want || !ok || err != nil {
			t.Errorf("after %s: %s, %v, %v", c.outcome, got, ok, err)
		}
	}
	if bare, err := r.Events(ctx, d.Key); err != nil || len(bare.Events) != len(withoutModels(d)) || bare.Prompts != nil {
		t.Error("events alone", err)
	}
	if none, err := r.Events(ctx, "nothing"); none != nil || err != nil {
		t.Error("events of a trial that is not there", err)
	}
	if _, ok, err := r.Outcome(ctx, "nothing"); ok || err != nil {
		t.Error("a trial that is not there has an outcome", err)
	}
	if none, err := r.Trial(ctx, "nothing"); none != nil || err != nil {
		t.Error("a trial that is not there is read", err)
	}
}

func TestAnswers(t *testing.T) {
	ctx := context.Background()
	r := newRun(t)
	resp := &model.Response{Content: "\xff yes", ToolCalls: []model.ToolCall{{ID: "1", Args: "{"}}, Usage: &model.Usage{}}
	for _, k := range []string{"a", "b"} {
		a := store.Answer{Unit: "u", Key: k, Trial: "t", Position: "p", Response: resp}
		if err := r.PutAnswer(ctx, a, store.Spend{Model: "m", Role: "turn", Calls: 1, Input: 2, Output: 3}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := r.Answers(ctx, "u")
	if d := cmp.Diff(map[string]*model.Response{"a": resp, "b": resp}, got); d != "" || err != nil {
		t.Error(err, d)
	}
	if any, err := r.HasAnswers(ctx); !any || err != nil {
		t.Error("no answers", err)
	}
	if err := errors.Join(r.DropAnswers(ctx, "u"), r.Flush(ctx)); err != nil {
		t.Fatal(err)
	}
	if any, err := r.HasAnswers(ctx); any || err != nil {
		t.Error("answers are left", err)
	}
	spent, _ := r.Spent(ctx)
	if len(spent) != 1 || spent[0].Calls != 2 || spent[0].Output != 6 {
		t.Errorf("what was dropped is not paid back: %v", spent)
	}
}

func TestNoSecretIsStored(t *testing.T) {
	ctx := context.Background()
	r := newRun(t)
	words := []string{"sk-proj-abcdef123456", "hunter2hunter2", "eyJhbGciOi.x.y", "AIzaSyD-1234567890abc"}
	text := fmt.Sprintf(`401: Incorrect API key provided: %s. url https://ann:%s@host/v1 Authorization: Bearer %s key %s`,
		words[0], words[1], words[2], words[3])
	d := debate(1)
	d.Outcome, d.EndedBy = trace.Errored, text
	err := errors.Join(
		r.PutAttempt(ctx, store.Attempt{At: began, Trial: "t", Call: "c", Position: "p", Attempt: 2, Status: 401, Wait: time.Second, Error: text}),
		r.PutTrial(ctx, d, nil, true),
	)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Attempts(ctx, 1)
	if err != nil || len(list) != 1 || list[0].Status != 401 || list[0].Wait != time.Second || !list[0].At.Equal(began) {
		t.Errorf("attempts %+v, %v", list, err)
	}
	if !strings.Contains(list[0].Error, "401: Incorrect API key") {
		t.Errorf("too much is gone: %s", list[0].Error)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if strings.Contains(string(b), w) {
			t.Errorf("the file holds %s", w)
		}
	}
}

func TestOneProcessWrites(t *testing.T) {
	r := newRun(t)
	if _, err := store.Resume(r.Path()); !errors.Is(err, store.ErrBusy) {
		t.Errorf("a second writer: %v", err)
	}
	reader, err := store.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.PutTrial(context.Background(), debate(1), nil, true); err != nil {
		t.Fatal(err)
	}
	if n, _, err := reader.Counts(context.Background()); n != 1 || err != nil {
		t.Errorf("a reader sees %d trials, %v", n, err)
	}
	if err := reader.PutTrial(context.Background(), debate(2), nil, true); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a reader writes: %v", err)
	}
	if err := errors.Join(reader.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := store.Resume(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	if again.State().Status != store.Running {
		t.Error("a resumed run is not running")
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestNewestWithinASecond holds that runs that began in the same second are
// told apart by what stands in them.
func TestNewestWithinASecond(t *testing.T) {
	dir := t.TempDir()
	for i := range 8 {
		r, err := store.Create(dir, store.Meta{Name: "s", Target: fmt.Sprint(i % 2), Seed: uint64(i), Started: time.Unix(1e9, int64((i*3)%8))})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got, err := store.Latest(dir, "")
	if err != nil || got.Meta.Started.Nanosecond() != 7 {
		t.Errorf("%v %v", got.Meta.Started, err)
	}
	if got, err = store.Latest(dir, "0"); err != nil || got.Meta.Started.Nanosecond() != 6 {
		t.Errorf("%v %v", got.Meta.Started, err)
	}
	list, err := store.List(dir)
	if err != nil || len(list) != 8 {
		t.Fatal(len(list), err)
	}
	for i, info := range list {
		if info.Meta.Started.Nanosecond() != 7-i {
			t.Errorf("place %d has %v", i, info.Meta.Started)
		}
	}
}

// TestBodies holds that bodies are kept as they are handed over, by trial, and
// that a file from before there were any is read and gone on with.
func TestBodies(t *testing.T) {
	ctx := context.Background()
	r, err := store.Create(t.TempDir(), store.Meta{Name: "s", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	want := []store.Body{
		{Trial: "a", Call: "k", Position: "p", Attempt: 1, Status: 429, Body: []byte("<html>")},
		{Trial: "a", Call: "k", Position: "p", Attempt: 2, Status: 200, Body: []byte("{\"x\":\"\\u0000\x1b\"}")},
	}
	for _, b := range append(want, store.Body{Trial: "b"}) {
		if err := r.PutBody(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	got, err := r.Bodies(ctx, "a")
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
	if all, err := r.Bodies(ctx, ""); err != nil || len(all) != 3 {
		t.Error(all, err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", r.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("DROP TABLE bodies")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := store.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := old.Bodies(ctx, ""); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := store.Resume(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(again.PutBody(ctx, want[0]), again.Close()); err != nil {
		t.Error(err)
	}
}
