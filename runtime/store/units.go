package store

import (
	"context"
	"sync"
)

// EachUnit reads a cell's stored trials, without model calls and prompts, and
// gives f all arms of a row and repeat at a time. With several workers f runs on as many
// goroutines at once and in any order: Unit.N says the place. With one worker
// the order is by row and repeat. It ends at the first error. A unit lacks the
// arms that have not ended yet.
func (r *Run) EachUnit(ctx context.Context, cell, workers int, f func(Unit) error) error {
	if workers < 2 {
		return r.scanUnits(ctx, cell, func(u *raw) error { return r.offer(u, f) })
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Units travel by the dozen: one at a time costs more than the decoding.
	const dozen = 16
	packs := make(chan []*raw, workers)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for pack := range packs {
				for _, u := range pack {
					if ctx.Err() != nil {
						break
					}
					if err := r.offer(u, f); err != nil {
						cancel(err)
					}
				}
			}
		})
	}
	var next []*raw
	send := func() error {
		select {
		case packs <- next:
			next = nil
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := r.scanUnits(ctx, cell, func(u *raw) error {
		if next = append(next, u); len(next) < dozen {
			return nil
		}
		return send()
	})
	if err == nil && len(next) > 0 {
		err = send()
	}
	close(packs)
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (r *Run) offer(u *raw, f func(Unit) error) error {
	unit, err := r.decodeUnit(u)
	if err != nil {
		return err
	}
	return f(unit)
}
