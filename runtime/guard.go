package runtime

import (
	"fmt"
	"slices"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/trace"
)

// admit makes the agents of defenses known to the trial. They are none of the
// team's: nobody hears them, and `agents` does not list them.
func (r *run) admit() {
	for _, g := range r.program.guards {
		for _, a := range g.agents {
			agent := &trace.Agent{
				Name: a.src.Name, Group: a.src.Group, Index: max(1, a.src.Index), About: a.src.About, Honest: true, Role: GuardRole,
			}
			m := &member{actor: a, agent: agent, user: r.table.User(agent.Name), exposed: map[string]bool{}, made: map[string]int{}}
			if r.guards == nil {
				r.guards = map[string]*member{}
			}
			r.guards[agent.Name] = m
			r.named[agent.Name] = agent
			r.record.Guardians = append(r.record.Guardians, agent)
		}
		for name, members := range g.groups {
			group := eval.Group{Name: name}
			for _, a := range members {
				group.Members = append(group.Members, r.guards[a.src.Name].agent)
			}
			r.named[name] = group
		}
	}
}

// step lets agents of the defense have a turn each, one after another. Their
// turns are recorded apart from the team's, and so is what they cost.
func (x *hookRun) step(s *stmt) error {
	r := x.run
	v, err := s.who.value(x.frame)
	if err != nil {
		return err
	}
	list, ok := elements(v)
	if !ok {
		list = []any{v}
	}
	var turns []any
	path := r.unique(x.frame.place + "/" + s.src.Name)
	r.rounds[s.src.Name]++
	for i, one := range list {
		m := r.guards[agentName(one)]
		if m == nil {
			continue
		}
		if r.asked >= MaxModelCalls { // and what is guarded does not pass unguarded
			return fmt.Errorf("%s: %w", s.src.At, errManyCalls)
		}
		at := path
		if slices.ContainsFunc(list[:i], func(v any) bool { return agentName(v) == m.agent.Name }) {
			at += "~" + strconv.Itoa(i+1)
		}
		u, err := x.turn(s, m, at)
		if err != nil {
			return err
		}
		turns = append(turns, u)
	}
	switch {
	case s.src.Many || s.src.Each:
		r.labels[s.src.Name] = turns
	case len(turns) > 0:
		r.labels[s.src.Name] = turns[0]
	default:
		delete(r.labels, s.src.Name)
		x.note("step " + s.src.Name + " has nobody to speak")
	}
	return nil
}

// turn is one turn of a guard.
func (x *hookRun) turn(s *stmt, m *member, path string) (*trace.Turn, error) {
	r := x.run
	attrs := s.attrs[m.actor.index]
	f := *x.frame
	f.ctx, f.draws, f.self, f.place = nil, 0, m, path+"/"+m.agent.Name
	j := &job{
		run: r, member: m, attrs: attrs, path: path, frame: &f, role: GuardRole, offered: attrs.offered,
		turn: &trace.Turn{
			ID: -1, Step: s.src.Name, Path: f.place, Agent: m.agent.Name, Round: r.rounds[s.src.Name],
			Aside: attrs.aside, Listed: s.src.Many || s.src.Each,
		},
	}
	system, err := r.system(j)
	if err != nil {
		return nil, err
	}
	if system != nil {
		j.sent = append(j.sent, system)
	}
	for _, past := range m.recall(attrs.remembers) {
		j.sent = append(j.sent, past...)
	}
	prompt, err := r.prompt(j)
	if err != nil {
		return nil, err
	}
	if prompt.String() != "" {
		j.own = append(j.own, newMessage("user", "", prompt))
	}
	j.sent = append(j.sent, j.own...)
	j.converse()
	if j.err != nil {
		return nil, j.err
	}
	j.turn.Text = j.markText(j.text)
	if j.reply != nil {
		j.turn.Reply = j.markValue(j.reply)
	}
	x.spend(j)
	for _, e := range j.events {
		x.emit(e.event, e.prompts)
	}
	r.record.LinkGuard(j.turn)
	x.emit(trace.Event{Kind: trace.KindGuard, Guard: j.turn}, nil)
	for id := range j.exposed {
		m.exposed[id] = true
	}
	m.remember(j)
	return j.turn, nil
}

// spend counts what a guard's turn took: it is part of what the run costs, and no
// part of what the team does.
func (x *hookRun) spend(j *job) {
	r := x.run
	r.asked += j.asked
	r.record.Simulated = r.record.Simulated || j.simulated
	if r.record.Guards == nil {
		r.record.Guards = &trace.Usage{}
	}
	u := r.record.Guards
	u.Calls += j.usage.Calls
	u.Input += j.usage.Input
	u.Output += j.usage.Output
	u.Estimated = u.Estimated || j.usage.Estimated
}

// unique makes a place one that nothing else has: what stands there is asked again.
func (r *run) unique(place string) string {
	r.places[place]++
	if n := r.places[place]; n > 1 {
		place += "~" + strconv.Itoa(n)
	}
	return place
}
