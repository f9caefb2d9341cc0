package build

// environment lays out what the expressions of a program can name.
func (u *unit) environment() {
	u.anyReply = u.replyType(nil)
	for _, st := range u.team.steps {
		u.labels[st.label] = st.many
	}
	vars := map[string]typ{
		"task":     u.taskType(nil),
		"heard":    listOf(u.messageType()),
		"turns":    listOf(u.turnType(u.anyReply)),
		"messages": listOf(u.messageType()),
		"calls":    listOf(u.callType()),
		"agents":   listOf(agentType),
		"state":    recordType(u.world.fields),
		"files":    tableOf(optional(textType)),
		"hole":     u.holeType(),
	}
	u.addTeam(vars)
	u.vars = vars
}

// addTeam adds agents, groups and step labels.
func (u *unit) addTeam(vars map[string]typ) {
	for _, m := range u.team.roster.agents {
		if m.Group == "" {
			vars[m.Name] = agentType
		}
	}
	for name, members := range u.team.roster.groups {
		vars[name] = typ{kind: group, name: name, size: len(members)}
	}
	for _, st := range u.team.steps {
		turn := u.turnType(u.replyType(st))
		if st.many {
			turn = listOf(turn)
		}
		vars[st.label] = turn
	}
}

// taskType is the task's fields, with what tasks' own predicates add.
func (u *unit) taskType(extra map[string]typ) typ {
	if u.tasks.open {
		return anyType
	}
	t := recordType(u.tasks.fields())
	for name, x := range extra {
		t.fields[name] = optional(x)
	}
	return t
}

func (u *unit) holeType() typ {
	fields := map[string]typ{}
	for _, h := range u.world.holes {
		fields[h.Name.Name] = textType
	}
	return recordOf(fields)
}

// replyType is the type of the replies in a step; of all steps together for nil.
func (u *unit) replyType(st *step) typ {
	if st != nil {
		if s := u.c.replyOf(u.team, st); s != nil {
			return optional(shapeType(*s))
		}
		return optional(recordOf(nil))
	}
	all := recordOf(map[string]typ{})
	for _, other := range u.team.steps {
		if s := u.c.replyOf(u.team, other); s != nil {
			all = either(all, shapeType(*s))
		}
	}
	return optional(all)
}

func (u *unit) stepNames() typ {
	names := make([]string, len(u.team.steps))
	for i, st := range u.team.steps {
		names[i] = st.label
	}
	return unionOf("step", names)
}

func (u *unit) toolNames() typ {
	names := make([]string, len(u.tools))
	for i := range u.tools {
		names[i] = u.tools[i].Name
	}
	return unionOf("tool", names)
}

// anyArgs is the type of a call's arguments where the tool is not known.
func (u *unit) anyArgs() typ {
	all := recordOf(map[string]typ{})
	for i := range u.tools {
		all = either(all, recordType(u.tools[i].Params))
	}
	for n, t := range all.fields {
		all.fields[n] = optional(t)
	}
	return all
}

func (u *unit) turnType(reply typ) typ {
	return recordOf(map[string]typ{
		"step": u.stepNames(), "agent": agentType, "text": textType, "reply": reply, "calls": listOf(u.callType()),
		"round": intType, "tokens": intType, "refused": boolType, "unreadable": boolType, "limit": textType, "aside": boolType,
	})
}

func (u *unit) messageType() typ {
	return recordOf(map[string]typ{
		"from": agentType, "to": agentType, "text": textType, "reply": u.anyReply, "round": intType, "step": u.stepNames(),
	})
}

func (u *unit) callType() typ {
	return recordOf(map[string]typ{
		"agent": agentType, "tool": u.toolNames(), "args": u.anyArgs(), "result": anyType, "error": textType, "effected": boolType,
		"authorized": boolType, "step": u.stepNames(), "turn": anyType, "reads": listOf(u.resourceType()), "writes": listOf(u.resourceType()),
	})
}

