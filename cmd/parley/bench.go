package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"parley/lang/diag"
)

// benchCommand measures this build on this machine.
func benchCommand() command {
	return command{
		name: "bench", summary: "measure speed and memory on this machine (about four minutes; --quick: some seconds)",
		examples: []string{"parley bench --quick", "parley bench --json > figures.json"},
		setup: func(f *pflag.FlagSet) action {
			quick := f.Bool("quick", false, "fewer of everything, for a first look")
			asJSON := f.Bool("json", false, "print JSON")
			answer := f.Duration("answer", 0, "be the endpoint that is measured against")
			_ = f.MarkHidden("answer") // it exists: it was declared a line above
			return func(ctx context.Context, args []string, h host) int {
				if len(args) > 0 {
					return usageError(h, "bench", "takes no arguments")
				}
				if f.Changed("answer") {
					return answerCanned(*answer, h)
				}
				return measure(ctx, *quick, *asJSON, h)
			}
		},
	}
}

// figure is one line of the table.
type figure struct {
	What  string  `json:"what"`
	Count string  `json:"count"` // how many, of what
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// CPU is what one of them takes on all cores together: on a busy machine it
	// says more than the clock. Zero where it was not measured.
	CPU  float64 `json:"cpu_us,omitempty"`
	Bar  float64 `json:"bar,omitempty"` // zero: none
	Most bool    `json:"bar_is_most,omitempty"`
	// Bound is what could not be beaten, measured in the same run: figure/bound.
	Bound string `json:"bound,omitempty"`
}

// holds says whether the bar is met.
func (f figure) holds() string {
	switch {
	case f.Bar == 0:
		return ""
	case f.Most && f.Value <= f.Bar, !f.Most && f.Value >= f.Bar:
		return "yes"
	}
	return "NO"
}

func (f figure) bar() string {
	if f.Bar == 0 {
		return ""
	}
	sign := "≥"
	if f.Most {
		sign = "≤"
	}
	return fmt.Sprintf("%s %s", sign, amount(f.Bar))
}

// amount writes a number with three digits that count.
func amount(x float64) string {
	switch {
	case x >= 1000:
		return grouped(int(x + 0.5))
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bench is one measuring: its sizes, a folder of its own, and what came out.
type bench struct {
	dir     string
	quick   bool
	host    host
	figures []figure
}

// size is n, or less in a quick measuring.
func (b *bench) size(n, quick int) int {
	if b.quick {
		return quick
	}
	return n
}

func (b *bench) add(f figure) { b.figures = append(b.figures, f) }

// measure runs all measurings and prints the table.
func measure(ctx context.Context, quick, asJSON bool, h host) int {
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return failure(h, err)
	}
	b := &bench{dir: dir, quick: quick, host: h}
	err = b.all(ctx)
	err = errors.Join(err, os.RemoveAll(dir))
	if err != nil {
		return failure(h, err)
	}
	if asJSON {
		return printJSON(h, map[string]any{
			"version": buildVersion(), "go": goruntime.Version(), "os": goruntime.GOOS, "arch": goruntime.GOARCH,
			"cores": goruntime.GOMAXPROCS(0), "quick": quick, "figures": b.figures,
		})
	}
	fmt.Fprint(h.stdout, b.markdown())
	return exitOK
}

func (b *bench) all(ctx context.Context) error {
	for _, part := range []struct {
		what string
		do   func(context.Context) error
	}{
		// Those in processes of their own come first: what a process had resident at
		// most counts from the size of the one that started it.
		{"start", b.start},
		{"growth", b.growth},
		{"trials that wait", b.waiting},
		{"the front end", b.frontEnd},
		{"a whole benchmark on the simulator, and scoring it", b.suite},
		{"calls saved", b.saved},
		{"model calls of an endpoint", b.wire},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		begun := time.Now()
		fmt.Fprintf(b.host.stderr, "measuring %s …", part.what)
		if err := part.do(ctx); err != nil {
			fmt.Fprintln(b.host.stderr)
			return fmt.Errorf("measuring %s: %w", part.what, err)
		}
		fmt.Fprintf(b.host.stderr, " %.1f s\n", time.Since(begun).Seconds())
	}
	return nil
}

// markdown is the table for people.
func (b *bench) markdown() string {
	var s strings.Builder
	fmt.Fprintf(&s, "parley %s, %s %s/%s, %d cores. All model answers are simulated.\n\n", diag.Safe(buildVersion()), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, goruntime.GOMAXPROCS(0))
	s.WriteString("| what | how many | figure | CPU of one | bar | met | bound in the same run |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, f := range b.figures {
		cpu := ""
		if f.CPU > 0 {
			cpu = amount(f.CPU) + " µs"
		}
		fmt.Fprintf(&s, "| %s | %s | %s %s | %s | %s | %s | %s |\n", f.What, f.Count, amount(f.Value), f.Unit, cpu, f.bar(), f.holds(), f.Bound)
	}
	return s.String()
}
