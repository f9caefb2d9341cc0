package runtime

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// job is one turn on its way: it collects what happens, and the run commits it
// in order. While members of a lockstep step wait for models together, each
// changes its own job and nothing else.
type job struct {
	run    *run
	member *member
	attrs  *attributes
	turn   *trace.Turn
	path   string // structural position of the step
	frame  *frame
	heard  int  // how many messages the agent has ever been sent, up to those that this turn sees
	outer  *job // the turn of the same agent in the middle of which this one stands

	sent []*message // the request so far
	own  []*message // of these, what this turn adds to memory

	events  []pending
	after   []trace.Event // of patches of the output
	exposed map[string]bool
	carries []string
	usage   trace.Usage
	asked   int

	role      string            // whose call the model's is where it is not the team's
	barred    string            // why a defense does not let the turn be held
	withdrawn map[string]bool   // tools that a defense leaves out of this turn
	offered   []model.Tool      // as the model is told of them
	described []trace.Described // of these, what the attack has a hand in
	forced    *patch            // whose call is being made
	dropped   bool              // nobody hears what the agent said

	text      segment.Text   // what the agent said
	reply     any            // typed, nil when unreadable
	results   []segment.Text // of the last tool round
	changes   []pending      // of the workspace, by the running tool call
	overflow  string         // the context overflowed
	end       flow           // a tool has ended the run
	targets   []*member      // whom the agent may hand over to
	handoff   *member        // whom it has handed over to
	simulated bool           // the simulator answered
	err       error
}

// pending is an event that waits for its turn to be committed.
type pending struct {
	event   trace.Event
	prompts []*message
}

func (j *job) record(e trace.Event) { j.events = append(j.events, pending{event: e}) }

func (j *job) note(code, text string) {
	j.record(noteEvent(code, j.member.agent.Name, j.turn.ID, text))
}

// converse asks the model, runs the tools it asks for, and reads its reply.
// What goes wrong outside of the trial ends up in j.err.
func (j *job) converse() {
	if j.barred != "" {
		j.sayBarred()
		return
	}
	at, done, err := j.rounds()
	if err == nil {
		err = j.read(at, done)
	}
	j.err = err
}

// attempt is where the next model call of the turn stands.
type attempt struct{ round, repair int }

// ask makes one model call. A nil response means that the turn cannot go on.
func (j *job) ask(at attempt, messages []*message, tools bool) (*model.Response, error) {
	r, a := j.run, j.attrs
	role := first(j.role, "turn")
	position := key.Position{Path: j.path, Agent: j.member.agent.Name, Role: role, Round: at.round, Repair: at.repair}.String()
	req := &model.Request{
		Model: a.spec.Name, Messages: make([]model.Message, len(messages)), Replies: a.replies,
		Temperature: a.temperature, MaxTokens: a.maxTokens,
		Seed: r.table.ProviderSeed(position), User: j.member.user,
	}
	for i, m := range messages {
		req.Messages[i] = m.wire()
	}
	if tools {
		req.Tools = j.offered
		j.meetTools()
	}
	j.meet(messages)
	callKey := r.table.Call(position, &a.spec, r.input.Revisions[a.model], req).String()
	res, err := r.calls.Call(r.ctx, Call{
		Spec: a.spec, Request: req, Key: callKey, Position: position,
		Agent: j.member.agent.Name, Role: role, Script: r.input.Arm.Scripts,
	})
	j.asked++
	if err != nil {
		return nil, err
	}
	got := clean(res.Response, at.round)
	j.answered(position, callKey, messages, req, got, res.Shared)
	if got.Finish == "context" {
		j.overflow = "the context of " + j.member.agent.Name
		j.turn.Limit = "context"
		return nil, nil
	}
	return got, nil
}

// answered records a call and counts its tokens: the provider's count, else an
// estimate that is marked as one.
func (j *job) answered(position, callKey string, messages []*message, req *model.Request, got *model.Response, shared bool) {
	in, out := 0, 0
	if got.Usage != nil {
		in, out = got.Usage.Input, got.Usage.Output
	} else {
		u := model.EstimateUsage(req, got)
		in, out = u.Input, u.Output
		j.usage.Estimated = true
	}
	j.usage.Calls++
	j.usage.Input += in
	j.usage.Output += out
	j.turn.Tokens += in + out
	m := &trace.Model{
		Turn: j.turn.ID, Agent: j.member.agent.Name, Role: j.role, Position: position, Key: callKey, Model: req.Model,
		Text: got.Content, Refusal: got.Refusal, Finish: got.Finish, Input: in, Output: out, Shared: shared,
		Reasoning: got.Reasoning, Odd: got.Odd, Estimated: got.Usage == nil,
		Answered: answeredBy(got, req),
	}
	if len(req.Tools) > 0 {
		m.Tools, m.Described = j.offeredNames(), j.described
	}
	m.Calls = asks(got.ToolCalls)
	sent := append([]*message(nil), messages...)
	j.events = append(j.events, pending{event: trace.Event{Kind: trace.KindModel, Model: m}, prompts: sent})
	if j.attrs.spec.Provider == "sim" || got.Simulated {
		j.simulated = true
	}
}

func asks(calls []model.ToolCall) []trace.ToolAsk {
	var out []trace.ToolAsk
	for _, c := range calls {
		out = append(out, trace.ToolAsk{ID: c.ID, Name: c.Name, Args: c.Args})
	}
	return out
}

// clean copies an answer, which other trials may share, and makes it safe to work
// with: all text is UTF-8, and every tool call has an id of its own.
func clean(answer *model.Response, round int) *model.Response {
	got := *answer
	got.Content, got.Refusal, got.Reasoning = valid(got.Content), valid(got.Refusal), valid(got.Reasoning)
	if len(got.ToolCalls) > 0 {
		got.ToolCalls = make([]model.ToolCall, len(answer.ToolCalls))
		for i, c := range answer.ToolCalls {
			id := valid(c.ID)
			if id == "" || slices.ContainsFunc(got.ToolCalls[:i], func(o model.ToolCall) bool { return o.ID == id }) {
				id = fmt.Sprintf("call_%d_%d", round, i)
			}
			got.ToolCalls[i] = model.ToolCall{ID: id, Name: valid(c.Name), Args: valid(c.Args)}
		}
	}
	return &got
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// wire is the message as the endpoint gets it.
func (m *message) wire() model.Message {
	w := model.Message{Role: m.Role, Name: model.WireName(m.Name), Content: m.text, ToolCallID: m.Call}
	for _, c := range m.Calls {
		w.ToolCalls = append(w.ToolCalls, model.ToolCall{ID: c.ID, Name: c.Name, Args: c.Args})
	}
	return w
}

// holds evaluates a condition on the candidate reply.
func (j *job) holds(where *expression, reply any) (bool, error) {
	t, err := where.truth(j.judging(reply))
	return t == eval.True, err
}

// judging is the frame in which a candidate reply is looked at.
func (j *job) judging(reply any) *frame {
	f := *j.frame
	f.ctx, f.vars = nil, maps.Clone(f.vars)
	if f.vars == nil {
		f.vars = map[string]any{}
	}
	f.vars["reply"], f.vars["text"] = reply, j.text
	return &f
}

// answeredBy is what the endpoint says answered, where that says more than was asked.
func answeredBy(got *model.Response, req *model.Request) string {
	if got.Simulated || got.Model == req.Model {
		return ""
	}
	return got.Model
}
