package queue

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"parley/runtime/model"
)

// An endpoint that is overloaded gets fewer calls, one cut for each round of
// calls however many of them it turned away, and more again as it answers.
func TestLimiterGivesWayAndComesBack(t *testing.T) {
	l := newLimiter(10)
	take := func(n int) []int {
		var rounds []int
		for range n {
			r, err := l.acquire(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			rounds = append(rounds, r)
		}
		return rounds
	}
	for _, r := range take(10) {
		l.release(r, true)
	}
	if l.limit != 7 || l.inUse != 0 {
		t.Fatalf("after ten refusals at once: limit %v, %d in use", l.limit, l.inUse)
	}
	for _, r := range take(7) {
		l.release(r, false)
	}
	if l.limit < 7.9 || l.limit > 8.1 {
		t.Errorf("after a round of answers: limit %v", l.limit)
	}
	for range 100 {
		l.release(take(1)[0], false)
	}
	if l.limit != 10 {
		t.Errorf("after many answers: limit %v", l.limit)
	}
	for range 100 {
		l.release(take(1)[0], true)
	}
	if l.limit != 1 {
		t.Errorf("after many refusals: limit %v", l.limit)
	}
}

func TestLimiterKeepsTheOrderAndForgetsWhoLeft(t *testing.T) {
	l := newLimiter(1)
	round, err := l.acquire(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	waiting := func(n int) {
		for {
			l.mu.Lock()
			m := len(l.waiting)
			l.mu.Unlock()
			if m == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	var order []int
	var wg sync.WaitGroup
	ctx, leave := context.WithCancel(context.Background())
	for i := range 4 {
		wg.Go(func() {
			c := context.Background()
			if i == 1 {
				c = ctx
			}
			r, err := l.acquire(c)
			if i == 1 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("who left got %v", err)
				}
				return
			}
			order = append(order, i) // one at a time: the limit is 1
			l.release(r, false)
		})
		waiting(i + 1)
	}
	leave()
	waiting(3)
	l.release(round, false)
	wg.Wait()
	if len(order) != 3 || order[0] != 0 || order[1] != 2 || order[2] != 3 || l.inUse != 0 {
		t.Errorf("order %v, %d in use", order, l.inUse)
	}
}

func TestRetryWaits(t *testing.T) {
	r := Retry{}.withDefaults()
	temporary := &model.Fault{Temporary: true}
	var sum time.Duration
	for attempt := 1; attempt < r.Attempts; attempt++ {
		a, ok := r.wait("k", attempt, temporary)
		again, _ := r.wait("k", attempt, temporary)
		other, _ := r.wait("other", attempt, temporary)
		if !ok || a != again || a == other {
			t.Errorf("attempt %d: %v, %v, %v", attempt, a, again, other)
		}
		full := min(r.Base<<(attempt-1), r.Max)
		if a < full/2 || a > full {
			t.Errorf("attempt %d waits %v of %v", attempt, a, full)
		}
		sum += a
	}
	// A provider that is down for a minute is waited for.
	if sum < 90*time.Second {
		t.Errorf("all waits are %v", sum)
	}
	if _, ok := r.wait("k", r.Attempts, temporary); ok {
		t.Error("there is no end")
	}
}
