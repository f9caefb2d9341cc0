package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ran is what a process took.
type ran struct {
	wall, cpu time.Duration
	memory    int64 // bytes resident at most; 0: unknown here
}

// self runs this command in a process of its own.
func (b *bench) self(ctx context.Context, args ...string) (ran, error) {
	exe, err := os.Executable()
	if err != nil {
		return ran{}, err
	}
	var said strings.Builder
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stderr = &said
	cmd.Env = append(os.Environ(), "PARLEY_RUNS_DIR="+filepath.Join(b.dir, "runs"))
	begun := time.Now()
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(said.String(), "\n")
		return ran{}, fmt.Errorf("parley %s: %w: %s", strings.Join(args, " "), err, first)
	}
	s := cmd.ProcessState
	return ran{time.Since(begun), s.UserTime() + s.SystemTime(), peakMemory(s)}, nil
}

// median runs a process several times and takes the middle of each figure.
func (b *bench) median(ctx context.Context, times int, args ...string) (ran, error) {
	var walls, cpus []time.Duration
	for range times {
		r, err := b.self(ctx, args...)
		if err != nil {
			return ran{}, err
		}
		walls, cpus = append(walls, r.wall), append(cpus, r.cpu)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	return ran{wall: walls[times/2], cpu: cpus[times/2]}, nil
}

// start measures commands that a person waits for.
func (b *bench) start(ctx context.Context) error {
	file, err := suiteFile(filepath.Join(b.dir, "suite"))
	if err != nil {
		return err
	}
	times := b.size(21, 5)
	for _, args := range [][]string{{"version"}, {"check", file}} {
		r, err := b.median(ctx, times, args...)
		if err != nil {
			return err
		}
		b.add(figure{
			What: "start: `parley " + args[0] + "`", Count: fmt.Sprintf("median of %d processes", times),
			Value: milliseconds(r.wall), Unit: "ms", CPU: microseconds(r.cpu), Bar: 30, Most: true,
		})
	}
	return nil
}

// frontEnd measures checking: many files, and one long file that is checked again.
func (b *bench) frontEnd(ctx context.Context) error {
	files := b.size(1000, 100)
	dir := filepath.Join(b.dir, "many")
	if _, err := suiteFile(dir); err != nil { // for the tasks
		return err
	}
	if err := os.Remove(filepath.Join(dir, "suite.parley")); err != nil {
		return err
	}
	for i := range files {
		text := "language 1\nuse \"std/world\"\n\n" + plainScenario(i+1)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("s%04d.parley", i)), []byte(text), 0o644); err != nil {
			return err
		}
	}
	r, err := b.self(ctx, "check", dir)
	if err != nil {
		return err
	}
	b.add(figure{
		What: "front end: `parley check`", Count: fmt.Sprintf("%s files of %d lines", grouped(files), strings.Count(plainScenario(1), "\n")+3),
		Value: r.wall.Seconds(), Unit: "s", CPU: microseconds(r.cpu) / float64(files), Bar: float64(files) / 1000, Most: true,
	})
	return errors.Join(b.again(dir, b.size(5000, 1000)), os.RemoveAll(dir))
}

// again measures checking a long file that was checked before, as an editor does
// at every pause.
func (b *bench) again(dir string, lines int) error {
	text := plainFile(lines)
	file := filepath.Join(dir, "long.parley")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	var walls []time.Duration
	cpu, times := cpuTime(), 9
	for range times {
		begun := time.Now()
		c := checkFile(file, b.host, nil)
		if c.err != nil {
			return c.err
		}
		if len(c.found) > 0 {
			return fmt.Errorf("the long file has findings: %v", c.found[0])
		}
		walls = append(walls, time.Since(begun))
	}
	cpu = cpuTime() - cpu
	slices.Sort(walls)
	b.add(figure{
		What: "front end: a long file checked again", Count: fmt.Sprintf("%s lines, median of %d", grouped(strings.Count(text, "\n")), times),
		Value: milliseconds(walls[times/2]), Unit: "ms", CPU: microseconds(cpu) / float64(times), Bar: 50 * float64(lines) / 5000, Most: true,
	})
	return nil
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

func microseconds(d time.Duration) float64 { return d.Seconds() * 1e6 }
