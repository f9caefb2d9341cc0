package runtime

import (
	"fmt"
	"slices"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// flow says how control goes on after a statement.
type flow struct {
	kind  flowKind
	level int    // leave: index of the loop that ends
	why   string // stop: the reason; limit: which
	value any    // back: the value
}

type flowKind int

const (
	next  flowKind = iota
	leave          // leave loop number level
	stop           // the program ends
	limit          // the program ends by a limit
	back           // a tool body returns
)

// statements runs a block of the turn program.
func (r *run) statements(list []*stmt) (flow, error) {
	for _, s := range list {
		if end := r.pass(); end.kind != next {
			return end, nil
		}
		if err := r.ctx.Err(); err != nil {
			return flow{}, err
		}
		end, err := r.statement(s)
		if err != nil || end.kind != next {
			return end, err
		}
	}
	return flow{}, nil
}

// pass counts a statement or a loop pass against the engine's own bound.
func (r *run) pass() flow {
	r.passes++
	if r.passes > MaxPasses {
		return flow{kind: limit, why: "more than " + strconv.Itoa(MaxPasses) + " statements"}
	}
	return flow{}
}

func (r *run) statement(s *stmt) (flow, error) {
	switch s.src.Kind {
	case StepStmt:
		return r.step(s)
	case RepeatStmt:
		return r.repeat(s)
	case ForStmt:
		return r.each(s)
	case IfStmt:
		holds, err := s.expr.truth(r.frame("if"))
		if err != nil {
			return flow{}, err
		}
		if holds == eval.True {
			return r.statements(s.body)
		}
		return r.statements(s.elses)
	case LetStmt:
		v, err := s.expr.value(r.frame("let " + s.src.Name))
		if err == nil {
			r.lets[s.src.Name] = v
		}
		return flow{}, err
	case SetStmt, AppendStmt:
		return flow{}, r.assign(s)
	case SayStmt:
		return flow{}, r.say(s)
	case StopStmt:
		reason := "stop"
		if s.expr != nil {
			t, err := s.expr.text(r.frame("stop"), "")
			if err != nil {
				return flow{}, err
			}
			reason = t.String()
		}
		return flow{kind: stop, why: reason}, nil
	case BreakStmt:
		return flow{kind: leave, level: len(r.loops) - 1}, nil
	}
	return flow{}, fmt.Errorf("%s: the turn program has no statement %q", s.src.At, s.src.Kind)
}

// repeat runs its body a number of times, until a condition holds, or both. A
// condition that holds from the start means no pass at all, and one that comes to
// hold in the middle of a pass ends it there.
func (r *run) repeat(s *stmt) (flow, error) {
	times := -1
	if s.expr != nil {
		v, err := s.expr.value(r.frame("repeat"))
		if err != nil {
			return flow{}, err
		}
		n, ok := wholeNumber(v)
		if !ok {
			r.note("value", "", -1, s.src.At+": repeat found no whole number of times, so it does nothing")
			return flow{}, nil
		}
		times = max(n, 0) // less than nothing is nothing, and not "for ever"
	}
	l := &loop{until: s.until}
	r.loops = append(r.loops, l)
	defer r.leave()
	if level, err := r.overAt(len(r.loops) - 1); err != nil || level >= 0 {
		return flow{}, err
	}
	for times < 0 || l.pass < times {
		l.pass++
		end, over, err := r.body(s, l)
		if over {
			return end, err
		}
	}
	return flow{}, nil
}

// each runs its body for every element of a list.
func (r *run) each(s *stmt) (flow, error) {
	v, err := s.expr.value(r.frame("for"))
	if err != nil {
		return flow{}, err
	}
	list, ok := elements(v)
	if !ok {
		r.note("value", "", -1, s.src.At+": for found no list to walk, so it does nothing")
		return flow{}, nil
	}
	l := &loop{until: s.until}
	r.loops = append(r.loops, l)
	defer r.leave()
	outer, shadowed := r.lets[s.src.Name]
	defer func() {
		delete(r.lets, s.src.Name)
		if shadowed {
			r.lets[s.src.Name] = outer
		}
	}()
	for _, x := range list {
		l.pass++
		r.lets[s.src.Name] = x
		end, over, err := r.body(s, l)
		if over {
			return end, err
		}
	}
	return flow{}, nil
}

// body runs one pass of a loop; over says that the loop is done.
func (r *run) body(s *stmt, l *loop) (end flow, over bool, err error) {
	if end := r.pass(); end.kind != next {
		return end, true, nil
	}
	end, err = r.statements(s.body)
	if err != nil {
		return end, true, err
	}
	if end.kind == leave && end.level == len(r.loops)-1 {
		return flow{}, true, nil
	}
	return end, end.kind != next, nil
}

func (r *run) leave() { r.loops = r.loops[:len(r.loops)-1] }

// over looks at every enclosing `until`, outermost first, after a turn.
func (r *run) over() (flow, error) {
	for i := range r.loops {
		level, err := r.overAt(i)
		if err != nil {
			return flow{}, err
		}
		if level >= 0 {
			return flow{kind: leave, level: level}, nil
		}
	}
	return flow{}, nil
}

// overAt returns the loop's level if its condition holds, else -1.
func (r *run) overAt(i int) (int, error) {
	if r.loops[i].until == nil {
		return -1, nil
	}
	holds, err := r.loops[i].until.truth(r.frame("until"))
	if err != nil || holds != eval.True {
		return -1, err
	}
	return i, nil
}

// say sends a text without a model call: an agent's along its edges, the user's
// to everybody.
func (r *run) say(s *stmt) error {
	f := r.frame("say")
	body, err := s.expr.text(f, "say")
	if err != nil || body.String() == "" {
		return err
	}
	from, hearers := trace.UserName, r.order
	if !isUser(s.who) {
		v, err := s.who.value(f)
		if err != nil {
			return err
		}
		m := r.members[agentName(v)]
		if m == nil {
			r.note("nobody", "", -1, "say names an agent that is not there")
			return nil
		}
		from, hearers = m.agent.Name, r.hearers(m)
	}
	for _, to := range hearers {
		msg := &trace.Message{From: from, To: to.agent.Name, Turn: -1, Text: sourced(body, "message:"+from)}
		if err := r.deliver(msg, to, nil); err != nil {
			return err
		}
	}
	return nil
}

func isUser(who *expression) bool {
	return who == nil || (len(who.names) == 1 && who.names[trace.UserName])
}

func (r *run) hearers(m *member) []*member {
	out := make([]*member, len(m.actor.heardBy))
	for i, a := range m.actor.heardBy {
		out[i] = r.order[a.index]
	}
	return out
}

// deliver sends a message along its edge; replies is the form of its reply, if it
// has one.
func (r *run) deliver(msg *trace.Message, to *member, replies *shape.Shape) error {
	if r.program.wired {
		return r.offerEdge(msg, to, replies)
	}
	r.arrive(msg, to)
	return nil
}

// arrive records a message and puts it before its recipient.
func (r *run) arrive(msg *trace.Message, to *member) {
	r.record.Append(trace.Event{Kind: trace.KindMessage, Message: msg})
	to.inbox = append(to.inbox, msg)
}

// sourced gives all of a text one source; payloads stay.
func sourced(t segment.Text, source string) segment.Text {
	out := make(segment.Text, 0, len(t))
	for _, s := range t {
		if n := len(out); n > 0 && slices.Equal(out[n-1].Payloads, s.Payloads) {
			out[n-1].Text += s.Text
			continue
		}
		s.Source = source
		out = append(out, s)
	}
	return out
}

func wholeNumber(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case float64:
		return int(v), v == float64(int(v))
	}
	return 0, false
}

// elements are the members of a list or a group.
func elements(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case eval.Group:
		return v.Members, true
	case *eval.Group:
		return v.Members, true
	}
	return nil, false
}
