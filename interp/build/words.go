package build

import "parley/interp/typing"

// reserved are the names that expressions give a meaning: no agent, group,
// parameter, label, tool or predicate may take one.
var reserved = set(
	"task", "self", "heard", "turns", "messages", "calls", "agents", "state", "files", "mails", "pages", "hole", "args", "agent", "result", "reply",
	"step", "to", "run", "reads", "writes", "groups", "labels", "before", "after", "attack", "clean", "baseline", "placebo", "user", "interventions", "undefended",
	"true", "false", "nil", "let", "if", "in", "and", "or", "not", "matches", "contains", "startsWith", "endsWith",
	"same", "fold", "lines", "names", "mentions", "latest", "majority", "exposed", "carried", "calls_of", "chance", "retrieve", "distance",
	"render", "uri", "row", "request", "judge", "env",
)

// taken reports a name that nothing declared may have: a word or a function of
// the language, or a name that expressions give a meaning.
func taken(name string) bool { return reserved[name] || typing.Taken(name) != "" }

// takenWhy says what a name already is.
func takenWhy(name string) string {
	if why := typing.Taken(name); why != "" {
		return "it " + why
	}
	return "it already means something"
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
