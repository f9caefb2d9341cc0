package build

import (
	"parley/interp/typing"
	"parley/runtime/shape"
)

// environment lays out what the expressions of a program can name.
func (u *unit) environment() {
	u.anyReply = u.replyType(nil)
	for _, st := range u.team.steps {
		u.labels[st.label] = st.many
	}
	u.result = optional(typing.Lost("what a tool returns is not declared"))
	u.lay()
}

// lay builds the types again, once more is known.
func (u *unit) lay() {
	u.steps, u.toolWords = u.stepNames(), u.toolNames()
	u.resource = u.resourceType(nil)
	u.call = u.callType()
	turn := u.turnType(u.anyReply)
	u.agent = map[string]typ{
		"name": u.nameType(), "index": intType, "about": textType, "group": u.groupType(), "role": typing.Vocabulary("role", []string{"", "orchestrator"}), "honest": boolType, "turns": listOf(turn),
	}
	vars := map[string]typ{
		"task":     u.taskType(nil),
		"heard":    listOf(u.messageType()),
		"turns":    listOf(turn),
		"messages": listOf(u.messageType()),
		"calls":    listOf(u.call),
		"agents":   listOf(agentType),
		"state":    recordOf("state", typing.FromFields(u.world.fields)),
		"files":    filesType,
		"pages":    filesType,
		"mails":    listOf(mailIn),
		"hole":     u.holeType(),
	}
	u.addTeam(vars)
	u.vars = vars
}

// nameType are the names that an agent can have.
func (u *unit) nameType() typ {
	if len(u.agentNames) == 0 {
		return textType // who is there is not known
	}
	return typing.Vocabulary("agent", u.agentNames)
}

// groupType are the names of groups that an agent can have.
func (u *unit) groupType() typ {
	groups := []string{""}
	for _, m := range u.team.roster.agents {
		if m.Group != "" && !contains(groups, m.Group) {
			groups = append(groups, m.Group)
		}
	}
	if len(u.agentNames) == 0 {
		return textType
	}
	return typing.Vocabulary("group", groups)
}

// addTeam adds agents, groups and step labels.
func (u *unit) addTeam(vars map[string]typ) {
	for _, m := range u.team.roster.agents {
		if m.single() {
			vars[m.Name] = agentType
		}
	}
	for name := range u.team.roster.alias {
		vars[name] = agentType
	}
	for name, members := range u.team.roster.groups {
		vars[name] = typing.GroupOf(name, len(members))
	}
	for _, st := range u.team.steps {
		turn := u.turnType(u.replyType(st))
		switch {
		case st.wrong:
			turn = openType
		case st.many:
			turn = listOf(turn)
		}
		vars[st.label] = turn
	}
}

// taskType is the task's fields, with what tasks' own predicates add.
func (u *unit) taskType(extra map[string]typ) typ {
	if u.tasks.open {
		return openType
	}
	fields := typing.FromFields(u.tasks.fields())
	for name, t := range extra {
		fields[name] = optional(t)
	}
	return recordOf("task", fields)
}

func (u *unit) holeType() typ {
	fields := map[string]typ{}
	for _, h := range u.world.holes {
		fields[h.Name.Name] = textType
	}
	return recordOf("set of holes", fields)
}

// replyType is the type of the replies in a step; of all steps together for nil.
func (u *unit) replyType(st *step) typ {
	if st != nil {
		if s := u.c.replyOf(u.team, st); s != nil {
			t := shapeType(*s)
			t.Name = "reply of step " + st.label
			return optional(t)
		}
		none := recordOf("reply of step "+st.label, nil)
		none.Why = "say in the step what its reply holds: replies { … }"
		return optional(none)
	}
	var all *typ
	for _, other := range u.team.steps {
		s := u.c.replyOf(u.team, other)
		if s == nil {
			continue
		}
		t := shapeType(*s)
		if all != nil {
			t = either(*all, t)
		}
		all = &t
	}
	if all == nil {
		return optional(recordOf("reply", nil))
	}
	all.Name = "reply"
	return optional(*all)
}

func (u *unit) stepNames() typ {
	names := make([]string, len(u.team.steps))
	for i, st := range u.team.steps {
		names[i] = st.label
	}
	return typing.Vocabulary("step", names)
}

func (u *unit) toolList() []string {
	names := make([]string, len(u.tools))
	for i := range u.tools {
		names[i] = u.tools[i].Name
	}
	return names
}

func (u *unit) toolNames() typ { return typing.Vocabulary("tool", u.toolList()) }

// anyArgs is the type of a call's arguments where the tool is not known: any
// field that some tool has, which another tool may lack.
func (u *unit) anyArgs() typ {
	fields := map[string]typ{}
	for i := range u.tools {
		for _, f := range u.tools[i].Params {
			t := shapeType(f.Shape)
			if other, both := fields[f.Name]; both {
				t = either(other, t)
			}
			fields[f.Name] = optional(t)
		}
	}
	return recordOf("set of arguments", fields)
}

func (u *unit) turnType(reply typ) typ {
	fields := u.turnFields(reply)
	fields["calls"] = listOf(u.call)
	return recordOf("turn", fields)
}

func (u *unit) turnFields(reply typ) map[string]typ {
	return map[string]typ{
		"step": u.steps, "agent": agentType, "text": textType, "reply": reply, "round": intType, "tokens": intType,
		"refused": boolType, "unreadable": boolType, "limit": textType, "aside": boolType, "handoff": optional(agentType),
	}
}

