package queue_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
)

// TestSummaryNamesWhatHappened holds that failures are counted by kind, or by
// status where they say none, and that two versions of one model show.
func TestSummaryNamesWhatHappened(t *testing.T) {
	e := &endpoint{fail: func(n int, _ *model.Request) error {
		switch n {
		case 1:
			return &model.Fault{Status: 503, Temporary: true, Kind: "status 503 service unavailable", Err: errors.New("away")}
		case 2:
			return &model.Fault{Status: 500, Temporary: true, Err: errors.New("oops")}
		case 3:
			return errors.New("gone")
		}
		return nil
	}}
	e.version = func(n int) string { return []string{"v1", "v2"}[n%2] }
	opt := options(e, nil)
	opt.Workers = 1
	s := run(t, []*runtime.Plan{plan("", 2, 1, false)}, opt)
	want := []queue.Remark{{"big", "no answer", 1}, {"big", "status 500", 1}, {"big", "status 503 service unavailable", 1}}
	if d := cmp.Diff(want, s.Failures); !s.Complete || d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]queue.Remark{{"big", "by the version v1", 5}, {"big", "by the version v2", 5}}, s.Odd); d != "" {
		t.Error(d)
	}
	e = &endpoint{version: func(int) string { return "v1" }}
	if s := run(t, []*runtime.Plan{plan("", 2, 1, false)}, options(e, nil)); len(s.Odd)+len(s.Failures) > 0 {
		t.Errorf("one version: %+v", s)
	}
}

// TestLastingFailureStopsTheRun holds that nobody waits for what cannot succeed,
// whatever its status.
func TestLastingFailureStopsTheRun(t *testing.T) {
	e := &endpoint{fail: func(int, *model.Request) error {
		return &model.Fault{Status: 429, Lasting: true, Kind: "status 429 too many requests", Err: errors.New("no money")}
	}}
	opt := options(e, newStore(t))
	opt.Workers = 1
	s := run(t, []*runtime.Plan{plan("", 5, 1, false)}, opt)
	if e.calls != 1 || s.Complete || s.Ran != 0 || s.Stopped != "big: no money" {
		t.Errorf("%d calls, %+v", e.calls, s)
	}
}
