package ast

// Team declares agents, edges, tools of its own, a turn order and its answer.
type Team struct {
	Span
	Name    *Ident
	Params  []*Param
	Members []*TeamMember
}

// AgentSet is a named set of agents, which teams take as a parameter.
type AgentSet struct {
	Span
	Name   *Ident
	Agents []*Agent
}

// TeamMember is one item of a team's body; exactly one pointer is set.
type TeamMember struct {
	Span
	About  *Expr
	Agent  *Agent
	Edge   *Edge
	Graph  *Graph
	Tool   *Tool
	Turns  *Turns
	Answer *Expr
	If     *If[TeamMember]
}

// If is a static choice between members: by parameters, before anything runs.
type If[T any] struct {
	Span
	Cond *Expr
	Then []*T
	Else []*T
}

// Agent declares one agent, or with Count a group of them numbered from 1.
type Agent struct {
	Span
	Doc   string
	Name  *Ident
	Count *Expr
	Attrs []*Attr
}

// Attr is an attribute of an agent or of a step. Key says which; the value
// stands in the field that fits the key. A step takes every agent attribute.
type Attr struct {
	Span
	// Key is one of: about role model temperature max_tokens system prompt
	// tools replies remembers shares aside where handoff if.
	Key   *Ident
	Value *Expr     // about temperature max_tokens system prompt where; role and model as a name
	Tools *ToolUse  // tools
	Type  *Type     // replies
	Word  *Ident    // remembers: all nothing last; shares: reply text tool_results nothing; role, model
	Last  *Expr     // remembers last k
	Try   *Expr     // where EXPR try N, replies TYPE try N
	Else  *Expr     // what is said of a reply that does not do
	Who   []*Expr   // handoff
	If    *If[Attr] // if
}

// ToolUse is `tools read, search limit 15 then answer`.
type ToolUse struct {
	Span
	Names []*Ident // tool names, or the classes read, write, all, none, own
	Limit *Expr
	Then  *Ident // answer share stop
	Order *Expr  // then answer "…"
}

// Edge says who hears whom: From -> To, or both ways.
type Edge struct {
	Span
	From, To *Expr // agent, group, group[1..2]
	Both     bool
}

// Graph is a graph maker: ring(g) chain(g) star(a, g) complete(g) tree(g) random(g, p, seed).
type Graph struct {
	Span
	Kind *Ident
	Args []*Expr
}
