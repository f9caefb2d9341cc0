package judge

import (
	"context"
	"errors"
	"strings"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// Attempts is how often a judge is asked in one go: an unreadable verdict is asked
// for once more, like any reply.
const Attempts = 2

// programs are a judge's expressions, compiled.
type programs struct{ prompt, when, actually *eval.Program }

func compile(s *score.Scorer, j *score.Judge) (programs, error) {
	var out programs
	fns := s.Functions()
	for _, x := range []struct {
		to   **eval.Program
		from runtime.Expr
	}{{&out.prompt, j.Prompt}, {&out.when, j.When}, {&out.actually, j.Actually}} {
		if x.from.Absent() {
			continue
		}
		var err error
		if *x.to, err = eval.Compile(x.from.Src, fns); err != nil {
			return out, errors.New(x.from.At + ": " + err.Error())
		}
	}
	return out, nil
}

// question is what one judge is to say of one trial.
type question struct {
	cell     *cell
	judge    *score.Judge
	revision string
	ask      string
	trial    runtime.Trial
	before   *trace.Verdict // of an earlier time; nil: none
}

// put asks a judge about a recorded trial, model calls and prompts included. learn
// tells the simulator what is so; nil: nobody needs to know. An error means that the
// verdict is still open: the run was stopped.
func (q *question) put(ctx context.Context, record *trace.Trial, calls runtime.Caller, learn Learn) (*trace.Verdict, error) {
	v := &trace.Verdict{Judge: q.judge.Name, Trial: q.trial.Key, Ask: q.ask}
	if q.before != nil {
		v.Attempts, v.Usage = q.before.Attempts, q.before.Usage
		v.Prompts, v.Calls, v.Seeds = q.before.Prompts, q.before.Calls, q.before.Seeds
	}
	table := &key.Table{Seed: q.trial.Plan.Seed, Stream: q.trial.Arm.Stream, Case: q.trial.CaseKey, Repeat: q.trial.Repeat}
	system, prompt, truth, skip, err := q.brief(ctx, record, table)
	switch {
	case err != nil:
		return nil, err
	case skip != "":
		v.State, v.Why = trace.VerdictSkipped, skip
		return v, nil
	}
	if learn != nil && truth != nil && q.judge.Model.Provider == "sim" {
		defer learn(prompt, truth)()
	}
	v.Key = key.Judge(q.judge.Form(), q.revision, system+"\x00"+prompt).String()
	messages := []model.Message{{Role: "system", Content: system}, {Role: "user", Content: prompt}}
	for range Attempts {
		got, err := q.call(ctx, v, table, messages, calls)
		switch {
		case err == nil:
		case errors.Is(err, runtime.ErrStopped), ctx.Err() != nil:
			return nil, err
		default:
			v.State, v.Why = trace.VerdictFailed, err.Error()
			return v, nil
		}
		if v.Why = q.read(v, got); v.Why == "" {
			v.State = trace.VerdictRead
			return v, nil
		}
		v.State = trace.VerdictUnreadable
		if got.Refusal != "" || got.Finish == "content_filter" {
			return v, nil
		}
		messages = append(messages[:2:2], model.Message{Role: "assistant", Content: got.Content}, model.Message{
			Role: "user", Content: "That verdict cannot be used: " + strings.TrimSuffix(v.Why, ".") + ". " + q.judge.Replies.Instruction(),
		})
	}
	return v, nil
}

// read takes the verdict from its fields; it says why it cannot.
func (q *question) read(v *trace.Verdict, got *model.Response) string {
	switch {
	case got.Refusal != "" || got.Finish == "content_filter":
		return "the judge refused"
	case got.Finish == "length":
		return "the verdict was cut at its length limit"
	case got.Finish == "context":
		return "the run does not fit into the judge's context"
	}
	reply, err := q.judge.Replies.ReadWhole(got.Content)
	if err != nil {
		return err.Error()
	}
	v.Reply = reply
	return ""
}

// brief renders what the judge is shown and what is so. skip says why the judge has
// nothing to say of this run.
func (q *question) brief(ctx context.Context, record *trace.Trial, table *key.Table) (system, prompt string, truth map[string]any, skip string, err error) {
	progs, err := q.cell.programs(q.judge)
	if err != nil {
		return "", "", nil, "", err
	}
	g := score.Group{
		Row: q.trial.Case.Row, Repeat: q.trial.Repeat, Key: q.trial.CaseKey,
		Trials: map[runtime.ArmName]*trace.Trial{q.trial.Arm.Name: record},
	}
	env := q.cell.scorer.Observe(ctx, g, q.trial.Arm.Name)
	if progs.when != nil {
		v, err := progs.when.Eval(ctx, env, nil)
		switch {
		case err != nil:
			return "", "", nil, "", err
		case eval.TruthOf(v) == eval.Unknown:
			return "", "", nil, "its condition is unknown: " + reason(v), nil
		case eval.TruthOf(v) == eval.False:
			return "", "", nil, "its condition does not hold", nil
		}
	}
	text, err := progs.prompt.Text(ctx, shown{env, Transcript(record)}, nil)
	if err != nil {
		return "", "", nil, "", err
	}
	f := fenced(table, string(q.trial.Arm.Name), text)
	system, prompt = f.system(q.judge.Replies), f.prompt(text)
	if progs.actually != nil {
		v, err := progs.actually.Eval(ctx, env, nil)
		if err != nil {
			return "", "", nil, "", err
		}
		truth = known(v)
	}
	return system, prompt, truth, "", nil
}

func reason(v any) string {
	if m, ok := v.(eval.Missing); ok {
		return m.Why
	}
	return "it is neither true nor false"
}

// known is what is so; nil where some of it is unknown.
func known(v any) map[string]any {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for _, x := range fields {
		if _, missing := x.(eval.Missing); missing || x == nil {
			return nil
		}
	}
	return plain(fields).(map[string]any)
}

// shown is the environment of a judge's prompt.
type shown struct {
	eval.Env
	transcript string
}

// Lookup gives the transcript, or what the run gives.
func (s shown) Lookup(name string) (any, bool) {
	if name == "transcript" {
		return segment.Of(s.transcript, score.TranscriptSource), true
	}
	return s.Env.Lookup(name)
}

// call makes one call and records it in the verdict.
func (q *question) call(ctx context.Context, v *trace.Verdict, table *key.Table, messages []model.Message, calls runtime.Caller) (*model.Response, error) {
	j := q.judge
	position := key.Position{Path: "verdict", Agent: j.Speaker(), Role: "judge", Repair: v.Attempts}.String()
	input := messages[0].Content + "\x00" + messages[1].Content
	req := &model.Request{
		Model: j.Model.Name, Messages: messages, Replies: &j.Replies, Temperature: j.Temperature, MaxTokens: j.MaxTokens,
		// The seed goes by what is asked, so that verdicts on different runs are
		// drawn apart; a run that is replayed asks the same.
		Seed: int64(key.Of("verdict seed", j.Form(), input, v.Attempts).Uint64() >> 11), User: table.User(j.Speaker()),
	}
	callKey := key.Of("verdict", v.Key, v.Attempts).String()
	res, err := calls.Call(ctx, runtime.Call{
		Spec: j.Model, Request: req, Key: callKey, Position: position, Agent: j.Speaker(), Role: "judge", Script: q.trial.Arm.Scripts,
	})
	if err != nil {
		return nil, err
	}
	got := res.Response
	m := trace.Model{
		Turn: -1, Agent: j.Speaker(), Role: "judge", Position: position, Key: callKey, Model: j.Model.Name,
		Text: got.Content, Refusal: got.Refusal, Finish: got.Finish, Reasoning: got.Reasoning, Odd: got.Odd, Estimated: got.Usage == nil,
	}
	for _, p := range messages {
		m.Prompts = append(m.Prompts, intern(v, p))
	}
	used := got.Usage
	if used == nil {
		estimate := model.EstimateUsage(req, got)
		used, v.Usage.Estimated = &estimate, true
	}
	m.Input, m.Output = used.Input, used.Output
	v.Usage.Calls++
	v.Usage.Input += used.Input
	v.Usage.Output += used.Output
	v.Attempts++
	v.Simulated = v.Simulated || got.Simulated
	v.Calls, v.Seeds = append(v.Calls, m), append(v.Seeds, req.Seed)
	return got, nil
}

func intern(v *trace.Verdict, m model.Message) int {
	for i, p := range v.Prompts {
		if p.Role == m.Role && p.Text.String() == m.Content {
			return i
		}
	}
	v.Prompts = append(v.Prompts, trace.Prompt{Role: m.Role, Text: segment.Of(m.Content, m.Role)})
	return len(v.Prompts) - 1
}
