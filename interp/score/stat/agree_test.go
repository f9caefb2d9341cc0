package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// labelled spreads a table of agreement over tasks of one run each.
func labelled(counts [][]int) []Labelled {
	var out []Labelled
	for i, row := range counts {
		for j, n := range row {
			for range n {
				out = append(out, Labelled{Task: fmt.Sprint(len(out)), Person: i, Judge: j})
			}
		}
	}
	return out
}

// The interval's standard error is that of Fleiss, Cohen and Everitt, whose formula
// is written out here.
func TestKappaInterval(t *testing.T) {
	list := labelled([][]int{{20, 5}, {10, 15}})
	got := KappaOf(list, 2)
	if math.Abs(got.Value-0.4) > 1e-12 {
		t.Fatalf("kappa %v, want 0.4", got.Value)
	}
	p := [2][2]float64{{0.4, 0.1}, {0.2, 0.3}}
	rows, cols := [2]float64{0.5, 0.5}, [2]float64{0.6, 0.4}
	pe, k := 0.5, 0.4
	var v float64
	for i := range p {
		for j := range p {
			if i == j {
				v += p[i][i] * math.Pow(1-(rows[i]+cols[i])*(1-k), 2)
			} else {
				v += (1 - k) * (1 - k) * p[i][j] * math.Pow(cols[i]+rows[j], 2)
			}
		}
	}
	v = (v - math.Pow(k-pe*(1-k), 2)) / (50 * (1 - pe) * (1 - pe))
	want := TQuantile(0.975, 49) * math.Sqrt(v*50/49)
	if half := (got.High - got.Low) / 2; math.Abs(half-want) > 1e-9 {
		t.Errorf("half an interval is %v, want %v", half, want)
	}
}

func TestKappaWithoutValue(t *testing.T) {
	for name, list := range map[string][]Labelled{
		"no labels": nil, "one class": labelled([][]int{{9, 0}, {0, 0}}),
	} {
		if got := KappaOf(list, 2); got.Defined() || got.Why == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	twice := []Labelled{{Task: "a"}, {Task: "a", Person: 1, Judge: 1}}
	if got := KappaOf(twice, 2); got.Bounded() || got.Value != 1 {
		t.Errorf("one task has an interval: %+v", got)
	}
}

// Repeating every run of a task must not make an interval narrower.
func TestKappaRepeatsAreOneTask(t *testing.T) {
	once := labelled([][]int{{20, 5}, {10, 15}})
	var thrice []Labelled
	for range 3 {
		thrice = append(thrice, once...)
	}
	a, b := KappaOf(once, 2), KappaOf(thrice, 2)
	if math.Abs(a.Low-b.Low) > 1e-9 || math.Abs(a.High-b.High) > 1e-9 {
		t.Errorf("%+v became %+v", a, b)
	}
}

// A perfect judge changes nothing; a judge of 0.9 and 0.8 that reports 0.38 stands
// for (0.38 − 0.2)/0.7.
func TestCorrected(t *testing.T) {
	verdicts := make([]Count, 100)
	for i := range verdicts {
		verdicts[i].D = 1
		if i < 38 {
			verdicts[i].A = 1
		}
	}
	if got := Corrected(verdicts, 50, 50, 50, 50); math.Abs(got.Value-0.38) > 1e-12 {
		t.Errorf("a perfect judge: %+v", got)
	}
	if got := Corrected(verdicts, 50, 45, 50, 40); math.Abs(got.Value-0.18/0.7) > 1e-12 {
		t.Errorf("0.9 and 0.8: %+v", got)
	}
	if got := Corrected(verdicts, 50, 20, 50, 20); got.Defined() {
		t.Errorf("a judge worse than chance: %+v", got)
	}
	if got := Corrected(verdicts, 0, 0, 50, 40); got.Defined() {
		t.Errorf("no label inside: %+v", got)
	}
}

// The corrected interval holds the true share in at least 93 of 100 draws of labels
// and verdicts, for shares and judges of several kinds.
func TestCorrectedCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	hits := func(n int, p float64) (k float64) {
		for range n {
			if rng.Float64() < p {
				k++
			}
		}
		return k
	}
	for _, c := range []struct {
		share, se, sp float64
		n, labels     int
	}{{0.1, 0.9, 0.95, 300, 60}, {0.5, 0.8, 0.8, 200, 80}, {0.03, 0.95, 0.9, 400, 100}, {0.8, 0.7, 0.9, 150, 120}} {
		const draws = 2000
		covered := 0
		for range draws {
			verdicts := make([]Count, c.n)
			for i := range verdicts {
				verdicts[i].D = 1
				verdicts[i].A = hits(1, c.share*c.se+(1-c.share)*(1-c.sp))
			}
			got := Corrected(verdicts, float64(c.labels)/2, hits(c.labels/2, c.se), float64(c.labels)/2, hits(c.labels/2, c.sp))
			if got.Low <= c.share && c.share <= got.High {
				covered++
			}
		}
		if covered < 0.93*draws {
			t.Errorf("%+v: %d of %d covered", c, covered, draws)
		}
	}
}
