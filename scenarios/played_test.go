package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/model/sim"
	"parley/runtime/queue"
	"parley/runtime/trace"
	"parley/stdlib"
)

// A played scenario has gone the whole way: text, plan, queue, engine, simulator,
// scores. Nothing is stored, so that hundreds of seeds take seconds.

// spot is where a trial stands in a cell.
type spot struct {
	row, repeat int
	arm         runtime.ArmName
}

// played is one cell with its trials and its table.
type played struct {
	*interp.Cell
	trials map[spot]*trace.Trial
	table  *score.Table
}

// label is the cell's value of a sweep, or its attack.
func (p *played) label(name string) string {
	for _, l := range p.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

// estimate is a score's one estimate.
func (p *played) estimate(t testing.TB, name string) score.Estimate {
	t.Helper()
	s := p.table.Score(name)
	if s == nil || len(s.Estimates) != 1 {
		t.Fatalf("there is no one estimate of %s", name)
	}
	return s.Estimates[0]
}

// edit is a line of a scenario that is changed before it is played.
type edit struct{ was, is string }

// open loads a scenario file with some lines changed.
func open(t testing.TB, name string, edits ...edit) *interp.Module {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if bytes.Count(text, []byte(e.was)) != 1 {
			t.Fatalf("%s does not hold %q once", name, e.was)
		}
		text = bytes.Replace(text, []byte(e.was), []byte(e.is), 1)
	}
	root := fstest.MapFS{name: {Data: text}}
	for _, data := range []string{path.Join(path.Dir(name), "tasks.jsonl"), path.Join(path.Dir(name), "lengths.jsonl"), "quickstart/facts.jsonl"} {
		if b, err := os.ReadFile(data); err == nil {
			root[data] = &fstest.MapFile{Data: b}
		}
	}
	module, found := interp.Project{Root: root, Std: stdlib.FS}.Load(name)
	if found.HasErrors() {
		t.Fatal(found)
	}
	return module
}

// simulators gives the plans' models, all of them simulated.
func simulators(plans []*runtime.Plan) (func(model.Spec) (model.Provider, error), error) {
	table, err := runtime.SimTable(plans...)
	return func(spec model.Spec) (model.Provider, error) {
		params, err := sim.ParseParams(spec.Params)
		return sim.New(table, params), err
	}, err
}

// play compiles a target and runs it. Trials that several cells share are run
// once and stand in each.
func play(t testing.TB, module *interp.Module, target string, o interp.Options, q queue.Options) []*played {
	t.Helper()
	suite, found := module.Compile(target, o)
	if found.HasErrors() {
		t.Fatal(found)
	}
	var plans []*runtime.Plan
	for _, c := range suite.Cells {
		plans = append(plans, c.Plan)
	}
	var err error
	if q.Providers, err = simulators(plans); err != nil {
		t.Fatal(err)
	}
	byKey := map[string]*trace.Trial{}
	q.OnTrial = func(_ runtime.Trial, got *trace.Trial) { byKey[got.Key] = got }
	sum, err := queue.Run(context.Background(), plans, q)
	if err != nil || sum.Ran != sum.Total {
		t.Fatalf("%d of %d trials ran: %s %v", sum.Ran, sum.Total, sum.Stopped, err)
	}
	links, err := queue.Links(plans, q)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]*played, len(suite.Cells))
	for i, c := range suite.Cells {
		out[i] = &played{Cell: c, trials: map[spot]*trace.Trial{}}
	}
	for _, l := range links {
		out[l.Cell].trials[spot{l.Row, l.Repeat, runtime.ArmName(l.Arm)}] = byKey[l.Trial]
	}
	for _, p := range out {
		p.table, err = score.Evaluate(context.Background(), p.Spec, p.Plan,
			func(_ context.Context, row, repeat int, arm runtime.ArmName) (*trace.Trial, error) {
				return p.trials[spot{row, repeat, arm}], nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// inMemory runs trials one after another and keeps nothing.
var inMemory = queue.Options{Workers: 1}

// tables is the JSON of all tables of a run.
func tables(t testing.TB, cells []*played) string {
	t.Helper()
	var b strings.Builder
	for _, p := range cells {
		text, err := json.Marshal(p.table)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// seeds is how many seeds a mean is taken over.
func seeds() int {
	if testing.Short() {
		return 24
	}
	return 200
}

// overSeeds plays a target under many seeds and gives what look makes of each.
func overSeeds(t *testing.T, module *interp.Module, target string, o interp.Options, look func([]*played) map[string]float64) map[string][]float64 {
	t.Helper()
	out := map[string][]float64{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan uint64)
	for range goruntime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := range next {
				o := o
				o.Seed = &seed
				got := look(play(t, module, target, o, queue.Options{Workers: 1, Order: seed}))
				mu.Lock()
				for name, x := range got {
					if !math.IsNaN(x) {
						out[name] = append(out[name], x)
					}
				}
				mu.Unlock()
			}
		})
	}
	for seed := range seeds() {
		next <- uint64(seed) + 1000
	}
	close(next)
	wg.Wait()
	return out
}

// meanAndError is the mean over seeds and its standard error.
func meanAndError(xs []float64) (mean, se float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	var v float64
	for _, x := range xs {
		v += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(v/float64(len(xs)-1)/float64(len(xs))) + 1e-12
}

// holds demands that means are the truth within three standard errors.
func holds(t *testing.T, got map[string][]float64, truth map[string]float64) {
	t.Helper()
	for name, want := range truth {
		if len(got[name]) < seeds()/2 {
			t.Errorf("%s: only %d values", name, len(got[name]))
			continue
		}
		m, se := meanAndError(got[name])
		if math.Abs(m-want) > 3*se {
			t.Errorf("%s is %.4f ± %.4f on average, the truth is %.4f", name, m, se, want)
		}
		t.Logf("%s %.4f ± %.4f, truth %.4f", name, m, se, want)
	}
}

// fails demands of wrong formulas, each named "score: what is wrong with it",
// that their means are not the score's truth.
func fails(t *testing.T, got map[string][]float64, truth map[string]float64) {
	t.Helper()
	if testing.Short() {
		return // too few seeds to tell
	}
	n := 0
	for name, xs := range got {
		right, _, mutant := strings.Cut(name, ": ")
		if !mutant {
			continue
		}
		n++
		if m, se := meanAndError(xs); math.Abs(m-truth[right]) <= 3*se {
			t.Errorf("the wrong formula passes: %s is %.4f ± %.4f, the truth %.4f", name, m, se, truth[right])
		} else {
			t.Logf("%s %.4f ± %.4f, truth %.4f", name, m, se, truth[right])
		}
	}
	if n == 0 {
		t.Error("there is no wrong formula")
	}
}

// binomial is P(Bin(n, p) = k), atLeast P(Bin(n, p) ≥ k).
func binomial(n, k int, p float64) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
}

func atLeast(n, k int, p float64) (sum float64) {
	for ; k <= n; k++ {
		sum += binomial(n, k, p)
	}
	return sum
}

// median of an odd or even number of values.
func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
