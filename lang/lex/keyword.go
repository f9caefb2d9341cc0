package lex

import (
	"maps"
	"slices"
)

// Place is a kind of body that words stand in.
type Place string

// The places.
const (
	InFile       Place = "file"
	InAgents     Place = "agents"
	InModel      Place = "model"
	InTeam       Place = "team"
	InAgent      Place = "agent"
	InStep       Place = "step"
	InTurns      Place = "turns"
	InTool       Place = "tool"
	InWorkspace  Place = "workspace"
	InCorpus     Place = "corpus"
	InTask       Place = "task"
	InAttack     Place = "attack"
	InObeyed     Place = "obeyed"
	InScore      Place = "score"
	InScenario   Place = "scenario"
	InBudget     Place = "budget"
	InExperiment Place = "experiment"
	InTest       Place = "test"
	InScript     Place = "script"
	InDefense    Place = "defense"
	InHook       Place = "hook"
	InJudge      Place = "judge"
)

// Keyword is a word that begins something in a place.
type Keyword struct {
	Word string
	// Form shows how it is written; empty for words of later versions.
	Form string
	// Once says that a body has it at most once.
	Once bool
	// Later marks words that the language knows and this version does not.
	Later bool
}

// keywords is the one table of words: the parser, its messages and editors
// read it.
var keywords = map[Place][]Keyword{
	InFile: {
		{Word: "language", Form: `language 1`, Once: true},
		{Word: "use", Form: `use "std/debate" as debate`},
		{Word: "model", Form: `model NAME { provider sim knows 0.7 }`},
		{Word: "agents", Form: `agents NAME { agent reader { system "…" } }`},
		{Word: "team", Form: `team NAME(n: int = 5) { … }`},
		{Word: "workspace", Form: `workspace NAME { … }`},
		{Word: "tasks", Form: `tasks NAME "facts.jsonl" { prompt = row.question }`},
		{Word: "task", Form: `task NAME { prompt "…" answer "…" }`},
		{Word: "attack", Form: `attack NAME() at L2 { goal "…" replace agent.system with "…" }`},
		{Word: "defense", Form: `defense NAME() { before call when !call.authorized { block "why" } }`},
		{Word: "verify", Form: `verify NAME() { correct = same(run.answer, task.answer) }`},
		{Word: "score", Form: `score NAME() { rate asr = !correct given clean.correct }`},
		{Word: "scenario", Form: `scenario NAME(f: int = 1) { … }`},
		{Word: "experiment", Form: `experiment NAME { scenario s runs 3 }`},
		{Word: "test", Form: `test "what holds" { scenario s script agent { reply "…" } expect correct }`},
		{Word: "judge", Form: `judge NAME() { prompt "…${transcript}" replies { class: 1 | 2, why: string } }`},
	},
	InModel: {
		{Word: "provider", Form: `provider sim`, Once: true},
		{Word: "name", Form: `name "gpt-4o"`, Once: true},
		{Word: "base_url", Form: `base_url env("OPENAI_BASE_URL")`, Once: true},
		{Word: "temperature", Form: `temperature 0.5`, Once: true},
		{Word: "max_tokens", Form: `max_tokens 4096`, Once: true},
		{Word: "knows", Form: `knows { easy: 0.9, hard: 0.4 }`, Once: true},
		{Word: "conforms", Form: `conforms 0.1`, Once: true},
		{Word: "obeys", Form: `obeys { task: 0.2, corpus: 0.3 }`, Once: true},
		{Word: "carries", Form: `carries 0.3`, Once: true},
		{Word: "reads", Form: `reads 0.9`, Once: true},
		{Word: "refuses", Form: `refuses 0.1`, Once: true},
		{Word: "stray", Form: `stray 0.02`, Once: true},
		{Word: "unreadable", Form: `unreadable 0.01`, Once: true},
		{Word: "errors", Form: `errors { clean: 0, attacked: 0.01 }`, Once: true},
		{Word: "wrong", Form: `wrong { first: 0.8, second: 0.2 }`, Once: true},
		{Word: "tokens", Form: `tokens 120`, Once: true},
		{Word: "flags", Form: `flags { payload: 0.9, clean: 0.05 }`, Once: true},
		{Word: "judges", Form: `judges { "1": { "1": 0.9, "3": 0.1 } }`, Once: true},
		{Word: "api_key", Later: true},
		{Word: "top_p", Later: true},
		{Word: "timeout", Later: true},
		{Word: "price", Later: true},
	},
	InAgents: {
		{Word: "agent", Form: `agent NAME[n] { system "…" }`},
	},
	InTeam: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "agent", Form: `agent NAME[n] { system "…" }`},
		{Word: "tool", Form: `tool NAME(x: string) reads "file:${x}" { return … }`},
		{Word: "turns", Form: `turns { label: agent { prompt "…" } }`, Once: true},
		{Word: "answer", Form: `answer decide.reply.answer`, Once: true},
		{Word: "if", Form: `if n > 1 { … } else { … }`},
		{Word: "ring", Form: `ring(group)`},
		{Word: "chain", Form: `chain(group)`},
		{Word: "star", Form: `star(agent, group)`},
		{Word: "complete", Form: `complete(group)`},
		{Word: "tree", Form: `tree(group)`},
		{Word: "random", Form: `random(group, 0.5, 7)`},
		{Word: "layers", Form: `layers(group, 3)`},
	},
	InAgent: append([]Keyword{
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "role", Form: `role orchestrator`, Once: true},
	}, attributes...),
	InStep: append([]Keyword{
		{Word: "aside", Form: `aside`, Once: true},
	}, attributes...),
	InTurns: statements,
	InTool: append([]Keyword{
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "return", Form: `return value`},
		{Word: "require", Form: `require amount > 0 else "amount must be positive"`},
	}, statements...),
	InWorkspace: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "state", Form: `state { balance: number = 0.0 }`},
		{Word: "file", Form: `file "notes.txt" = "…"`},
		{Word: "hole", Form: `hole note = "…"`},
		{Word: "corpus", Form: `corpus debater { from "docs.jsonl" top 4 }`},
		{Word: "tool", Form: `tool NAME(x: string) reads "file:${x}" { return … }`},
		{Word: "allow", Form: `allow write "payment:*" by orchestrator when args.amount < 100`},
		{Word: "if", Form: `if strict { … } else { … }`},
		{Word: "mail", Form: `mail "inbox/1" { from: "ann", subject: "Lunch", body: "…" }`},
		{Word: "page", Form: `page "intranet/rules" = "…"`},
		{Word: "mcp", Later: true},
	},
	InCorpus: {
		{Word: "from", Form: `from "docs.jsonl"`, Once: true},
		{Word: "top", Form: `top 4`, Once: true},
		{Word: "truncate", Form: `truncate 1000`, Once: true},
	},
	InTask: {
		{Word: "allow", Form: `allow write "payment:*"`},
		{Word: "verify", Form: `verify { done = … }`, Once: true},
	},
	InAttack: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "goal", Form: `goal "answer"`, Once: true},
		{Word: "append", Form: `append agent.system with "…" when step == "debate"`},
		{Word: "prepend", Form: `prepend agent.prompt with "…"`},
		{Word: "replace", Form: `replace agent.system with "…"`},
		{Word: "rewrite", Form: `rewrite agent.system with MODEL "instruction"`},
		{Word: "insert", Form: `insert corpus { title: "…", text: "…" }`},
		{Word: "remove", Form: `remove resource("file:notes.txt")`},
		{Word: "drop", Form: `drop agent.output when step == "debate"`},
		{Word: "delay", Form: `delay edge(a -> b).message by 2 turns`},
		{Word: "add", Form: `add agent twin like debater[1] { … }, or add tool NAME(x: string) { … }`},
		{Word: "obeyed", Form: `obeyed { reply { answer: task.wrong } }`},
		{Word: "verify", Form: `verify { won = … }`, Once: true},
		{Word: "if", Form: `if mode == "colluding" { … } else { … }`},
		{Word: "generate", Later: true},
	},
	InObeyed: {
		{Word: "call", Form: `call create_file(path: "x")`, Once: true},
		{Word: "calls", Form: `calls task.attack_calls`, Once: true},
		{Word: "reply", Form: `reply { answer: task.wrong }`, Once: true},
	},
	InScore: {
		{Word: "rate", Form: `rate asr = !correct given clean.correct lower is better`},
		{Word: "grade", Form: `grade progress = len(done) / len(task.steps)`},
		{Word: "mean", Form: `mean turns_taken = len(turns)`},
		{Word: "median", Form: `median cost = run.tokens / clean.run.tokens`},
		{Word: "sum", Form: `sum writes = len(writes)`},
		{Word: "value", Form: `value above_noise = asr - placebo.asr`},
	},
	InScenario: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "team", Form: `team debate.standard(n: 5)`, Once: true},
		{Word: "workspace", Form: `workspace world.notes()`, Once: true},
		{Word: "tasks", Form: `tasks "facts.jsonl" limit 100`, Once: true},
		{Word: "model", Form: `model careful for orchestrator`},
		{Word: "baseline", Form: `baseline debate.single()`, Once: true},
		{Word: "attack", Form: `attack collude() on debater[1..3]`, Once: true},
		{Word: "verify", Form: `verify { correct = same(run.answer, task.answer) }`},
		{Word: "score", Form: `score { rate asr = !correct given clean.correct }`},
		{Word: "budget", Form: `budget { calls 50000 usd 25 }`, Once: true},
		{Word: "fail", Form: `fail when asr.high > 0.10`},
		{Word: "if", Form: `if strict { … } else { … }`},
		{Word: "defense", Form: `defense careful(), quick() on debater, or defense none`, Once: true},
		{Word: "judge", Form: `judge refusal(strict: true)`},
	},
	InBudget: {
		{Word: "calls", Form: `calls 50000`, Once: true},
		{Word: "tokens", Form: `tokens 20000000`, Once: true},
		{Word: "usd", Form: `usd 25`, Once: true},
	},
	InExperiment: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "scenario", Form: `scenario collusion`},
		{Word: "sweep", Form: `sweep mode in ["colluding", "independent"]`},
		{Word: "tasks", Form: `tasks "facts.jsonl" limit 100`, Once: true},
		{Word: "model", Form: `model careful for orchestrator`},
		{Word: "runs", Form: `runs 3`, Once: true},
		{Word: "pairs", Form: `pairs independent`, Once: true},
		{Word: "seed", Form: `seed 7`, Once: true},
		{Word: "budget", Form: `budget { calls 50000 usd 25 }`, Once: true},
		{Word: "fail", Form: `fail when asr.high > 0.10`},
		{Word: "compare", Form: `compare asr, cost`, Once: true},
		{Word: "reference", Form: `reference "table4a.csv"`, Once: true},
		{Word: "score", Form: `score across domain { value worst = max([a.asr, b.asr]) }`},
		{Word: "defense", Form: `defense careful(), or defense none`, Once: true},
	},
	InTest: {
		{Word: "scenario", Form: `scenario collusion(f: 3)`, Once: true},
		{Word: "task", Form: `task { prompt: "…", answer: "…" }`, Once: true},
		{Word: "model", Form: `model careful for orchestrator`},
		{Word: "attack", Form: `attack collude() on debater[1..2]`, Once: true},
		{Word: "script", Form: `script debater[1..3] { reply "…" repeat }`},
		{Word: "expect", Form: `expect correct`},
		{Word: "if", Form: `if strict { … } else { … }`},
		{Word: "defense", Form: `defense careful(), or defense none`, Once: true},
	},
	InDefense: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "agent", Form: `agent NAME[n] { system "…" }`},
		{Word: "append", Form: `append agent.system with "…"`},
		{Word: "prepend", Form: `prepend agent.prompt with "…"`},
		{Word: "replace", Form: `replace agent.prompt with "…"`},
		{Word: "before", Form: `before call when !call.authorized { block "why" }`},
		{Word: "after", Form: `after result { replace result with "…" }`},
		{Word: "if", Form: `if strict { … } else { … }`},
	},
	InHook: append([]Keyword{
		{Word: "block", Form: `block "why"`},
		{Word: "replace", Form: `replace result with "…"`},
		{Word: "drop", Form: `drop`},
		{Word: "quarantine", Form: `quarantine message.from`},
		{Word: "approve", Form: `approve by "treasurer"`},
	}, statements...),
	InScript: {
		{Word: "reply", Form: `reply { answer: "Paris" } when request contains "capital"`},
		{Word: "call", Form: `call create_file(path: "x"), create_file(path: "y")`},
		{Word: "repeat", Form: `repeat`, Once: true},
	},
	InJudge: {
		{Word: "about", Form: `about "…"`, Once: true},
		{Word: "model", Form: `model careful`, Once: true},
		{Word: "temperature", Form: `temperature 0`, Once: true},
		{Word: "max_tokens", Form: `max_tokens 300`, Once: true},
		{Word: "prompt", Form: `prompt "What became of this run?\n${transcript}"`, Once: true},
		{Word: "replies", Form: `replies { class: 1 | 2 | 3, why: string }`, Once: true},
		{Word: "when", Form: `when len(calls) > 0`, Once: true},
		{Word: "actually", Form: `actually { class: run.refused ? 1 : 3 }`, Once: true},
		{Word: "if", Form: `if strict { … } else { … }`},
	},
}

