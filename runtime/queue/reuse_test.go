package queue_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// A run that takes equal trials over from another ends as one that made them all:
// same trials, same draws, same flags; and asks for nothing that another drew, even
// where one arm alone was taken over and its pair shares its draws.
func TestReusedEqualsFresh(t *testing.T) {
	ctx := context.Background()
	for _, shared := range []bool{false, true} {
		for _, local := range []bool{false, true} {
			plans := []*runtime.Plan{plan("a", 4, 2, shared)}
			setup := func(e *endpoint, r *store.Run) queue.Options {
				opt := options(e, r)
				opt.Local = func(model.Spec) bool { return local }
				return opt
			}
			e, old := &endpoint{}, newStore(t)
			run(t, plans, setup(e, old))
			want := unspent(contents(t, old, 1))
			links, err := queue.Links(plans, setup(e, nil))
			if err != nil {
				t.Fatal(err)
			}
			for _, arm := range []string{"clean", "attacked", "all"} {
				r, copied := newStore(t), 0
				for _, l := range links {
					if arm != "all" && l.Arm != arm {
						continue
					}
					ok, err := r.CopyTrial(ctx, old, l)
					if err != nil || !ok {
						t.Fatal(ok, err)
					}
					copied++
				}
				if err := r.Flush(ctx); err != nil {
					t.Fatal(err)
				}
				if arm == "all" {
					if ok, err := r.CopyTrial(ctx, old, links[0]); ok || err != nil {
						t.Errorf("a trial that is there was copied again: %v, %v", ok, err)
					}
				}
				s := run(t, plans, setup(e, r))
				if s.Found != copied || s.Ran != s.Total-copied || !s.Complete {
					t.Errorf("shared %v, %s: %+v", shared, arm, s)
				}
				got := unspent(contents(t, r, 1))
				if shared && arm == "attacked" {
					continue // who draws first is flagged as sharing: the other way about
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("shared %v, local %v, %s taken over: %s", shared, local, arm, d)
				}
			}
		}
	}
}

// unspent leaves out what the calls cost: another run spent it.
func unspent(contents string) []string {
	return slices.DeleteFunc(strings.Split(contents, "\n"), func(line string) bool { return !strings.HasPrefix(line, "{") })
}

// What a stored trial drew is not drawn again for its pair.
func TestReusedDrawsAreDrawnOnce(t *testing.T) {
	ctx := context.Background()
	plans := []*runtime.Plan{plan("a", 3, 1, true)}
	e, old := &endpoint{}, newStore(t)
	run(t, plans, options(e, old))
	links, err := queue.Links(plans, options(e, nil))
	if err != nil {
		t.Fatal(err)
	}
	r := newStore(t)
	for _, l := range links {
		if l.Arm == "clean" {
			if ok, err := r.CopyTrial(ctx, old, l); !ok || err != nil {
				t.Fatal(ok, err)
			}
		}
	}
	if err := r.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	again := &endpoint{}
	s := run(t, plans, options(again, r))
	if want := 3 * (lines - 2); again.calls != want || s.Shared != 3*2 {
		t.Errorf("%d calls were made and %d shared, want %d and 6", again.calls, s.Shared, want)
	}
}
