package runtime

import (
	"strconv"
	"sync"

	"parley/runtime/trace"
)

// step lets its speakers have their turns, and defenses look at what came of it.
func (sc *scene) step(s *stmt) (flow, error) {
	end, err := sc.speaking(s)
	if err != nil {
		return end, err
	}
	return sc.guardRound(s, end)
}

func (sc *scene) speaking(s *stmt) (flow, error) {
	r := sc.run
	v, err := s.who.value(sc.at("who"))
	if err != nil {
		return flow{}, err
	}
	if end := sc.deeper(); end.kind != next {
		return end, nil
	}
	defer sc.back()
	if err := r.arrivals(); err != nil {
		return flow{}, err
	}
	speakers, err := sc.offerSpeakers(s, r.speakers(v))
	if err != nil {
		return flow{}, err
	}
	speakers = r.withTwins(speakers)
	defer func() { r.ended++ }()
	if len(speakers) == 0 {
		r.note("nobody", "", -1, "step "+s.src.Name+" has nobody to speak")
		return flow{}, nil
	}
	r.rounds[s.src.Name]++
	path := sc.place(s.src.Name)
	if s.src.Each {
		return sc.together(s, distinct(speakers), path)
	}
	spoken := make([]*trace.Turn, len(speakers))
	seen := map[*member]int{}
	for i, m := range speakers {
		if end := r.mayTurn(); end.kind != next {
			return end, nil
		}
		at := path
		if seen[m]++; seen[m] > 1 {
			at += "~" + strconv.Itoa(seen[m])
		}
		if err := r.arrivals(); err != nil {
			return flow{}, err
		}
		j, err := sc.prepare(s, m, at)
		if err != nil {
			return flow{}, err
		}
		j.converse()
		if end, err := r.commit(j); err != nil || end.kind != next {
			return end, err
		}
		if err := r.publish(j); err != nil {
			return flow{}, err
		}
		spoken[i] = j.turn
		sc.label(s, speakers, spoken)
		if end, err := sc.over(); err != nil || end.kind != next {
			return end, err
		}
	}
	return flow{}, nil
}

// together is a lockstep step: nobody sees what another one says in it. All
// prompts are made first, then the turns are recorded in the order of the members,
// and only then is anything delivered.
func (sc *scene) together(s *stmt, speakers []*member, path string) (flow, error) {
	r := sc.run
	cut := flow{}
	var jobs []*job
	for _, m := range speakers {
		if cut = r.mayTurn(); cut.kind != next {
			break
		}
		j, err := sc.prepare(s, m, path)
		if err != nil {
			return flow{}, err
		}
		jobs = append(jobs, j)
	}
	apart := r.converse(jobs)
	spoken := make([]*trace.Turn, len(speakers))
	for i, j := range jobs {
		if !apart {
			j.converse()
		}
		end, err := r.commit(j)
		if err != nil {
			return flow{}, err
		}
		if end.kind != next && cut.kind == next {
			cut = end // the others have spoken at the same time
		}
		spoken[i] = j.turn
	}
	for _, j := range jobs {
		if err := r.publish(j); err != nil {
			return flow{}, err
		}
	}
	sc.label(s, speakers, spoken)
	if cut.kind != next {
		return cut, nil
	}
	return sc.over()
}

// deeper begins a step inside of a turn: what that turn has done so far is in the
// record before what its step does, and in the world for good.
func (sc *scene) deeper() flow {
	if sc.job == nil {
		return flow{}
	}
	r := sc.run
	if r.depth++; r.depth > MaxDepth {
		return flow{kind: limit, why: "more than " + strconv.Itoa(MaxDepth) + " turns inside of one another"}
	}
	r.soFar(sc.job)
	return flow{}
}

// back ends it.
func (sc *scene) back() {
	if sc.job == nil {
		return
	}
	sc.run.depth--
	sc.before, sc.kept = sc.run.world.Checkpoint(), len(sc.job.changes)
}

// converse lets members ask their models at the same time, if none of them can
// change the world that another one sees. It reports whether it did.
func (r *run) converse(jobs []*job) bool {
	if len(jobs) < 2 || r.engine.together < 2 || r.program.alone {
		return false
	}
	for _, j := range jobs {
		if j.attrs.acts {
			return false
		}
	}
	turn := make(chan struct{}, r.engine.together)
	var wait sync.WaitGroup
	last := len(jobs) - 1
	for _, j := range jobs[:last] {
		wait.Add(1)
		turn <- struct{}{}
		go func() {
			defer wait.Done()
			room(j)
			j.converse()
			<-turn
		}()
	}
	turn <- struct{}{}
	jobs[last].converse() // here: who starts the others has nothing else to do
	wait.Wait()
	return true
}

// room lets the stack of a new goroutine grow in one step to what a call takes;
// it would otherwise be copied three or four times on the way.
//
//go:noinline
func room(j *job) byte {
	var space [6 << 10]byte
	return space[j.heard&1]
}