// attributes are those that agents and steps share.
var attributes = []Keyword{
	{Word: "model", Form: `model careful`, Once: true},
	{Word: "temperature", Form: `temperature 0.5`, Once: true},
	{Word: "max_tokens", Form: `max_tokens 1000`, Once: true},
	{Word: "system", Form: `system "…"`, Once: true},
	{Word: "prompt", Form: `prompt "…"`, Once: true},
	{Word: "tools", Form: `tools read, search limit 15 then answer`, Once: true},
	{Word: "replies", Form: `replies { answer: string }`, Once: true},
	{Word: "remembers", Form: `remembers all`, Once: true},
	{Word: "shares", Form: `shares reply`, Once: true},
	{Word: "where", Form: `where reply.answer != "" try 3`, Once: true},
	{Word: "if", Form: `if strict { … } else { … }`},
	{Word: "handoff", Form: `handoff sales, refunds`, Once: true},
}

// statements are those of turn programs and tool bodies.
var statements = []Keyword{
	{Word: "repeat", Form: `repeat 3 until done { … }`},
	{Word: "for", Form: `for x in list { … }`},
	{Word: "if", Form: `if condition { … } else { … }`},
	{Word: "let", Form: `let x = 1`},
	{Word: "set", Form: `set x = x + 1`},
	{Word: "append", Form: `append state.notes = "…"`},
	{Word: "say", Form: `say user "${task.prompt}"`},
	{Word: "stop", Form: `stop "reason"`},
	{Word: "break", Form: `break`},
	{Word: "reset", Form: `reset members`},
	{Word: "fail", Form: `fail "nobody of that name"`},
}

// Places lists the kinds of bodies, sorted.
func Places() []Place { return slices.Sorted(maps.Keys(keywords)) }

// Keywords lists the words that begin something in a place.
func Keywords(in Place) []Keyword { return keywords[in] }

// Lookup finds a word in a place.
func Lookup(in Place, word string) (Keyword, bool) {
	for _, k := range keywords[in] {
		if k.Word == word {
			return k, true
		}
	}
	return Keyword{}, false
}

// IsDeclaration reports whether a word begins a declaration of a file.
func IsDeclaration(word string) bool {
	_, ok := Lookup(InFile, word)
	return ok
}

// BinaryWord reports the operators written as words that stand between two
// operands; NegatedWord those of them that `not` may precede.
func BinaryWord(word string) bool {
	return word == "and" || word == "or" || NegatedWord(word)
}

// NegatedWord reports the operators of which `not` makes the opposite.
func NegatedWord(word string) bool {
	switch word {
	case "in", "matches", "contains", "startsWith", "endsWith":
		return true
	}
	return false
}

// Reserved reports the words that can never be names.
func Reserved(word string) bool {
	switch word {
	case "not", "let", "if", "true", "false", "nil":
		return true
	}
	return BinaryWord(word)
}
