package main

import (
	"context"
	"fmt"
)

// interrupts turns the first Ctrl-C into a drain and the second into a stop.
// The returned function ends the watch and says whether there was any.
func interrupts(ctx context.Context, h host) (context.Context, <-chan struct{}, func() bool) {
	ctx, cancel := context.WithCancel(ctx)
	drain, done, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	hit := false
	go func() {
		defer close(ended)
		for {
			select {
			case <-h.interrupts:
				if hit {
					cancel()
					return
				}
				hit = true
				fmt.Fprintln(h.stderr, "\nfinishing what is in flight; Ctrl-C again stops at once")
				close(drain)
			case <-done:
				return
			}
		}
	}()
	return ctx, drain, func() bool {
		close(done)
		<-ended
		cancel()
		return hit
	}
}
