// Package replay answers requests from a stored run, and from nothing else. An
// answer is found by the request's seed, which follows from task, repeat,
// stream and place, and given only if the request is the one that was answered:
// where it differs, the miss says in what. Trials of two configurations may make
// one and the same call and be answered differently: each gets its own answer.
package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// Source is a stored run that answers. It is safe for concurrent use.
type Source struct {
	run   *store.Run
	seeds map[int64][]place
	users map[string]string       // user → agent, of all stored trials
	owns  map[model.Origin]string // origin → trial

	verdicts map[string]*trace.Trial // what judges were asked, by a name of their own

	mu     sync.Mutex
	trials map[string]*trace.Trial // of late
	order  []string
}

// place is a stored call: the event of a trial.
type place struct {
	trial string
	event int
}

// kept is how many trials stay in memory: those of the tasks that are being
// asked for.
const kept = 64

// Open reads where the calls of a stored run stand. The run stays the caller's
// to close, after the last answer.
func Open(ctx context.Context, run *store.Run) (*Source, error) {
	s := &Source{run: run, seeds: map[int64][]place{}, users: map[string]string{}, owns: map[model.Origin]string{}, trials: map[string]*trace.Trial{}, verdicts: map[string]*trace.Trial{}}
	cells, err := run.Cells(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i, c := range cells {
		var plan struct{ Seed uint64 }
		if err := json.Unmarshal(c.Plan, &plan); err != nil {
			return nil, fmt.Errorf("read the plan of %s: %w", run.Name(), err)
		}
		links, err := run.Links(ctx, i)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			s.owns[model.Origin{Cell: i, Arm: l.Arm, Case: l.Case, Repeat: l.Repeat}] = l.Trial
			if seen[l.Trial] {
				continue
			}
			seen[l.Trial] = true
			t, err := run.Trial(ctx, l.Trial)
			if err != nil {
				return nil, err
			}
			if t != nil {
				s.index(t, plan.Seed)
			}
		}
	}
	return s, s.indexVerdicts(ctx)
}

func (s *Source) index(t *trace.Trial, seed uint64) {
	table := key.Table{Seed: seed, Stream: t.Stream, Case: t.Case, Repeat: t.Repeat}
	for _, a := range t.Agents {
		s.users[table.User(a.Name)] = a.Name
	}
	for i := range t.Events {
		if m := t.Events[i].Model; m != nil {
			n := table.ProviderSeed(m.Position)
			s.seeds[n] = append(s.seeds[n], place{t.Key, i})
		}
	}
}

// indexVerdicts notes what judges were asked and answered. Their requests' seeds go
// by what is asked, so that a replayed run asks under the same.
func (s *Source) indexVerdicts(ctx context.Context) error {
	return s.run.Verdicts(ctx, "", func(v *trace.Verdict) error {
		name := "verdict " + v.Trial + " " + v.Ask
		t := &trace.Trial{Key: name, Prompts: v.Prompts, Simulated: v.Simulated}
		for i := range v.Calls {
			if i < len(v.Seeds) {
				s.seeds[v.Seeds[i]] = append(s.seeds[v.Seeds[i]], place{name, len(t.Events)})
				t.Events = append(t.Events, trace.Event{N: i, Kind: trace.KindModel, Model: &v.Calls[i]})
			}
		}
		s.verdicts[name] = t
		return nil
	})
}

// Name is the run's name.
func (s *Source) Name() string { return s.run.Name() }

// Provider answers for a model, whichever it is: what is stored under its name.
func (s *Source) Provider(model.Spec) *Provider { return &Provider{s} }

// Provider answers from a source.
type Provider struct{ source *Source }

// Revision names the run, so that no replayed trial is taken for one of the
// model's own.
func (p *Provider) Revision() string { return "replay of " + p.source.run.Meta().ID }

// Complete answers a request that was answered in the stored run.
func (p *Provider) Complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	return p.CompleteAt(ctx, "", req)
}

// CompleteAt is Complete for a call whose place is known; a miss names it.
func (p *Provider) CompleteAt(ctx context.Context, position string, req *model.Request) (*model.Response, error) {
	return p.CompleteIn(ctx, model.Origin{}, position, req)
}

// CompleteIn is CompleteAt for a call of a known trial. Of several stored calls
// with the very request, the one of that trial answers, else the first.
func (p *Provider) CompleteIn(ctx context.Context, origin model.Origin, position string, req *model.Request) (*model.Response, error) {
	s := p.source
	own := s.owns[origin]
	var found *model.Response
	var nearest difference
	for i, at := range s.seeds[req.Seed] {
		if found != nil && at.trial != own {
			continue
		}
		t, err := s.trial(ctx, at.trial)
		if err != nil {
			return nil, err
		}
		m := t.Events[at.event].Model
		d := compare(t, m, req)
		if d.what == "" {
			found = answer(t, m)
			if own == "" || at.trial == own {
				return found, nil
			}
		}
		if i == 0 || d.depth > nearest.depth {
			nearest = d
		}
	}
	if found != nil {
		return found, nil
	}
	return nil, s.miss(position, req, nearest)
}

// miss says why there is no answer.
func (s *Source) miss(position string, req *model.Request, d difference) error {
	if position == "" {
		position = "this call"
	}
	why := d.what
	if why == "" {
		if agent := s.users[req.User]; agent != "" {
			why = fmt.Sprintf("%s was not asked there: the order of turns, their number, or what was answered before is another", agent)
		} else {
			why = "no trial of this task, repeat, seed and arm is stored"
		}
	}
	return &model.Fault{
		Kind: "no stored answer",
		Err:  fmt.Errorf("%s holds no answer for %s: %s", s.run.Name(), position, why),
	}
}

// trial reads a trial with its prompts, or finds it among those of late.
func (s *Source) trial(ctx context.Context, id string) (*trace.Trial, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.verdicts[id]; t != nil {
		return t, nil
	}
	if t := s.trials[id]; t != nil {
		return t, nil
	}
	t, err := s.run.Trial(ctx, id)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("the trial %.12s is no longer in %s", id, s.run.Name())
	}
	if len(s.order) >= kept {
		delete(s.trials, s.order[0])
		s.order = s.order[1:]
	}
	s.trials[id] = t
	s.order = append(s.order, id)
	return t, nil
}

// answer is what a stored call was answered, as it came: counts that were our
// own estimates are left to be made again.
func answer(t *trace.Trial, m *trace.Model) *model.Response {
	resp := &model.Response{
		Content: m.Text, Refusal: m.Refusal, Finish: m.Finish, Model: m.Answered, Reasoning: m.Reasoning, Odd: m.Odd, Simulated: t.Simulated,
	}
	for _, c := range m.Calls {
		resp.ToolCalls = append(resp.ToolCalls, model.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args})
	}
	if !m.Estimated {
		resp.Usage = &model.Usage{Input: m.Input, Output: m.Output}
	}
	return resp
}
