package score

import (
	"fmt"
	"slices"
	"strings"

	"parley/runtime"
)

// trace works out which runs every predicate and score reads, from every arm
// that it may be seen from.
func (s *Scorer) trace() {
	r := &reach{s: s, memo: map[*pred]map[runtime.ArmName]*reached{}}
	settle := func(p *pred) {
		if p == nil {
			return
		}
		p.uses, p.lack, p.judges = map[runtime.ArmName][]runtime.ArmName{}, map[runtime.ArmName]string{}, map[runtime.ArmName][]judgeUse{}
		for _, arm := range armOrder {
			got := r.of(p, arm)
			p.uses[arm] = got.arms
			p.lack[arm] = got.lack
			p.judges[arm] = got.judges
		}
	}
	for _, p := range s.preds {
		settle(p)
	}
	for _, p := range s.attack {
		settle(p)
	}
	for _, row := range s.tasks {
		for _, p := range row {
			settle(p)
		}
	}
	for _, it := range s.items {
		if it.Kind == "value" {
			continue // its names are scores
		}
		it.uses = map[runtime.ArmName][]runtime.ArmName{}
		for _, p := range []*pred{it.value, it.given, it.per, it.by} {
			if settle(p); p == nil {
				continue
			}
			for arm, used := range p.uses {
				for _, u := range used {
					if !slices.Contains(it.uses[arm], u) {
						it.uses[arm] = append(it.uses[arm], u)
					}
				}
			}
		}
	}
}

// reach follows names through predicates.
type reach struct {
	s    *Scorer
	memo map[*pred]map[runtime.ArmName]*reached
}

type reached struct {
	arms   []runtime.ArmName
	lack   string
	judges []judgeUse
}

func (r *reach) of(p *pred, arm runtime.ArmName) *reached {
	if got := r.memo[p][arm]; got != nil {
		return got
	}
	if r.memo[p] == nil {
		r.memo[p] = map[runtime.ArmName]*reached{}
	}
	out := &reached{}
	r.memo[p][arm] = out
	found, err := names(p.Expr.Src, arm)
	if err != nil {
		return out // it has been compiled, so it parses
	}
	for _, n := range found {
		r.follow(out, n, p.scope, arm)
	}
	return out
}

// follow adds what one name of a predicate on arm reaches.
func (r *reach) follow(out *reached, n name, scope map[string]*pred, arm runtime.ArmName) {
	next := func(p *pred) {
		got := r.of(p, n.arm)
		for _, a := range got.arms {
			out.use(a)
		}
		for _, u := range got.judges {
			out.judge(u)
		}
		if out.lack == "" {
			out.lack = got.lack
		}
	}
	root, field, _ := strings.Cut(n.text, ".")
	p := r.s.preds[n.text]
	if own := scope[n.text]; own != nil && n.arm == arm {
		p = own
	}
	switch {
	case p != nil:
		next(p)
	case root == "task":
		for _, row := range r.s.tasks {
			if p := row[field]; p != nil {
				next(p)
			}
		}
	case root == "attack":
		if p := r.s.attack[field]; p != nil {
			next(p)
		}
	case root == "judge":
		out.use(n.arm)
		out.judge(judgeUse{n.arm, field})
	case siblingWord(n.text):
		out.use(sibling(n.arm, n.text))
	default:
		out.use(n.arm)
		t := r.s.teams[n.arm]
		if t != nil && out.lack == "" && r.s.teams[r.s.base].has(n.text) && !t.has(n.text) {
			out.lack = fmt.Sprintf("the team of the %s run has no %s", n.arm, n.text)
		}
	}
}

func (o *reached) judge(u judgeUse) {
	if !slices.Contains(o.judges, u) {
		o.judges = append(o.judges, u)
	}
}

func (o *reached) use(arm runtime.ArmName) {
	if !slices.Contains(o.arms, arm) {
		o.arms = append(o.arms, arm)
	}
}

// absent says why a score cannot be had for an arm's runs; empty if it can.
func (s *Scorer) absent(it *item, arm runtime.ArmName) string {
	if arm == "" {
		return "there is no such run to exchange for"
	}
	if s.teams[arm] == nil {
		return noRuns(arm)
	}
	for _, u := range it.uses[arm] {
		if u == "" {
			return "there is no such run to compare with"
		}
		if s.teams[u] == nil {
			return noRuns(u)
		}
	}
	for _, p := range []*pred{it.value, it.given, it.per, it.by} {
		if p != nil && p.lack[arm] != "" {
			return p.lack[arm]
		}
	}
	return ""
}

// noRuns says why an arm has no runs: the compiler lays every arm that a score
// asks for and that can exist.
func noRuns(arm runtime.ArmName) string {
	switch arm {
	case runtime.BaselineAttacked, runtime.BaselinePlacebo:
		return fmt.Sprintf("the attack has no way into a single agent, so there are no %s runs", arm)
	case runtime.Placebo:
		return "the attack puts no text anywhere, so there are no placebo runs"
	}
	return fmt.Sprintf("there are no %s runs", arm)
}
