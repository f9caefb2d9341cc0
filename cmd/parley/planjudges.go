package main

import (
	"slices"

	"parley/interp"
	"parley/interp/judge"
	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/store"
)

// judgeSummary is a judge on the runs of one arm.
type judgeSummary struct {
	id    string
	form  string
	arm   runtime.ArmName
	model string
}

// judgingOf lists who judges which arms of a cell, in the order of its arms.
func judgingOf(c *interp.Cell) ([]judgeSummary, error) {
	if len(c.Spec.Judges) == 0 {
		return nil, nil
	}
	s, err := score.New(c.Spec, c.Plan)
	if err != nil {
		return nil, err
	}
	var out []judgeSummary
	judging := s.Judging()
	for i := range c.Plan.Arms {
		arm := c.Plan.Arms[i].Name
		for _, j := range judging[arm] {
			out = append(out, judgeSummary{id: j.ID, form: j.Form() + j.Prompt.Src + j.When.Src, arm: arm, model: modelName(j.Model)})
		}
	}
	return out, nil
}

// addJudges counts the calls of judges: once for each different trial and judge.
func (sum *planSummary) addJudges(links []store.Link) {
	seen := map[[2]string]bool{}
	for _, l := range links {
		for _, j := range sum.cells[l.Cell].judges {
			k := [2]string{l.Trial, j.form}
			if string(j.arm) != l.Arm || seen[k] {
				continue
			}
			seen[k] = true
			sum.calls += judge.Attempts
			sum.perModel[j.model] += judge.Attempts
		}
	}
}

// judgeModels lists the models of a suite's judges, each once.
func judgeModels(suite *interp.Suite) []model.Spec {
	var out []model.Spec
	for _, c := range suite.Cells {
		for i := range c.Spec.Judges {
			m := c.Spec.Judges[i].Model
			if !slices.ContainsFunc(out, func(o model.Spec) bool {
				return o.Provider == m.Provider && o.Name == m.Name && o.BaseURL == m.BaseURL
			}) {
				out = append(out, m)
			}
		}
	}
	return out
}
