package queue_test

import (
	cmp2 "cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

func TestEqualTrialsRunOnce(t *testing.T) {
	e, r := &endpoint{}, newStore(t)
	plans := []*runtime.Plan{plan("a", 3, 2, false), plan("b", 3, 2, false), plan("a", 3, 2, false)}
	plans[2].Cases = append(plans[2].Cases, plans[2].Cases[0]) // a row twice
	plans[2].Cases[3].Row = 9
	plans[2].Cases[3].Fields = map[string]any{"q": "task 0", "unread": "differs"}
	s := run(t, plans, options(e, r))
	if s.Total != 18 || s.Ran != 18 || s.Calls != 18*lines || !s.Complete || s.Shared != 0 {
		t.Errorf("%+v", s)
	}
	links, err := r.Links(context.Background(), 2)
	if err != nil || len(links) != 16 {
		t.Fatalf("%d links, %v", len(links), err)
	}
	if links[0].Trial != links[12].Trial || links[0].Case != links[12].Case || links[12].Row != 9 {
		t.Errorf("the row that stands twice is not one task: %+v, %+v", links[0], links[12])
	}
	tally, err := r.Tally(context.Background())
	if err != nil || tally.Trials != 18 || tally.Naive != (12+12+16)*lines {
		t.Errorf("%+v, %v", tally, err)
	}
	if st := r.State(); st.Status != store.Complete || st.Planned != 18 {
		t.Errorf("%+v", st)
	}
	// The same command again calls no model.
	r = reopen(t, r)
	calls := e.calls
	s = run(t, plans, options(e, r))
	if s.Ran != 0 || s.Found != 18 || s.Total != 18 || !s.Complete || e.calls != calls || s.Spent[0].Calls != 90 {
		t.Errorf("%+v", s)
	}
}

func TestLinks(t *testing.T) {
	r := newStore(t)
	plans := []*runtime.Plan{plan("a", 3, 2, false), plan("b", 2, 1, true)}
	run(t, plans, options(&endpoint{}, r))
	links, err := queue.Links(plans, queue.Options{Providers: options(&endpoint{}, nil).Providers})
	if err != nil {
		t.Fatal(err)
	}
	var stored []store.Link
	for c := range plans {
		of, err := r.Links(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, of...)
	}
	byPlace := func(a, b store.Link) int {
		return cmp2.Or(a.Cell-b.Cell, a.Row-b.Row, a.Repeat-b.Repeat, strings.Compare(a.Arm, b.Arm))
	}
	slices.SortFunc(links, byPlace)
	if d := cmp.Diff(stored, links); d != "" {
		t.Error(d)
	}
}

func TestSharedAndIndependentPairs(t *testing.T) {
	for _, shared := range []bool{false, true} {
		e, r := &endpoint{}, newStore(t)
		s := run(t, []*runtime.Plan{plan("a", 2, 1, shared), plan("b", 2, 1, shared)}, options(e, r))
		want, wantShared := 2*3*lines, 0
		if shared {
			wantShared = 2 * (2 + 2) // two attacks, whose first two calls are the clean run's
			want -= wantShared
		}
		if s.Calls != want || e.calls != want || s.Shared != wantShared || s.Spent[0].Calls != want {
			t.Errorf("shared %v: %+v", shared, s)
		}
		if list := e.repeated(); len(list) > 0 {
			t.Errorf("shared %v: asked twice: %v", shared, list)
		}
		same := 0
		err := r.EachUnit(context.Background(), 0, 1, func(u store.Unit) error {
			a, err := r.Trial(context.Background(), u.Arms["clean"].Key) // units come without model calls
			if err != nil {
				return err
			}
			b, err := r.Trial(context.Background(), u.Arms["attacked"].Key)
			if err != nil {
				return err
			}
			for i := range a.Events {
				x, y := a.Events[i].Model, b.Events[i].Model
				if x.Shared {
					t.Error("the clean run comes first and shares nobody's draw")
				}
				if y.Shared != (x.Text == y.Text) {
					t.Errorf("event %d: shared %v, texts %s and %s", i, y.Shared, x.Text, y.Text)
				}
				if y.Shared {
					same++
				}
			}
			return nil
		})
		if err != nil || same != map[bool]int{false: 0, true: 4}[shared] {
			t.Errorf("shared %v: %d draws in common, %v", shared, same, err)
		}
	}
}

// Whatever the file's order and whoever finishes first, tasks come in the order
// that the seed draws, each as a whole block.
func TestOrder(t *testing.T) {
	order := func(seed uint64, reverse bool) []string {
		p := plan("a", 8, 2, false)
		if reverse {
			slices.Reverse(p.Cases)
		}
		var began []string
		opt := options(&endpoint{}, nil)
		opt.Workers, opt.Order = 1, seed
		opt.OnTrial = func(tr runtime.Trial, _ *trace.Trial) {
			began = append(began, fmt.Sprint(tr.Case.Fields["q"], " ", tr.Repeat, " ", tr.Arm.Name))
		}
		run(t, []*runtime.Plan{p}, opt)
		return began
	}
	a := order(1, false)
	if d := cmp.Diff(a, order(1, true)); d != "" {
		t.Errorf("the file's order shows: %s", d)
	}
	if cmp.Equal(a, order(2, false)) {
		t.Error("the seed draws nothing")
	}
	for i := 0; i < len(a); i += 4 {
		task := strings.TrimSuffix(a[i], " 1 clean")
		want := []string{task + " 1 clean", task + " 1 attacked", task + " 2 clean", task + " 2 attacked"}
		if d := cmp.Diff(want, a[i:i+4]); d != "" {
			t.Errorf("the block at %d: %s", i, d)
		}
	}
}

func TestConcurrencyChangesNothing(t *testing.T) {
	for _, shared := range []bool{false, true} {
		var first string
		for _, workers := range []int{1, 3, 64} {
			r := newStore(t)
			opt := options(&endpoint{}, r)
			opt.Workers = workers
			plans := []*runtime.Plan{plan("a", 4, 2, shared), plan("b", 4, 2, shared)}
			run(t, plans, opt)
			got := contents(t, r, 2)
			if first == "" {
				first = got
			}
			if d := cmp.Diff(first, got); d != "" {
				t.Errorf("shared %v, %d workers: %s", shared, workers, d)
			}
		}
	}
}

func TestRetries(t *testing.T) {
	fault := func(status int, after time.Duration, temporary bool) error {
		return &model.Fault{Status: status, RetryAfter: after, Temporary: temporary, Err: fmt.Errorf("%d from the server, key sk-abcdefghijk", status)}
	}
	e, r := &endpoint{}, newStore(t)
	e.fail = func(n int, _ *model.Request) error {
		switch n {
		case 1:
			return fault(429, 3*time.Second, true)
		case 2:
			return fault(500, 0, true)
		case 3:
			return errors.New("connection reset by peer")
		}
		return nil
	}
	opt := options(e, r)
	var slept []time.Duration
	var notes []string
	opt.Sleep = func(_ context.Context, d time.Duration) error {
		slept = append(slept, d)
		return nil
	}
	opt.OnProgress = func(p queue.Progress) {
		if p.Note != "" {
			notes = append(notes, p.Note)
		}
	}
	s := run(t, []*runtime.Plan{plan("", 1, 1, false)}, opt)
	if !s.Complete || s.Retries != 3 || s.Calls != lines || s.Spent[0].Calls != lines {
		t.Errorf("%+v", s)
	}
	if len(slept) != 3 || slept[0] < 3*time.Second || slept[0] > 3500*time.Millisecond ||
		slept[1] < 500*time.Millisecond || slept[1] > time.Second || slept[2] < time.Second || slept[2] > 2*time.Second {
		t.Errorf("waited %v", slept)
	}
	if len(notes) != 3 || !strings.Contains(notes[0], "429 from the server") || strings.Contains(notes[0], "sk-abc") {
		t.Errorf("notes %q", notes)
	}
	list, err := r.Attempts(context.Background(), 0)
	if err != nil || len(list) != 3 || list[2].Status != 429 || list[2].Attempt != 1 || list[0].Attempt != 3 || list[0].Wait != slept[2].Truncate(time.Millisecond) {
		t.Errorf("attempts %+v, %v", list, err)
	}
}

func TestWhatIsNotRetried(t *testing.T) {
	for _, c := range []struct {
		name     string
		fault    model.Fault
		attempts int
		stopped  bool
	}{
		{"a bad request", model.Fault{Status: 400}, 1, false},
		{"a wrong key", model.Fault{Status: 401}, 1, true},
		{"no such model", model.Fault{Status: 404}, 1, true},
		{"a wait of hours", model.Fault{Status: 429, Temporary: true, RetryAfter: 5 * time.Hour}, 1, false},
		{"an endless outage", model.Fault{Status: 503, Temporary: true}, 4, false},
	} {
		e, r := &endpoint{}, newStore(t)
		c.fault.Err = errors.New(c.name)
		e.fail = func(int, *model.Request) error { return &c.fault }
		opt := options(e, r)
		opt.Retry.Attempts = 4
		p := []*runtime.Plan{plan("", 1, 1, false)}
		s := run(t, p, opt)
		if e.calls != c.attempts || s.Complete || (s.Stopped != "") != c.stopped || s.Errored != map[bool]int{false: 1}[c.stopped] {
			t.Errorf("%s: %d attempts, %+v", c.name, e.calls, s)
		}
		if st := r.State(); st.Status != store.Incomplete || st.Note == "" {
			t.Errorf("%s: %+v", c.name, st)
		}
		if c.stopped && !strings.Contains(s.Stopped, c.name) {
			t.Errorf("%s: %q does not say why", c.name, s.Stopped)
		}
		// What failed is run again.
		r = reopen(t, r)
		e = &endpoint{}
		if s := run(t, p, options(e, r)); !s.Complete || s.Ran != 1 || s.Errored != 0 {
			t.Errorf("%s, resumed: %+v", c.name, s)
		}
	}
}

func TestAnOutageStopsTheRun(t *testing.T) {
	e, r := &endpoint{}, newStore(t)
	e.fail = func(n int, _ *model.Request) error {
		if n <= 2*lines {
			return nil
		}
		return &model.Fault{Status: 400, Err: errors.New("the server is on fire")}
	}
	opt := options(e, r)
	opt.Workers, opt.StopAfter = 1, 3
	s := run(t, []*runtime.Plan{plan("", 20, 1, false)}, opt)
	if s.Ran != 5 || s.Errored != 3 || !strings.Contains(s.Stopped, "the server is on fire") {
		t.Errorf("%+v", s)
	}
}

func TestBudgets(t *testing.T) {
	plans := func(b runtime.Budget) []*runtime.Plan {
		p := plan("a", 5, 1, false)
		p.Budget = b
		return []*runtime.Plan{p, plan("b", 5, 1, false)}
	}
	for _, c := range []struct {
		name string
		plan runtime.Budget
		opt  runtime.Budget
		most int // calls
		says string
	}{
		{"calls", runtime.Budget{Calls: 13}, runtime.Budget{}, 13, "13 calls"},
		{"the smaller", runtime.Budget{Calls: 30}, runtime.Budget{Calls: 9}, 9, "9 calls"},
		{"tokens", runtime.Budget{}, runtime.Budget{Tokens: 100}, 9 + 3, "100 tokens"},
		{"dollars", runtime.Budget{USD: 0.0001}, runtime.Budget{}, 5 + 3, "US dollars"},
	} {
		e, r := &endpoint{}, newStore(t)
		opt := options(e, r)
		opt.Budget = c.opt
		opt.Prices = map[string]queue.Price{"big": {Input: 1, Output: 5}} // 20 millionths a call
		s := run(t, plans(c.plan), opt)
		if e.calls > c.most || e.calls < c.most-3 || s.Complete || !strings.Contains(s.Stopped, c.says) {
			t.Errorf("%s: %d calls, %+v", c.name, e.calls, s)
		}
		if want := float64(s.Calls) * 20e-6; s.USD < want*0.999 || s.USD > want*1.001 {
			t.Errorf("%s: %v dollars for %d calls", c.name, s.USD, s.Calls)
		}
		// What was spent stays spent; without a bound the rest is run.
		r = reopen(t, r)
		opt.Store = r
		calls := e.calls
		if again := run(t, plans(c.plan), opt); e.calls > calls+3 || again.Stopped == "" {
			t.Errorf("%s: a spent budget pays for %d calls", c.name, e.calls-calls)
		}
		r = reopen(t, r)
		if s = run(t, plans(runtime.Budget{}), options(e, r)); !s.Complete || e.calls != 15*lines || len(e.repeated()) > 0 {
			t.Errorf("%s: %d calls in all, %d twice, %+v", c.name, e.calls, len(e.repeated()), s)
		}
		if s.Replayed == 0 && c.name == "calls" {
			t.Errorf("%s: the unfinished trial was begun anew", c.name)
		}
	}
	_, err := queue.Run(context.Background(), plans(runtime.Budget{USD: 1}), options(&endpoint{}, nil))
	if err == nil || !strings.Contains(err.Error(), `"big"`) {
		t.Errorf("a budget in dollars without a price: %v", err)
	}
}