func (u *unit) messageType() typ {
	return recordOf("message", map[string]typ{
		"from": agentType, "to": agentType, "text": textType, "reply": u.anyReply, "round": intType, "step": u.steps,
	})
}

func (u *unit) callType() typ {
	fields := map[string]typ{
		"agent": agentType, "tool": u.toolWords, "args": u.anyArgs(), "result": u.result, "error": textType,
		"effected": boolType, "authorized": boolType, "step": u.steps,
	}
	fields["turn"] = recordOf("turn", u.turnFields(u.anyReply))
	fields["reads"] = listOf(u.resource)
	fields["writes"] = fields["reads"]
	return recordOf("call", fields)
}

// resourceType is one element of reads and writes; within a call it does not
// lead back to the call.
func (u *unit) resourceType(call *typ) typ {
	fields := map[string]typ{"uri": textType, "effected": boolType, "authorized": boolType, "agent": agentType, "tool": u.toolWords}
	if call != nil {
		fields["call"] = *call
	}
	return recordOf("resource", fields)
}

// verdictVars is what predicates see of a finished run.
func (u *unit) verdictVars() map[string]typ {
	world := recordOf("world", map[string]typ{"state": u.vars["state"], "files": filesType, "pages": filesType, "mails": listOf(mailIn)})
	vars := map[string]typ{
		"task": u.taskType(nil), "turns": u.vars["turns"], "messages": u.vars["messages"], "calls": u.vars["calls"],
		"reads": listOf(u.resourceType(&u.call)), "writes": listOf(u.resourceType(&u.call)), "agents": u.vars["agents"],
		"before": world, "after": world,
		"interventions": listOf(u.interventionType()),
		"run": recordOf("run", map[string]typ{
			"guard_tokens": intType, "guard_calls": intType, "blocked": intType,
			"answer": optional(u.answer), "reply": u.anyReply, "tokens": intType, "model_calls": intType, "refused": boolType, "ended_by": textType,
		}),
	}
	if u.tasks.sessions {
		vars["run"].Fields["parts"] = listOf(u.partType())
	}
	u.addTeam(vars)
	return vars
}

// attackType is the attack with its own predicates.
func (u *unit) attackType(preds map[string]typ) typ {
	fields := map[string]typ{"name": textType, "goal": textType, "level": typing.Vocabulary("level", []string{"L1", "L2", "L3"})}
	for n, t := range preds {
		fields[n] = t
	}
	return recordOf("attack", fields)
}

// pairedPlace is what predicates see: the run, and the paired runs with the
// predicates of theirs.
func (b *cellBuild) pairedPlace(trial map[string]typ, preds []pred) map[string]typ {
	named := map[string]typ{}
	for _, p := range preds {
		named[p.decl.Name.Name] = openType
	}
	run, base := b.pairedRuns(trial, named)
	return copyVars(trial, map[string]typ{"clean": run, "placebo": run, "baseline": base, "undefended": run})
}

// pairedRuns are the types of another arm's run of the team, and of a baseline's.
func (b *cellBuild) pairedRuns(trial, preds map[string]typ) (run, base typ) {
	const name = "run of another arm"
	run = recordOf(name, copyVars(trial, preds))
	if b.baseUnit == nil {
		return run, run
	}
	vars := copyVars(b.baseUnit.verdictVars(), preds)
	if a, ok := trial["attack"]; ok {
		vars["attack"] = a
	}
	vars[judgeWord] = noJudges
	vars["clean"] = recordOf(name, copyVars(vars, nil))
	return run, recordOf(name, vars)
}

// scorePlaces are what scores see: the run and its predicates, the paired runs
// with theirs, and for values the scores themselves.
func (b *cellBuild) scorePlaces(trial, preds map[string]typ, items []*item) scorePlaces {
	run, base := b.pairedRuns(trial, preds)
	all := copyVars(trial, preds)
	all["clean"], all["placebo"], all["baseline"], all["undefended"] = run, run, base, run
	values, arm := map[string]typ{}, map[string]typ{}
	for _, it := range items {
		values[it.decl.Name.Name], arm[it.decl.Name.Name] = numberType, numberType
	}
	values["placebo"] = recordOf("set of scores", arm)
	values["baseline"] = recordOf("set of scores", copyVars(arm, map[string]typ{"placebo": values["placebo"]}))
	return scorePlaces{trial: all, values: values}
}

func copyVars(a, b map[string]typ) map[string]typ {
	out := make(map[string]typ, len(a)+len(b))
	for n, t := range a {
		out[n] = t
	}
	for n, t := range b {
		out[n] = t
	}
	return out
}

// estimateVars is what thresholds see: each score with its interval; a split
// score by its keys.
func estimateVars(items []*item) map[string]typ {
	estimate := recordOf("score", estimateFields())
	vars, arm := map[string]typ{}, map[string]typ{}
	for _, it := range items {
		t := estimate
		if it.decl.By != nil {
			t = typing.TableOf(estimate)
		}
		vars[it.decl.Name.Name], arm[it.decl.Name.Name] = t, t
	}
	vars["baseline"], vars["placebo"] = recordOf("set of scores", arm), recordOf("set of scores", arm)
	return vars
}

// estimateFields are what a threshold can ask of a score.
func estimateFields() map[string]typ {
	fields := map[string]typ{}
	for _, n := range []string{"value", "low", "high", "n", "num", "den", "errors", "unknown", "no_answer"} {
		fields[n] = numberType
	}
	return fields
}

// argTypes are a tool's arguments by name.
func argTypes(fields []shape.Field) map[string]typ { return typing.FromFields(fields) }
