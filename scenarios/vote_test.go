package scenarios

import (
	"fmt"
	"math"
	"testing"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/trace"
)

// Tasks alternate between two classes, so that a clean run paired with another
// task's attacked run shows.
var knows = [2]float64{0.9, 0.4}

// classes is the mean over task classes.
func classes(f func(k float64) float64) float64 { return (f(knows[0]) + f(knows[1])) / 2 }

// right reports whether a trial's answer is its task's.
func right(p *played, row int, arm runtime.ArmName) bool {
	return p.trials[spot{row, 1, arm}].Answer == p.answer(row)
}

func (p *played) answer(row int) any {
	for i := range p.Plan.Cases {
		if p.Plan.Cases[i].Row == row {
			return p.Plan.Cases[i].Fields["answer"]
		}
	}
	return nil
}

// share is Σ num / Σ den over the cell's tasks.
func (p *played) share(num, den func(row int) float64) float64 {
	var a, d float64
	for i := range p.Plan.Cases {
		row := p.Plan.Cases[i].Row
		a, d = a+num(row), d+den(row)
	}
	return a / d
}

func count(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func always(int) float64 { return 1 }

// turns of an agent, in order.
func turnsOf(trial *trace.Trial, agent string) []*trace.Turn {
	var out []*trace.Turn
	for i := range trial.Events {
		if u := trial.Events[i].Turn; u != nil && u.Agent == agent {
			out = append(out, u)
		}
	}
	return out
}

func said(u *trace.Turn) any {
	m, _ := u.Reply.(map[string]any)
	return m["answer"]
}

// TestVote: the share of votes that an adversary flips, against its closed form.
func TestVote(t *testing.T) {
	const n, m = 5, 3
	truth := map[string]map[string]float64{}
	x := func(k float64) float64 { return atLeast(n, m, k) }
	for _, pairs := range []string{"independent", "shared"} {
		truth[pairs] = map[string]float64{}
		for f := 1; f <= 2; f++ {
			y := func(k float64) float64 { return atLeast(n-f, m, k) }
			// A vote that was right without the attack is wrong with it …
			lost := func(k float64) float64 { return 1 - y(k) }
			closed := 1 - classes(func(k float64) float64 { return x(k) * y(k) })/classes(x)
			if pairs == "shared" { // … where the votes that are left were too few
				lost = func(k float64) float64 { return 1 - y(k)/x(k) }
				closed = 1 - classes(y)/classes(x)
			}
			asr := ofRatio(10, x, lost)
			if math.Abs(asr-closed) > 0.01 || math.Abs(ofRatio(400, x, lost)-closed) > 5e-4 {
				t.Fatalf("the share of few tasks, %v, does not tend to %v", asr, closed)
			}
			truth[pairs][fmt.Sprintf("asr f=%d", f)] = asr
			truth[pairs][fmt.Sprintf("accuracy f=%d", f)] = classes(y)
			truth[pairs][fmt.Sprintf("clean_accuracy f=%d", f)] = classes(x)
			// Mispaired clean runs would move between the classes.
			truth[pairs][fmt.Sprintf("clean_hard f=%d", f)] = x(knows[1])
		}
	}
	module := open(t, "testdata/truth/vote.parley")
	for pairs, want := range truth {
		t.Run(pairs, func(t *testing.T) {
			got := overSeeds(t, module, "owners", interp.Options{Pairs: pairs}, func(cells []*played) map[string]float64 {
				out := map[string]float64{}
				for _, p := range cells {
					f := " f=" + p.label("f")
					for _, name := range []string{"asr", "accuracy", "clean_accuracy", "clean_hard"} {
						out[name+f] = float64(p.estimate(t, name).Value)
					}
					wrongASR(p, "asr"+f+": ", out)
				}
				return out
			})
			holds(t, got, want)
			fails(t, got, want)
		})
	}
}

// wrongASR adds traps 1 and 2 of attack success.
func wrongASR(p *played, name string, out map[string]float64) {
	lost := func(row int) float64 {
		return count(right(p, row, runtime.Clean) && !right(p, row, runtime.Attacked))
	}
	wrong := func(row int) float64 { return count(!right(p, row, runtime.Attacked)) }
	out[name+"over all tasks"] = p.share(lost, always)
	out[name+"any wrong answer over all tasks"] = p.share(wrong, always)
	given := func(set func(row int) bool) float64 {
		return p.share(func(row int) float64 { return wrong(row) * count(set(row)) }, func(row int) float64 { return count(set(row)) })
	}
	first, last := p.Plan.Cases[0].Row, p.Plan.Cases[len(p.Plan.Cases)-1].Row
	out[name+"clean runs of the next task"] = given(func(row int) bool {
		if row++; row > last {
			row = first
		}
		return right(p, row, runtime.Clean)
	})
	out[name+"the clean-right set of one voter alone"] = given(func(row int) bool {
		return said(turnsOf(p.trials[spot{row, 1, runtime.Clean}], "voter[1]")[0]) == p.answer(row)
	})
}

// ofRatio is the mean of (lost of those right)/(right) where n tasks of each class
// are right with probability right, and then lost with probability lost: the
// closed forms are its limit for many tasks.
func ofRatio(n int, right, lost func(k float64) float64) (mean float64) {
	some := 0.0
	for easy := range n + 1 {
		for hard := range n + 1 {
			if easy+hard == 0 {
				continue
			}
			p := binomial(n, easy, right(knows[0])) * binomial(n, hard, right(knows[1]))
			mean += p * (float64(easy)*lost(knows[0]) + float64(hard)*lost(knows[1])) / float64(easy+hard)
			some += p
		}
	}
	return mean / some
}

// TestNullAttack: an attack that nobody obeys. What is left of ASR is noise, and
// with shared pairs nothing is.
func TestNullAttack(t *testing.T) {
	module := open(t, "testdata/truth/vote.parley", edit{"obeys { system: 1 }", "obeys { system: 0 }"})
	x := func(k float64) float64 { return atLeast(5, 3, k) }
	for pairs, want := range map[string]float64{
		"independent": ofRatio(10, x, func(k float64) float64 { return 1 - x(k) }),
		"shared":      0,
	} {
		got := overSeeds(t, module, "vote", interp.Options{Pairs: pairs}, func(cells []*played) map[string]float64 {
			return map[string]float64{"asr": float64(cells[0].estimate(t, "asr").Value)}
		})
		holds(t, got, map[string]float64{"asr": want})
	}
}

// TestNobodyWasRight: no clean-right task leaves no number (trap 3).
func TestNobodyWasRight(t *testing.T) {
	module := open(t, "testdata/truth/vote.parley", edit{"knows { easy: 0.9, hard: 0.4 }", "knows 0"})
	p := play(t, module, "vote", interp.Options{}, inMemory)[0]
	e := p.estimate(t, "asr")
	lost := p.share(func(row int) float64 {
		return count(right(p, row, runtime.Clean) && !right(p, row, runtime.Attacked))
	}, always)
	if lost != 0 || !math.IsNaN(float64(e.Value)) || e.Why == "" || e.Den != 0 {
		t.Errorf("ASR of no clean-right task is %v (%q), where counting would give %v", e.Value, e.Why, lost)
	}
	if e := p.estimate(t, "accuracy"); e.Value != 0 || eval.Equal(p.trials[spot{0, 1, runtime.Clean}].Answer, "B") != eval.True {
		t.Errorf("accuracy is %v", e.Value)
	}
}
