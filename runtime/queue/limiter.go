package queue

import (
	"context"
	"sync"
)

// limiter bounds the calls in flight to one endpoint. The user's limit is the
// ceiling; an endpoint that says it is overloaded gets fewer for a while:
// three tenths fewer at once, one more for each round of answers.
type limiter struct {
	mu      sync.Mutex
	ceiling float64
	limit   float64
	inUse   int
	round   int // counts cuts: calls begun before one do not cause the next
	waiting []chan int
}

func newLimiter(n int) *limiter { return &limiter{ceiling: float64(n), limit: float64(n)} }

// acquire waits for a place, first come first served, and returns its round.
func (l *limiter) acquire(ctx context.Context) (int, error) {
	l.mu.Lock()
	if l.inUse < int(l.limit) && len(l.waiting) == 0 {
		l.inUse++
		defer l.mu.Unlock()
		return l.round, nil
	}
	place := make(chan int, 1)
	l.waiting = append(l.waiting, place)
	l.mu.Unlock()
	select {
	case round := <-place:
		return round, nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, w := range l.waiting {
			if w == place {
				l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
				return 0, ctx.Err()
			}
		}
		l.inUse-- // the place came just now
		l.admit()
		return 0, ctx.Err()
	}
}

// release gives a place back.
func (l *limiter) release(round int, overloaded bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse--
	switch {
	case !overloaded:
		l.limit = min(l.ceiling, l.limit+1/l.limit)
	case round == l.round:
		l.limit = max(1, l.limit*0.7)
		l.round++
	}
	l.admit()
}

func (l *limiter) admit() {
	for l.inUse < int(l.limit) && len(l.waiting) > 0 {
		l.inUse++
		l.waiting[0] <- l.round
		l.waiting = l.waiting[1:]
	}
}

func (l *limiter) busy() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inUse
}
