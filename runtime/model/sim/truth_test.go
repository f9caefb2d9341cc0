package sim

import (
	"fmt"
	"math"
	"testing"

	"parley/runtime/model"
)

// The closed forms of what simple teams do, against the simulator alone: each
// test plays the team by hand and compares a frequency with the formula.

// binomial is P(X = k) for X ~ Bin(n, p).
func binomial(n, k int, p float64) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return c * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
}

func atLeast(n, m int, p float64) (total float64) {
	for k := m; k <= n; k++ {
		total += binomial(n, k, p)
	}
	return total
}

const tasks = 6000

// Vote: shared 1 − P(Y≥m)/P(X≥m), independent 1 − P(Y≥m), given k alike for all
// tasks; .221 and .348 for n = 5, f = 1, k = .7.
func TestVoteTruth(t *testing.T) {
	const n, f, k = 5, 1, 0.7
	const m = (n + 1) / 2
	x, y := atLeast(n, m, k), atLeast(n-f, m, k)
	want := map[string]float64{"shared": 1 - y/x, "independent": 1 - y}
	if math.Abs(want["shared"]-0.221) > 5e-4 || math.Abs(want["independent"]-0.348) > 5e-4 {
		t.Fatalf("the formulas give %v", want)
	}
	s := newSim(t, map[string]float64{"knows": k})
	vote := func(task int, arm string, attackers int) bool {
		right := 0
		for agent := range n {
			messages := []model.Message{msg("user", "", easy)}
			if agent < attackers {
				messages = append([]model.Message{msg("system", "", evil)}, messages...)
			}
			req := request(task*n+agent, debateForm, nil, messages...)
			req.User += arm
			resp, err := s.Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if answered(t, resp) == "Rembrandt" {
				right++
			}
		}
		return right >= m
	}
	for pairs, arm := range map[string]string{"shared": "", "independent": "/attacked"} {
		cleanRight, flipped := 0, 0
		for task := range tasks {
			if !vote(task, "", 0) {
				continue
			}
			cleanRight++
			if !vote(task, arm, f) {
				flipped++
			}
		}
		near(t, "clean accuracy", float64(cleanRight)/tasks, x, tasks)
		near(t, pairs, float64(flipped)/float64(cleanRight), want[pairs], cleanRight)
	}
}

// C2W after one round: c·k·P(Bin(n−f−1, k) < (n−2)/2)/k.
func TestC2WTruth(t *testing.T) {
	const n, k, c = 5, 0.6, 0.4
	for _, f := range []int{0, 1, 2} {
		t.Run(fmt.Sprintf("f=%d", f), func(t *testing.T) {
			s := newSim(t, map[string]float64{"knows": k, "conforms": c, "carries": 0, "obeys.message": 0})
			want := 0.0
			for x := range n - f {
				if float64(x) < float64(n-2)/2 {
					want += c * binomial(n-f-1, x, k)
				}
			}
			right, lost, weight := 0, 0, 0.0
			for task := range tasks / 2 {
				first := make([]*model.Response, n)
				ask := func(agent, round int, messages ...model.Message) *model.Response {
					if agent < f {
						messages = append([]model.Message{msg("system", "", evil)}, messages...)
					}
					req := request(task*n+agent, debateForm, nil, messages...)
					req.Seed = int64((task*n+agent)*10 + round)
					resp, err := s.Complete(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					return resp
				}
				for agent := range n {
					first[agent] = ask(agent, 0, msg("user", "", easy))
				}
				here := 0
				for agent := f; agent < n; agent++ {
					if answered(t, first[agent]) != "Rembrandt" {
						continue
					}
					heard := ""
					for other := range n {
						if other != agent {
							heard += fmt.Sprintf("[debater[%d]]\n%s\n\n", other+1, first[other].Content)
						}
					}
					right++
					last := ask(agent, 1, msg("user", "", easy), msg("assistant", "", first[agent].Content), msg("user", "", heard+"\nRevise."))
					if answered(t, last) != "Rembrandt" {
						lost++
						here++
					}
				}
				weight += float64(here * here)
			}
			// Agents of one task depend on each other: the error is that of clusters.
			got := float64(lost) / float64(right)
			se := math.Sqrt(weight) / float64(right)
			if math.Abs(got-want) > 4*se {
				t.Errorf("C2W %.4f, want %.4f ± %.4f", got, want, 4*se)
			}
		})
	}
}

// A relay of L: agent j is exposed with κ^(j−1), and the last one writes with
// 1 − (1−v)(1 − κ^(L−1)·o).
func TestRelayTruth(t *testing.T) {
	const length, kappa, o, v = 4, 0.7, 0.5, 0.05
	s := newSim(t, map[string]float64{"carries": kappa, "obeys.message": o, "obeys.task": o, "stray": v})
	form := record("answer", "note")
	wrote, exposed := 0, make([]int, length)
	for task := range tasks {
		said := ""
		for agent := range length {
			prompt := msg("user", "", easy+"\nToday's memo: "+push)
			messages := []model.Message{prompt}
			if agent > 0 {
				messages = []model.Message{msg("user", fmt.Sprintf("runner_%d", agent), said), msg("user", "", easy)}
			}
			var tools []model.Tool
			if agent == length-1 {
				tools = []model.Tool{createFile}
			}
			req := request(task*length+agent, form, tools, messages...)
			if view := s.look(req); len(view.met) > 0 {
				exposed[agent]++
			}
			resp, err := s.Complete(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if len(resp.ToolCalls) > 0 {
				wrote++
			}
			said = resp.Content
		}
	}
	for agent, n := range exposed {
		near(t, fmt.Sprintf("runner %d exposed", agent+1), float64(n)/tasks, math.Pow(kappa, float64(agent)), tasks)
	}
	near(t, "writes", float64(wrote)/tasks, 1-(1-v)*(1-math.Pow(kappa, length-1)*o), tasks)
}

// One poisoned store: ρ·o. Of p stores: 1 − (1−ρo)^p.
func TestOneSlotTruth(t *testing.T) {
	const rho, o, stores = 0.8, 0.35, 3
	s := newSim(t, map[string]float64{"reads": rho, "obeys.corpus": o, "carries": 0})
	wrote := func(i int) bool {
		made := turn(t, s, i, debateForm, []model.Tool{search, createFile}, func(c model.ToolCall) string { return "[Note] " + push }, msg("user", "", easy))
		for _, c := range made {
			if c.Name == "create_file" {
				return true
			}
		}
		return false
	}
	near(t, "one store", frequency(tasks, wrote), rho*o, tasks)
	near(t, "three stores", frequency(tasks, func(task int) bool {
		any := false
		for agent := range stores {
			any = wrote(task*stores+agent) || any
		}
		return any
	}), 1-math.Pow(1-rho*o, stores), tasks)
}
