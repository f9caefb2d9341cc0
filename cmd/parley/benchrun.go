package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"time"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// suite runs the suite in this process, every event recorded in a run file, and
// scores what is stored.
func (b *bench) suite(ctx context.Context) error {
	trials := b.size(100_000, 4*suiteTasks*suiteArms)
	runs := (trials + suiteTasks*suiteArms - 1) / (suiteTasks * suiteArms)
	suite, release, err := b.compiled(interp.Options{Runs: runs})
	if err != nil {
		return err
	}
	defer release()
	run, err := b.stored()
	if err != nil {
		return err
	}
	begun, cpu := time.Now(), cpuTime()
	sum, err := runSuite(ctx, suite, run)
	if err != nil {
		return errors.Join(err, run.Close())
	}
	wall, cpu := time.Since(begun), cpuTime()-cpu
	b.add(figure{
		What: "a whole benchmark without a model", Count: fmt.Sprintf("%s calls in %s trials, all recorded", grouped(sum.Calls), grouped(sum.Ran)),
		Value: float64(sum.Calls) / wall.Seconds(), Unit: "model calls/s", CPU: microseconds(cpu) / float64(sum.Calls), Bar: 20_000,
	})
	size, err := os.Stat(run.Path())
	if err != nil {
		return errors.Join(err, run.Close())
	}
	b.add(figure{What: "the run file", Count: fmt.Sprintf("%s trials", grouped(sum.Ran)), Value: float64(size.Size()) / float64(sum.Ran) / 1024, Unit: "KiB a trial"})
	return errors.Join(b.score(ctx, suite, run, sum.Ran), run.Close(), os.Remove(run.Path()))
}

// score measures the predicates over stored trials, beside a pass that only
// reads and decodes them.
func (b *bench) score(ctx context.Context, suite *interp.Suite, run *store.Run, trials int) error {
	begun := time.Now()
	read := 0
	for i := range suite.Cells {
		if err := run.EachUnit(ctx, i, goruntime.GOMAXPROCS(0), func(store.Unit) error { return nil }); err != nil {
			return err
		}
	}
	bare := time.Since(begun)
	for _, c := range suite.Cells {
		read += len(c.Plan.Arms) * len(c.Plan.Cases) * max(1, c.Plan.Repeats)
	}
	begun, cpu := time.Now(), cpuTime()
	if _, err := scoreStored(ctx, suite, run, nil); err != nil {
		return err
	}
	wall, cpu := time.Since(begun), cpuTime()-cpu
	b.add(figure{
		What: "scoring", Count: fmt.Sprintf("%s stored trials, read %s times in %d tables", grouped(trials), grouped(read), len(suite.Cells)),
		Value: float64(read) / wall.Seconds(), Unit: "trials/s", CPU: microseconds(cpu) / float64(read), Bar: 20_000,
		Bound: fmt.Sprintf("%.2f × reading alone", wall.Seconds()/bare.Seconds()),
	})
	return nil
}

// growth runs the suite in processes of their own, once and ten times as often.
func (b *bench) growth(ctx context.Context) error {
	file, err := suiteFile(filepath.Join(b.dir, "suite"))
	if err != nil {
		return err
	}
	runs, tasks := b.size(4, 1), b.size(suiteTasks, suiteTasks/3)
	var took [2]ran
	for i, n := range []int{runs, 10 * runs} {
		if took[i], err = b.self(ctx, "run", file, "--quiet", "--fresh", "--runs", fmt.Sprint(n), "--limit", fmt.Sprint(tasks)); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Join(b.dir, "runs")); err != nil {
			return err
		}
	}
	count := fmt.Sprintf("%s and %s trials, run and scored", grouped(runs*tasks*suiteArms), grouped(10*runs*tasks*suiteArms))
	b.add(figure{What: "growth: time", Count: count, Value: took[1].wall.Seconds() / took[0].wall.Seconds(), Unit: "×", Bar: 10.5, Most: true})
	if took[0].cpu > 0 {
		b.add(figure{What: "growth: CPU time", Count: count, Value: took[1].cpu.Seconds() / took[0].cpu.Seconds(), Unit: "×", Bar: 10.5, Most: true})
	}
	if took[0].memory > 0 {
		b.add(figure{
			What: "growth: resident memory", Count: count, Value: float64(took[1].memory) / float64(took[0].memory), Unit: "×",
			Bound: fmt.Sprintf("%.0f MiB and %.0f MiB", float64(took[0].memory)/(1<<20), float64(took[1].memory)/(1<<20)),
		})
	}
	return nil
}

// saved compares the model calls made with those of a protocol in which each
// attacked trial has a clean one of its own.
func (b *bench) saved(ctx context.Context) error {
	for _, pairs := range []struct {
		name string
		bar  float64
	}{{"independent", 0.56}, {"shared", 0.5}} {
		suite, release, err := b.compiled(interp.Options{Pairs: pairs.name})
		if err != nil {
			return err
		}
		made, naive, err := b.calls(ctx, suite)
		release()
		if err != nil {
			return err
		}
		b.add(figure{
			What: "calls saved, " + pairs.name + " pairs", Count: fmt.Sprintf("%s made, %s naive", grouped(made), grouped(naive)),
			Value: float64(made) / float64(naive), Unit: "of naive", Bar: pairs.bar, Most: true,
		})
	}
	return nil
}

// calls counts what a run made, and what its trials would have taken one by one.
func (b *bench) calls(ctx context.Context, suite *interp.Suite) (made, naive int, err error) {
	var links []store.Link
	took := map[string]int{}
	plans := plansOf(suite)
	opt := queue.Options{
		Providers: providers(plans, nil),
		OnTrial:   func(_ runtime.Trial, t *trace.Trial) { took[t.Key] = t.Usage.Calls },
	}
	sum, err := queue.Run(ctx, plans, opt)
	if err != nil {
		return 0, 0, err
	}
	if links, err = queue.Links(plans, opt); err != nil {
		return 0, 0, err
	}
	for _, l := range links { // every cell has its own clean and attacked trials
		naive += took[l.Trial]
	}
	return sum.Calls, naive, nil
}

// compiled is the suite, compiled.
func (b *bench) compiled(o interp.Options) (*interp.Suite, func(), error) {
	file, err := suiteFile(filepath.Join(b.dir, "suite"))
	if err != nil {
		return nil, nil, err
	}
	suite, release, _ := compileFile(file, "", o, b.host)
	if suite == nil {
		return nil, nil, fmt.Errorf("the suite does not compile")
	}
	return suite, release, nil
}

func (b *bench) stored() (*store.Run, error) {
	return store.Create(filepath.Join(b.dir, "runs"), store.Meta{Name: "suite", Started: time.Now(), Engine: runtime.EngineVersion, Simulated: true})
}

func runSuite(ctx context.Context, suite *interp.Suite, run *store.Run) (queue.Summary, error) {
	plans := plansOf(suite)
	sum, err := queue.Run(ctx, plans, queue.Options{Store: run, Providers: providers(plans, nil), Order: plans[0].Seed})
	if err == nil && !sum.Complete {
		err = fmt.Errorf("%d of %d trials ended, %d in an error", sum.Ran, sum.Total, sum.Errored)
	}
	return sum, err
}