// speakers resolves who is to speak: an agent, a group, a list, or a name.
func (r *run) speakers(v any) []*member {
	list, ok := elements(v)
	if !ok {
		list = []any{v}
	}
	var out []*member
	for _, x := range list {
		if _, several := elements(x); several {
			out = append(out, r.speakers(x)...)
		} else if m := r.members[agentName(x)]; m != nil {
			out = append(out, m)
		}
	}
	return out
}

func distinct(list []*member) []*member {
	seen := map[*member]bool{}
	var out []*member
	for _, m := range list {
		if !seen[m] {
			seen[m] = true
			out = append(out, m)
		}
	}
	return out
}

// mayTurn says whether another turn may begin, and by which limit not.
func (r *run) mayTurn() flow {
	turns := r.begun - r.earlier
	if most := r.program.src.TurnLimit; most > 0 && turns >= most {
		return flow{kind: limit, why: "turns " + strconv.Itoa(most)}
	}
	if r.begun >= MaxTurns {
		return flow{kind: limit, why: "more than " + strconv.Itoa(MaxTurns) + " turns"}
	}
	if r.asked >= MaxModelCalls {
		return flow{kind: limit, why: "more than " + strconv.Itoa(MaxModelCalls) + " model calls"}
	}
	return flow{}
}

// label points a step's name at its latest turn, or at the latest turn of each
// of its speakers, in order. In a tool's body that is the latest of this call.
func (sc *scene) label(s *stmt, speakers []*member, spoken []*trace.Turn) {
	r, name := sc.run, s.src.Name
	before := map[string]*trace.Turn{}
	if old, ok := sc.labelled(name).([]any); ok {
		for _, v := range old {
			t := v.(*trace.Turn)
			before[t.Agent] = t
		}
	}
	var label any
	defer func() {
		if label == nil {
			return
		}
		if r.labels[name] = label; sc.frame != nil {
			sc.frame.vars[name] = label
		}
	}()
	if !s.src.Many && !s.src.Each {
		for _, t := range spoken {
			if t != nil && r.members[t.Agent].actor.src.Like == "" {
				label, r.latest[name] = t, t
			}
		}
		return
	}
	list := []any{}
	for i, m := range speakers {
		t := spoken[i]
		if t == nil {
			t = before[m.agent.Name]
		} else {
			r.latest[name] = t
		}
		if t != nil {
			list = append(list, t)
		}
	}
	label = list
}

func (sc *scene) labelled(name string) any {
	if sc.frame != nil {
		return sc.frame.vars[name]
	}
	return sc.run.labels[name]
}

// commit puts a finished turn into the record, in order.
func (r *run) commit(j *job) (flow, error) {
	if err := r.unfinished(j.err); err != nil {
		return flow{}, err
	}
	j.member.job = j.outer
	r.soFar(j)
	for id := range j.exposed {
		j.member.exposed[id] = true
	}
	if j.err != nil {
		return flow{}, j.err
	}
	if j.overflow != "" {
		r.finishTurn(j)
		return flow{kind: limit, why: j.overflow}, nil
	}
	if err := j.speak(); err != nil {
		return flow{}, err
	}
	r.finishTurn(j)
	return j.end, nil
}

// soFar puts what has happened in a turn up to now into the record.
func (r *run) soFar(j *job) {
	r.asked += j.asked
	r.record.Simulated = r.record.Simulated || j.simulated
	for i := range j.events {
		e := j.events[i].event
		switch {
		case e.Model != nil:
			e.Model.Prompts = r.intern(j.events[i].prompts)
		case e.Call != nil:
			// Its number within the turn becomes its number within the trial.
			n := len(r.record.CallList())
			j.turn.Calls[e.Call.Index] = n
			e.Call.Index = n
		case e.State != nil:
			e.State.Call = j.turn.Calls[e.State.Call]
		}
		r.record.Append(e)
	}
	r.record.Usage.Calls += j.usage.Calls
	r.record.Usage.Input += j.usage.Input
	r.record.Usage.Output += j.usage.Output
	r.record.Usage.Estimated = r.record.Usage.Estimated || j.usage.Estimated
	j.events, j.asked, j.usage = nil, 0, trace.Usage{}
}

// finishTurn records the turn itself and what its agent keeps of it.
func (r *run) finishTurn(j *job) {
	r.turns++
	for i := range j.after {
		r.record.Append(j.after[i])
	}
	r.record.Append(trace.Event{Kind: trace.KindTurn, Turn: j.turn})
	for _, id := range j.carries {
		r.record.Append(trace.Event{Kind: trace.KindCarry, Carry: &trace.Exposure{
			Agent: j.member.agent.Name, Payload: id, Slot: "output", Turn: j.turn.ID,
		}})
		j.member.carry(id)
	}
	j.member.remember(j)
}
