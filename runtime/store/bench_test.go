//go:build unix

package store_test

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/runtime/store"
)

// BenchmarkPutTrial writes debate trials of 12 calls from as many goroutines as
// there are cores, as a simulated run does. B/trial is what one takes on disk.
func BenchmarkPutTrial(b *testing.B) {
	r := newRun(b)
	ctx := context.Background()
	base := debate(1)
	var n atomic.Int64
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			t := *base
			t.Key = debateKey(int(n.Add(1)))
			if err := r.PutTrial(ctx, &t, nil, false); err != nil {
				b.Error(err)
				return
			}
		}
	})
	if err := r.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trials/s")
}

// BenchmarkPutAnswer commits answers one by one, 64 callers waiting at a time.
func BenchmarkPutAnswer(b *testing.B) {
	r := newRun(b)
	ctx := context.Background()
	var n atomic.Int64
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			a := store.Answer{Unit: "u", Key: debateKey(int(n.Add(1))), Response: answer()}
			if err := r.PutAnswer(ctx, a, store.Spend{Model: "m", Role: "turn", Calls: 1}); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "answers/s")
}

// BenchmarkEachUnit reads stored debate trials for scoring.
func BenchmarkEachUnit(b *testing.B) {
	r := newRun(b)
	ctx := context.Background()
	const trials = 3000
	for i := range trials {
		d := debate(i)
		link := store.Link{Row: i / 2, Repeat: 1, Arm: []string{"clean", "attacked"}[i%2], Case: d.Case, Trial: d.Key}
		if err := r.PutTrial(ctx, d, nil, false); err != nil {
			b.Fatal(err)
		}
		if err := r.PutLinks(ctx, []store.Link{link}); err != nil {
			b.Fatal(err)
		}
	}
	if err := r.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run(map[int]string{1: "workers=1", 2: "workers=2"}[workers], func(b *testing.B) {
			b.ReportAllocs()
			before := processorTime()
			for b.Loop() {
				var n atomic.Int64
				err := r.EachUnit(ctx, 0, workers, func(u store.Unit) error {
					n.Add(int64(len(u.Arms)))
					return nil
				})
				if err != nil || n.Load() != trials {
					b.Fatal(n.Load(), err)
				}
			}
			b.ReportMetric(float64(trials*b.N)/b.Elapsed().Seconds(), "trials/s")
			b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(trials*b.N), "cpu-µs/trial")
		})
	}
	b.Run("encoding/json", func(b *testing.B) {
		d := debate(1)
		d.Prompts = nil
		text, err := json.Marshal(d)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			out := *debateless
			if err := json.Unmarshal(text, &out); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trials/s")
	})
}

// processorTime is what the process has used of all cores: on a busy machine it
// says more than the clock.
func processorTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
