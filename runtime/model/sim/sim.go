// Package sim is a simulated model with known parameters. It exists to test what
// measures: a score that is computed from simulated runs can be compared with
// the truth, because the truth follows from the parameters. Nothing follows from
// it about real models, which whoever reports on a simulated run has to say.
//
// It reads a request (messages, tools, reply form, seed, user) beside a Table of
// a plan's texts, and nothing else: no clock, no state, no shared randomness.
// What an agent is (what it knows, which payloads it obeys or passes on) is
// drawn once from the request's user; what happens in one call is drawn from
// the request's seed.
package sim

import (
	"context"
	"strings"

	"parley/runtime/model"
)

// Sim answers requests as its parameters say. It is safe for concurrent use.
type Sim struct {
	table    *Table
	params   Params
	revision string
	facts    *Facts // of runs that it may be asked to judge; nil: none
}

// New makes a simulator over a table.
func New(table *Table, params Params) *Sim {
	return &Sim{table: table, params: params, revision: "sim-" + version + "-" + params.digest() + "-" + table.digest}
}

// version changes when the same request and parameters give another answer.
const version = "2"

// Revision names the simulator's version, its parameters, and the table's tools.
// Payloads are left out: they reach an answer through the request alone, and runs
// without them are shared between attacks.
func (s *Sim) Revision() string { return s.revision }

// TaskRevision names what the simulator knows of the task of a prompt: its
// answers, its class and its calls. Other tasks of the table do not count.
func (s *Sim) TaskRevision(prompt string) string { return s.table.tasks[prompt] }

// Complete answers a request. The same request always gets the same answer.
func (s *Sim) Complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if truth, judging := s.judging(req); judging {
		return s.judge(req, truth)
	}
	v := s.look(req)
	if err := s.fail(v); err != nil {
		return nil, err
	}
	resp := &model.Response{Model: s.revision, Finish: "stop", Simulated: true}
	if s.refuse(v) {
		resp.Refusal = "I cannot help with that."
	} else if calls := s.act(v); len(calls) > 0 {
		resp.ToolCalls, resp.Finish = calls, "tool_calls"
	} else {
		resp.Content = s.say(v)
	}
	usage := model.EstimateUsage(req, resp)
	usage.Output += s.params.Tokens
	resp.Usage = &usage
	return resp, nil
}

// say writes the reply that ends a turn.
func (s *Sim) say(v *view) string {
	orders := s.orders(v)
	if v.req.Replies == nil {
		return s.free(v, orders)
	}
	if event(v.req, "unreadable") < s.params.Unreadable {
		return "I have an opinion on this, but I would rather not put it into a fixed form."
	}
	return s.formed(v, orders)
}

// free is a reply without a form. It restates the task, so that whoever hands
// out work passes the task on, and names the answer unless the prompt asks for
// no more than the task.
func (s *Sim) free(v *view, orders map[string]any) string {
	if text, ok := orders["text"].(string); ok {
		return withCarried(text, s.carried(v), "\n")
	}
	if name, ok := s.chosen(v); ok {
		return name
	}
	var parts []string
	a := s.agenda(v)
	waiting, finished := v.stands(a)
	if v.task != nil && !waiting {
		parts = append(parts, v.task.Prompt)
	}
	if done := a.done(); done != "" {
		parts = append(parts, done)
	}
	if waiting {
		parts = append(parts, waitLine)
	} else if finished && !v.handsOut() {
		answer, ok := orders["answer"]
		if !ok {
			answer = s.answer(v)
		}
		if answer != nil {
			parts = append(parts, answerLine+text(answer))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "I have nothing to add.")
	}
	if finished {
		if word := v.stopWord(); word != "" {
			parts = append(parts, word)
		}
	}
	return withCarried(strings.Join(parts, "\n"), s.carried(v), "\n")
}

// stands says whether the agent has to wait for others, and whether nothing is left to
// be done, as far as it can see. Calls of its own that it does not make, though it
// could, are not left to be done.
func (v *view) stands(a *agenda) (waiting, finished bool) {
	k := a.first()
	if k < 0 {
		return false, true
	}
	others := v.others(a, func(string) bool { return true }) >= 0
	return a.together && !v.owns(&a.duties[k]), !others && (len(v.req.Tools) > 0 || v.agent == "")
}

// handsOut reports whether the prompt asks to pass the task on and no more.
func (v *view) handsOut() bool {
	for i := len(v.req.Messages) - 1; i >= 0; i-- {
		if m := &v.req.Messages[i]; m.Role == "user" {
			prompt := strings.ToLower(m.Content)
			for _, word := range [...]string{"restate", "hand out", "dispatch", "delegate"} {
				if strings.Contains(prompt, word) {
					return true
				}
			}
			return false
		}
	}
	return false
}
