package queue

import (
	"context"
	"sync"
)

// stopper says whether the run goes on. Draining starts no more trials but
// lets those in flight make their calls; stopping refuses these too.
type stopper struct {
	stopping chan struct{}   // closed: no further trials
	refusal  context.Context // cancelled: no further calls
	refuse   context.CancelFunc

	mu     sync.Mutex
	why    string
	closed bool
}

func newStopper() *stopper {
	s := &stopper{stopping: make(chan struct{})}
	s.refusal, s.refuse = context.WithCancel(context.Background())
	return s
}

// drain starts no more trials.
func (s *stopper) drain(why string) { s.set(why, false) }

// now starts no more trials and makes no more calls.
func (s *stopper) now(why string) { s.set(why, true) }

func (s *stopper) set(why string, refuse bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.why = why
		close(s.stopping)
	} else if refuse && !s.refusing() {
		s.why = why
	}
	if refuse {
		s.refuse()
	}
}

// stopped reports whether no further trial may start.
func (s *stopper) stopped() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// refusing reports whether no further call may be made.
func (s *stopper) refusing() bool { return s.refusal.Err() != nil }

func (s *stopper) reason() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}