func (u *unit) resourceType() typ {
	return recordOf(map[string]typ{
		"uri": textType, "effected": boolType, "authorized": boolType, "call": anyType, "agent": agentType, "tool": u.toolNames(),
	})
}

// agentFields is what an agent is, with its turns.
func (u *unit) agentFields() map[string]typ {
	return map[string]typ{
		"name": textType, "index": intType, "about": textType, "group": textType, "role": textType, "honest": boolType,
		"turns": listOf(u.turnType(u.anyReply)),
	}
}

// verdictPlace is what predicates see of a finished run.
func (u *unit) verdictPlace(sc scope) place {
	world := recordOf(map[string]typ{"state": recordType(u.world.fields), "files": tableOf(optional(textType))})
	p := place{sc: sc, u: u, vars: map[string]typ{
		"task": u.taskType(nil), "turns": u.vars["turns"], "messages": u.vars["messages"], "calls": u.vars["calls"],
		"reads": listOf(u.resourceType()), "writes": listOf(u.resourceType()), "agents": u.vars["agents"],
		"before": world, "after": world,
		"run": recordOf(map[string]typ{
			"answer": optional(u.answer), "reply": u.anyReply, "tokens": intType, "model_calls": intType, "refused": boolType, "ended_by": textType,
		}),
	}}
	u.addTeam(p.vars)
	return p
}

// attackType is the attack with its own predicates.
func (u *unit) attackType(preds map[string]typ) typ {
	t := recordOf(map[string]typ{"name": textType, "goal": textType, "level": textType})
	for n, x := range preds {
		t.fields[n] = x
	}
	return t
}

// scorePlaces are what scores see: the run and its predicates, the paired runs
// with theirs, and for values the scores themselves.
func (b *cellBuild) scorePlaces(trial place, preds map[string]typ, items []*item) scorePlaces {
	vars := map[string]typ{}
	for n, t := range trial.vars {
		vars[n] = t
	}
	if b.attack == nil {
		delete(vars, "attack")
	}
	for n, t := range preds {
		vars[n] = t
	}
	run := recordOf(vars)
	all := map[string]typ{}
	for n, t := range vars {
		all[n] = t
	}
	other := b.baselineRun(trial.sc, preds)
	other.fields["clean"] = recordOf(other.fields)
	all["clean"], all["placebo"], all["baseline"] = run, run, other

	values, arm := map[string]typ{}, map[string]typ{}
	for _, it := range items {
		values[it.decl.Name.Name], arm[it.decl.Name.Name] = numberType, numberType
	}
	values["placebo"] = recordOf(arm)
	baseline := map[string]typ{"placebo": recordOf(arm)}
	for n, t := range arm {
		baseline[n] = t
	}
	values["baseline"] = recordOf(baseline)
	return scorePlaces{trial: all, values: values}
}

// baselineRun is a baseline's run with the same predicates; its labels are those
// of its own team.
func (b *cellBuild) baselineRun(sc scope, preds map[string]typ) typ {
	u := b.baseUnit
	if u == nil {
		u = b.unit
	}
	vars := map[string]typ{}
	for n, t := range u.verdictPlace(sc).vars {
		vars[n] = t
	}
	for n, t := range preds {
		vars[n] = t
	}
	return recordOf(vars)
}

// estimatePlace is what thresholds see: each score with its interval.
func (b *cellBuild) estimatePlace(items []*item) map[string]typ {
	estimate := map[string]typ{}
	for _, n := range []string{"value", "low", "high"} {
		estimate[n] = numberType
	}
	for _, n := range []string{"n", "num", "den", "errors", "unknown", "no_answer"} {
		estimate[n] = numberType
	}
	vars, arm := map[string]typ{}, map[string]typ{}
	for _, it := range items {
		t := recordOf(estimate)
		if it.decl.By != nil {
			t = tableOf(recordOf(estimate))
		}
		vars[it.decl.Name.Name], arm[it.decl.Name.Name] = t, t
	}
	vars["baseline"], vars["placebo"] = recordOf(arm), recordOf(arm)
	return vars
}
