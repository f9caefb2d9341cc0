package main

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"parley/lang/diag"
	"parley/runtime/queue"
)

// progress shows how a run goes on: a bar on a terminal, plain lines elsewhere.
type progress struct {
	w     io.Writer
	quiet bool
	every time.Duration // between plain lines

	began time.Time
	last  time.Time
	// now is read by the bar's own goroutine, which must never wait for update.
	now  atomic.Pointer[queue.Progress]
	bars *mpb.Progress
	bar  *mpb.Bar

	mu    sync.Mutex
	notes []string // what was learnt of endpoints
}

func newProgress(h host, quiet bool) *progress {
	p := &progress{w: h.stderr, quiet: quiet, every: 5 * time.Second, began: time.Now()}
	p.last = p.began
	if h.terminal && !quiet {
		p.bars = mpb.New(mpb.WithOutput(h.stderr), mpb.WithWidth(30), mpb.WithRefreshRate(150*time.Millisecond))
	}
	return p
}

// update takes the run's state; it is called one at a time.
func (p *progress) update(now queue.Progress) {
	p.now.Store(&now)
	if p.quiet {
		return
	}
	if p.bars != nil {
		p.draw(now)
		return
	}
	if now.Note != "" {
		fmt.Fprintln(p.w, diag.Safe(now.Note))
	}
	if time.Since(p.last) >= p.every {
		p.last = time.Now()
		fmt.Fprintf(p.w, "%d/%d trials  %s\n", now.Done, now.Total, p.status(now))
	}
}

func (p *progress) draw(now queue.Progress) {
	if p.bar == nil {
		p.bar = p.bars.AddBar(int64(now.Total),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d trials ")),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
				return p.status(*p.now.Load())
			})),
		)
	}
	if now.Note != "" {
		fmt.Fprintln(p.bars, diag.Safe(now.Note))
	}
	p.bar.SetCurrent(int64(now.Done))
}

// status is calls a second, retries, spent, errors and the time left.
func (p *progress) status(now queue.Progress) string {
	took := time.Since(p.began).Seconds()
	s := fmt.Sprintf("%.0f calls/s", float64(now.Calls)/max(took, 0.001))
	if now.InFlight > 0 {
		s += fmt.Sprintf(", %d in flight", now.InFlight)
	}
	if now.Retries > 0 {
		s += fmt.Sprintf(", %d retries", now.Retries)
	}
	if now.Errored > 0 {
		s += fmt.Sprintf(", %d errors", now.Errored)
	}
	if now.USD > 0 {
		s += fmt.Sprintf(", %.2f USD", now.USD)
	}
	if done := now.Done - now.Found; done > 0 && now.Total > now.Done {
		left := time.Duration(took / float64(done) * float64(now.Total-now.Done) * float64(time.Second))
		s += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return s
}

// close ends the display and leaves its last state on the terminal.
func (p *progress) close() {
	if p.bars == nil {
		return
	}
	if p.bar != nil {
		p.bar.Abort(false)
	}
	p.bars.Wait()
}
