package score

import (
	"slices"

	"parley/runtime"
	"parley/runtime/trace"
)

// JudgeCount says how the verdicts of one judge on one arm's runs stand.
type JudgeCount struct {
	Judge      string          `json:"judge"`
	Arm        runtime.ArmName `json:"arm"`
	Read       int             `json:"read"`
	Unreadable int             `json:"unreadable"` // answered, and not in the asked form
	Failed     int             `json:"failed"`     // could not be asked
	Skipped    int             `json:"skipped"`    // the judge's condition leaves the run out
	Absent     int             `json:"absent"`     // not asked yet
	// Tokens are the judge's, of all attempts; no part of any run's.
	Tokens    int  `json:"tokens"`
	Estimated bool `json:"estimated,omitempty"` // some of them are our own count
}

func (c *JudgeCount) add(v *trace.Verdict) {
	if v == nil {
		c.Absent++
		return
	}
	switch v.State {
	case trace.VerdictRead:
		c.Read++
	case trace.VerdictFailed:
		c.Failed++
	case trace.VerdictSkipped:
		c.Skipped++
	default:
		c.Unreadable++
	}
	c.Tokens += v.Usage.Tokens()
	c.Estimated = c.Estimated || v.Usage.Estimated
}

func (c *JudgeCount) merge(d *JudgeCount) {
	c.Read += d.Read
	c.Unreadable += d.Unreadable
	c.Failed += d.Failed
	c.Skipped += d.Skipped
	c.Absent += d.Absent
	c.Tokens += d.Tokens
	c.Estimated = c.Estimated || d.Estimated
}

// judgeCounts counts verdicts by arm and judge.
type judgeCounts map[judgeUse]*JudgeCount

// countJudges adds the verdicts on a group's runs.
func (p *part) countJudges(g Group) {
	for arm, judges := range p.judging {
		t := g.Trials[arm]
		if faultOf(t) != sound {
			continue
		}
		for _, j := range judges {
			u := judgeUse{arm, j.ID}
			if p.judges[u] == nil {
				p.judges[u] = &JudgeCount{Judge: j.ID, Arm: arm}
			}
			var v *trace.Verdict
			if p.s.verdicts != nil {
				v = p.s.verdicts(p.s.cases[g.Row], t, j)
			}
			p.judges[u].add(v)
			p.sim = p.sim || v != nil && v.Simulated
		}
	}
}

func (c judgeCounts) merge(d judgeCounts) {
	for u, n := range d {
		if c[u] == nil {
			c[u] = &JudgeCount{Judge: n.Judge, Arm: n.Arm}
		}
		c[u].merge(n)
	}
}

// list is the counts by judge, then in the order of the arms.
func (c judgeCounts) list() []JudgeCount {
	var out []JudgeCount
	for _, n := range c {
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b JudgeCount) int {
		if a.Judge != b.Judge {
			if a.Judge < b.Judge {
				return -1
			}
			return 1
		}
		return slices.Index(armOrder[:], a.Arm) - slices.Index(armOrder[:], b.Arm)
	})
	return out
}
