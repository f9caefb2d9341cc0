package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/model"
	"parley/runtime/model/script"
)

// Scripted says, in a test, what agents say instead of their models. It is made
// for one trial and safe for concurrent use.
type Scripted struct{ player *script.Player }

// NewScripted evaluates the scripts of a trial's arm for its task.
func NewScripted(ctx context.Context, t Trial) (*Scripted, error) {
	env := eval.Map{"task": taskFields(t.Case)}
	var scripts []script.Script
	for i := range t.Arm.Scripts {
		src := &t.Arm.Scripts[i]
		s := script.Script{Agents: src.Agents, Repeat: src.Repeat}
		for k := range src.Entries {
			entry, err := scriptEntry(ctx, &src.Entries[k], env)
			if err != nil {
				return nil, fmt.Errorf("the script of %s, entry %d: %w", strings.Join(src.Agents, ", "), k+1, err)
			}
			s.Entries = append(s.Entries, entry)
		}
		scripts = append(scripts, s)
	}
	return &Scripted{player: script.NewPlayer(scripts)}, nil
}

// Answer answers a call by script. It reports false for an agent that no script
// names; a script that has no answer is an error.
func (s *Scripted) Answer(_ context.Context, c Call) (*model.Response, bool, error) {
	if !s.player.Speaks(c.Agent) {
		return nil, false, nil
	}
	got, err := s.player.Answer(c.Agent, c.Request)
	return got, true, err
}

func scriptEntry(ctx context.Context, e *ScriptEntry, env eval.Env) (script.Entry, error) {
	contains, err := scriptText(ctx, e.Contains, env)
	if err != nil {
		return script.Entry{}, err
	}
	reply, err := scriptText(ctx, e.Reply, env)
	if err != nil {
		return script.Entry{}, err
	}
	out := script.Entry{Reply: reply, Contains: contains}
	for _, call := range e.Calls {
		args := map[string]any{}
		for name, x := range call.Args {
			v, err := scriptValue(ctx, x, env)
			if err != nil {
				return out, err
			}
			args[name] = plainValue(v)
		}
		data, err := json.Marshal(args)
		if err != nil {
			return out, fmt.Errorf("the arguments of %s cannot be written as JSON: %w", call.Tool, err)
		}
		out.Calls = append(out.Calls, model.ToolCall{Name: call.Tool, Args: string(data)})
	}
	return out, nil
}

// scriptText is a text, or a map written as JSON.
func scriptText(ctx context.Context, e Expr, env eval.Env) (string, error) {
	if e.Absent() {
		return "", nil
	}
	v, err := scriptValue(ctx, e, env)
	return eval.Render(v).String(), err
}

func scriptValue(ctx context.Context, e Expr, env eval.Env) (any, error) {
	prog, err := eval.Compile(e.Src, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.At, err)
	}
	v, err := prog.Eval(ctx, env, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.At, err)
	}
	return v, nil
}
