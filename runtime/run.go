package runtime

import (
	"context"
	"errors"

	"parley/runtime/eval"
	"parley/runtime/key"
	"parley/runtime/segment"
	"parley/runtime/trace"
)

// run is one trial while it runs. Only its owner changes it; members of a
// lockstep step that wait together touch nothing but their own job and member.
type run struct {
	ctx     context.Context
	engine  *Engine
	program *program
	input   Trial
	calls   Caller
	table   key.Table

	record  *trace.Trial
	now     *Case // the task, or the one of its session that is played
	task    fields
	named   map[string]any // agents and groups by name
	members map[string]*member
	guards  map[string]*member // the agents of defenses
	order   []*member
	world   *runWorld

	lets    map[string]any
	labels  map[string]any         // step label → turn, list of turns
	latest  map[string]*trace.Turn // step label → its newest turn
	rounds  map[string]int         // step label → how often it has begun
	places  map[string]int         // positions taken, so that none is used twice
	main    *scene                 // the turn program
	turns   int                    // that have ended
	begun   int                    // that have begun
	earlier int                    // of these, in earlier tasks of the session
	depth   int                    // of steps in tools' bodies
	asked   int                    // model calls
	passes  int                    // statements and loop passes

	interned map[promptKey]int // request messages by content
	marks    []mark            // what betrays the payloads rendered so far
	known    map[markKey]bool
	single   map[int]bool // turns whose messages differ by recipient
	rewrites map[rewriteKey]segment.Text
	delayed  []held // messages on their way
	ended    int    // steps that have ended
}

// member is an agent within one trial.
type member struct {
	actor   *actor
	agent   *trace.Agent
	user    string // the request's user
	inbox   []any  // *trace.Message that arrived since its last turn
	taken   int    // how many messages it has taken in before those
	past    []exchange
	system  *message        // as last sent
	exposed map[string]bool // payloads it has met
	carried map[string]bool // payloads it has passed on; nil: none
	made    map[string]int  // its calls by tool
	job     *job            // the turn it is in
	shut    bool            // a defense has shut it off: nobody hears it
}

// heard are the messages that wait for the agent's next turn.
func (m *member) heard() []any { return m.inbox[:len(m.inbox):len(m.inbox)] }

func (m *member) carry(payload string) {
	if m.carried == nil {
		m.carried = map[string]bool{}
	}
	m.carried[payload] = true
}

func newRun(ctx context.Context, e *Engine, p *program, t Trial, calls Caller) *run {
	r := &run{
		ctx: ctx, engine: e, program: p, input: t, calls: calls,
		table: key.Table{Seed: e.Plan.Seed, Stream: t.Arm.Stream, Case: t.CaseKey, Repeat: t.Repeat},
		record: &trace.Trial{
			Key: t.Key, Case: t.CaseKey, Row: t.Case.Row, Arm: string(t.Arm.Name), Repeat: t.Repeat, Stream: t.Arm.Stream,
		},
		named: map[string]any{}, members: map[string]*member{},
		lets: map[string]any{}, labels: map[string]any{}, latest: map[string]*trace.Turn{},
		rounds: map[string]int{}, places: map[string]int{}, interned: map[promptKey]int{}, known: map[markKey]bool{}, single: map[int]bool{},
	}
	r.main = &scene{run: r}
	for _, a := range p.agents {
		agent := &trace.Agent{
			Name: a.src.Name, Group: a.src.Group, Index: max(1, a.src.Index), About: a.src.About,
			Honest: a.src.Honest, Role: a.src.Role,
		}
		m := &member{
			actor: a, agent: agent, user: r.table.User(agent.Name),
			exposed: map[string]bool{}, made: map[string]int{},
		}
		r.record.Agents = append(r.record.Agents, agent)
		r.members[agent.Name] = m
		r.order = append(r.order, m)
		r.named[agent.Name] = agent
	}
	for name, group := range p.groups {
		g := eval.Group{Name: name}
		for _, a := range group {
			g.Members = append(g.Members, r.order[a.index].agent)
		}
		r.named[name] = g
	}
	r.admit()
	r.record.Events = make([]trace.Event, 0, p.events.Load())
	r.record.Link()
	r.named[trace.UserName] = r.record.User()
	r.now = t.Case.Parts()[0]
	r.task = taskFields(r.now)
	return r
}

// taskFields are the case's fields; the prompt knows that it is the task's.
func taskFields(c *Case) fields {
	task := make(fields, len(c.Fields))
	for name, v := range c.Fields {
		task[name] = v
	}
	if prompt, ok := task["prompt"].(string); ok {
		task["prompt"] = segment.Of(prompt, "task.prompt")
	}
	return task
}

// trial runs the program from start to end and closes the record.
func (r *run) trial() (*trace.Trial, error) {
	err := r.begin()
	if err == nil {
		err = r.parts()
		r.lost()
	}
	if stopped := r.unfinished(err); stopped != nil {
		return nil, stopped
	}
	r.close(err)
	return r.record, nil
}

// unfinished returns the error if it means that the trial did not end.
func (r *run) unfinished(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, ErrStopped) {
		return err
	}
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	return nil
}

// begin lays out the world and offers the slots that exist before anybody speaks.
func (r *run) begin() error {
	if err := r.offerTask(); err != nil {
		return err
	}
	if err := r.layWorld(); err != nil {
		return err
	}
	r.record.Before = r.world.snapshot()
	r.noteAdditions()
	return nil
}

// frame is where the turn program's own expressions are evaluated.
func (r *run) frame(place string) *frame {
	return &frame{run: r, place: r.main.path + place + r.main.loopCounts()}
}

func (r *run) note(code, agent string, turn int, text string) {
	r.record.Append(noteEvent(code, agent, turn, text))
}

func noteEvent(code, agent string, turn int, text string) trace.Event {
	return trace.Event{Kind: trace.KindNote, Note: &trace.Note{Code: code, Agent: agent, Turn: turn, Text: text}}
}
