package runtime

import (
	"errors"
	"fmt"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// call runs the tool calls of one answer, in order, and puts calls and results
// into the conversation. The first handoff among them is what the turn ends with;
// the others are carried out all the same.
func (j *job) call(got *model.Response) error {
	said := newMessage("assistant", "", segment.Of(got.Content, "model:"+j.member.agent.Name))
	said.Calls = asks(got.ToolCalls)
	j.keep(said)
	j.results = j.results[:0:0]
	for _, c := range got.ToolCalls {
		result, handed := j.handOver(c.Name)
		if !handed {
			var err error
			if result, err = j.offerCall(c); err != nil {
				return err
			}
			j.results = append(j.results, result)
		}
		answer := newMessage("tool", "", result)
		answer.Call = c.ID
		j.keep(answer)
		if j.end.kind != next {
			return nil // a tool has ended the run
		}
	}
	return nil
}

// callTool runs one call. What is wrong with it is a result for the model, never
// an error of the trial; it is recorded as tried and not effected.
func (j *job) callTool(c model.ToolCall) (segment.Text, error) {
	record := &trace.Call{
		Index: len(j.turn.Calls), Turn: j.turn.ID, Step: j.turn.Step, Agent: j.member.agent.Name, Tool: c.Name,
		Inserted: j.forced != nil,
	}
	j.turn.Calls = append(j.turn.Calls, record.Index)
	j.member.made[c.Name]++
	result, err := j.try(c, record)
	if err != nil {
		var failed *toolFailure
		if !errors.As(err, &failed) {
			return nil, err
		}
		record.Error = failed.why
		result = segment.Of("error: "+failed.why, "tool:"+c.Name)
	}
	j.record(trace.Event{Kind: trace.KindCall, Call: record})
	for i := range j.changes {
		j.changes[i].event.State.Call = record.Index
	}
	j.events = append(j.events, j.changes...)
	j.changes = nil
	j.passOn(record)
	return j.offerResult(record, result)
}

// passOn records the payloads that an agent has written into the world.
func (j *job) passOn(c *trace.Call) {
	if t := j.run.program.tools[c.Tool]; t == nil || !c.Effected || !t.changes() {
		return
	}
	for _, id := range carried(nil, any(c.Args)) {
		j.record(trace.Event{Kind: trace.KindCarry, Carry: &trace.Exposure{
			Agent: c.Agent, Payload: id, Slot: "tool", Turn: j.turn.ID,
		}})
	}
}

// toolFailure is what a model is told about a call that did not work.
type toolFailure struct{ why string }

func (f *toolFailure) Error() string { return f.why }

func failure(format string, args ...any) error { return &toolFailure{fmt.Sprintf(format, args...)} }

func (j *job) try(c model.ToolCall, record *trace.Call) (segment.Text, error) {
	t := j.attrs.tool(c.Name)
	if j.withdrawn[c.Name] {
		t = nil
	}
	if j.forced != nil {
		t = j.run.program.tools[c.Name]
	}
	if t == nil {
		return nil, failure("there is no tool %q; the tools are: %s", c.Name, strings.Join(j.offeredNames(), ", "))
	}
	args, err := arguments(t, c.Args)
	if err != nil {
		return nil, err
	}
	if record.Args = j.markArgs(args); j.forced != nil {
		record.Args = owned(args, j.forced.src.ID).(map[string]any)
	}
	f := j.toolFrame(t, record.Args)
	if err := j.resources(f, t, record, false); err != nil {
		return nil, err
	}
	if ok, err := j.guardCall(record); err != nil || !ok {
		return segment.Of("ok", "tool:"+c.Name), err
	}
	result, err := j.runTool(f, t, record.Index)
	if err != nil {
		return nil, err
	}
	f.vars["result"] = result
	if err := j.resources(f, t, record, true); err != nil {
		return nil, err
	}
	record.Result, record.Effected = result, true
	return present(t, result), nil
}

// present is a tool's result as the model sees it.
func present(t *tool, result any) segment.Text {
	text := segment.Of("ok", "tool:"+t.src.Name)
	if result != nil {
		text = eval.Render(result).From("tool:" + t.src.Name)
	}
	if t.src.Payload != "" {
		text = text.Mark(t.src.Payload) // whatever the attack's own tool says is the attack's
	}
	return text
}

// arguments reads what a model wrote as arguments of the tool.
func arguments(t *tool, raw string) (map[string]any, error) {
	var v any = map[string]any{}
	if strings.TrimSpace(raw) != "" {
		var err error
		if v, err = shape.Parse(raw); err != nil {
			return nil, failure("the arguments are not a JSON object: %s", err)
		}
	}
	typed, err := t.params.Coerce(v)
	if err != nil {
		return nil, failure("the arguments do not fit: %s", err)
	}
	args, ok := typed.(map[string]any)
	if !ok {
		return nil, failure("the arguments are not a JSON object")
	}
	return args, nil
}

func (j *job) toolFrame(t *tool, args map[string]any) *frame {
	vars := make(map[string]any, len(args)+2)
	vars["args"] = args
	vars["agent"] = j.member.agent
	for name, v := range args {
		vars[name] = v
	}
	return &frame{run: j.run, self: j.member, step: j.turn.Step, vars: vars, place: j.frame.place + "/" + t.src.Name}
}

// resources evaluates a tool's headers: those that read its result after the
// body, all others before, so that they stand even if the body fails.
func (j *job) resources(f *frame, t *tool, record *trace.Call, after bool) error {
	for _, kind := range []struct {
		headers []*header
		write   bool
		to      *[]trace.Resource
	}{{t.reads, false, &record.Reads}, {t.writes, true, &record.Writes}} {
		for _, h := range kind.headers {
			if h.after != after {
				continue
			}
			v, err := h.expr.value(f)
			if err != nil {
				return err
			}
			named, err := resources(v)
			if err != nil {
				j.note("resource", t.src.Name+": "+err.Error())
			}
			for _, uri := range named {
				ok, err := j.run.world.authorized(f, kind.write, uri)
				if err != nil {
					return err
				}
				*kind.to = append(*kind.to, trace.Resource{URI: uri, Authorized: ok})
			}
		}
	}
	return nil
}
