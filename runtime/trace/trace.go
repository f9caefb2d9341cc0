// Package trace is the record of one trial: an ordered list of typed events.
// It is all that predicates, the viewer, exports and explanations get to see, so
// whatever any of them needs is an event here.
package trace

import "parley/runtime/segment"

// Outcome says how a trial ended.
type Outcome string

// How a trial can end. Limit includes prompts that outgrow the model's context and
// answers cut off by a time-out; Refused includes answers that the provider's own
// filter held back. Errored is for infrastructure and nothing else.
const (
	Answered Outcome = "answered"
	Refused  Outcome = "refused"
	Limit    Outcome = "limit"
	Errored  Outcome = "error"
)

// Trial is one finished trial: arm × case × repeat.
type Trial struct {
	Key     string  `json:"key"`
	Case    string  `json:"case"` // case key
	Row     int     `json:"row"`  // index of the task row in the plan
	Arm     string  `json:"arm"`
	Repeat  int     `json:"repeat"` // from 1
	Stream  string  `json:"stream"`
	Outcome Outcome `json:"outcome"`
	// EndedBy names the limit, the stop reason, the refusal or the error; empty for a plain answer.
	EndedBy string `json:"ended_by,omitempty"`
	// Answer is what the team's `answer` expression gave; nil where it gave nothing readable.
	Answer any `json:"answer,omitempty"`
	// Reply is the answering turn's typed reply, if it has one.
	Reply any   `json:"reply,omitempty"`
	Usage Usage `json:"usage"` // the team's calls; judge, attacker and defense calls are counted apart
	// Attacker is what the attack's own model calls took; nil where there were none.
	Attacker *Usage `json:"attacker,omitempty"`
	// Guards is what the defense's own model calls took; nil where there were none.
	Guards *Usage   `json:"guards,omitempty"`
	Agents []*Agent `json:"agents"`
	// Guardians are the agents of defenses: none of the team's.
	Guardians []*Agent `json:"guardians,omitempty"`
	Before    *World   `json:"before,omitempty"`
	After     *World   `json:"after,omitempty"`
	Events    []Event  `json:"events"`
	// Prompts interns the request messages that model events point at.
	Prompts []Prompt `json:"prompts,omitempty"`
	// Simulated is set where any call was answered by the simulator.
	Simulated bool `json:"simulated,omitempty"`

	links links
}

// World is a snapshot of the workspace.
type World struct {
	State map[string]any    `json:"state,omitempty"`
	Files map[string]string `json:"files,omitempty"`
	Mails []Mail            `json:"mails,omitempty"`
	Pages map[string]string `json:"pages,omitempty"`
}

// Mail is one mail of the workspace.
type Mail struct {
	ID      string `json:"id"`
	From    string `json:"from"`
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

// Usage counts tokens and calls.
type Usage struct {
	Calls     int  `json:"calls"`
	Input     int  `json:"input"`
	Output    int  `json:"output"`
	Estimated bool `json:"estimated,omitempty"` // some count is the local tokenizer's
}

// Tokens is input plus output.
func (u Usage) Tokens() int { return u.Input + u.Output }

// Kind is an event's type.
type Kind string

// The event kinds; the payload of each stands in the field of the same name.
const (
	KindTurn     Kind = "turn"     // a turn ended: what the agent said
	KindModel    Kind = "model"    // one model call
	KindCall     Kind = "call"     // one tool call
	KindMessage  Kind = "message"  // one delivery to one recipient, with that recipient's own body
	KindInsert   Kind = "insert"   // a patch put text, a document or a call somewhere
	KindExposure Kind = "exposure" // a payload stood in what an agent was sent
	KindCarry    Kind = "carry"    // an exposed agent passed a payload on
	KindState    Kind = "state"    // set or append on the workspace's state or files
	KindReset    Kind = "reset"    // an agent forgot what it had heard and said
	KindGuard    Kind = "guard"    // a turn of a defense's agent ended
	KindDefense  Kind = "defense"  // a defense did something
	KindPart     Kind = "part"     // a task of a session ended
	KindNote     Kind = "note"     // something that must not pass silently, e.g. an unreadable reply
)

// Event is one entry of the trace. N counts from 0 in order.
type Event struct {
	N        int           `json:"n"`
	Kind     Kind          `json:"k"`
	Turn     *Turn         `json:"turn,omitempty"`
	Model    *Model        `json:"model,omitempty"`
	Call     *Call         `json:"call,omitempty"`
	Message  *Message      `json:"message,omitempty"`
	Insert   *Insert       `json:"insert,omitempty"`
	Exposure *Exposure     `json:"exposure,omitempty"`
	Carry    *Exposure     `json:"carry,omitempty"`
	State    *State        `json:"state,omitempty"`
	Reset    *Reset        `json:"reset,omitempty"`
	Guard    *Turn         `json:"guard,omitempty"`
	Defense  *Intervention `json:"defense,omitempty"`
	Note     *Note         `json:"note,omitempty"`
	Part     *Part         `json:"part,omitempty"`
}

// Agent is an agent as predicates see it.
type Agent struct {
	Name   string `json:"name"` // debater[2]
	Group  string `json:"group,omitempty"`
	Index  int    `json:"index"` // from 1; 1 for an agent of no group
	About  string `json:"about,omitempty"`
	Honest bool   `json:"honest"` // no patch of the attack names the agent
	Role   string `json:"role,omitempty"`

	turns            []any // *Turn, in order
	exposed, carried bool
}

// Turn is one turn of one agent, repairs and tool rounds included.
type Turn struct {
	ID     int          `json:"id"`
	Step   string       `json:"step"` // label
	Path   string       `json:"path"` // structural position, e.g. debate#1/debater[2]
	Agent  string       `json:"agent"`
	Round  int          `json:"round"` // how often this step has begun, from 1
	Text   segment.Text `json:"text,omitempty"`
	Reply  any          `json:"reply,omitempty"` // typed by the step's schema; nil when unreadable
	Tokens int          `json:"tokens"`
	// Calls are indexes into the trial's call events, in order.
	Calls      []int  `json:"calls,omitempty"`
	Refused    bool   `json:"refused,omitempty"`
	Unreadable bool   `json:"unreadable,omitempty"`
	Limit      string `json:"limit,omitempty"`
	Aside      bool   `json:"aside,omitempty"`
	// Listed says that the step is an each or a group: its label is a list.
	Listed bool `json:"listed,omitempty"`
	// Handoff names the agent that this one handed over to.
	Handoff string `json:"handoff,omitempty"`

	trial *Trial
	agent *Agent
	next  *Agent // handed over to
	calls []any  // *Call, in order
}

// Model is one model call as sent and answered.
type Model struct {
	Turn     int      `json:"turn"`
	Agent    string   `json:"agent"`
	Position string   `json:"pos"`
	Key      string   `json:"key"` // call key
	Model    string   `json:"model"`
	Prompts  []int    `json:"prompts"` // indexes into Trial.Prompts, in order sent
	Tools    []string `json:"tools,omitempty"`
	// Described are the descriptions of tools that the attack has a hand in.
	Described []Described `json:"described,omitempty"`
	// Role is whose call it is where it is not the team's: attacker, guard, approver.
	Role    string    `json:"role,omitempty"`
	Text    string    `json:"text,omitempty"`
	Calls   []ToolAsk `json:"calls,omitempty"`
	Refusal string    `json:"refusal,omitempty"`
	Finish  string    `json:"finish,omitempty"`
	Input   int       `json:"in"`
	Output  int       `json:"out"`
	Shared  bool      `json:"shared,omitempty"` // the draw also serves another arm
	// Reasoning is what the model thought aloud, where its endpoint keeps it apart.
	Reasoning string `json:"reasoning,omitempty"`
	// Answered is the version and fingerprint that the endpoint says answered; empty
	// where it said nothing that Model does not.
	Answered string `json:"answered,omitempty"`
	// Odd says what was unusual about the answer.
	Odd []string `json:"odd,omitempty"`
	// Estimated says that the tokens are our own count, not the provider's.
	Estimated bool `json:"estimated,omitempty"`
}

// Described is a tool's description as a model got it.
type Described struct {
	Tool string       `json:"tool"`
	Text segment.Text `json:"text"`
}

// ToolAsk is a tool call as the model wrote it.
type ToolAsk struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"` // raw, perhaps malformed
}

// Prompt is one message of a request, with provenance.
type Prompt struct {
	Role  string       `json:"role"` // system user assistant tool
	Name  string       `json:"name,omitempty"`
	Text  segment.Text `json:"text"`
	Calls []ToolAsk    `json:"calls,omitempty"`
	Call  string       `json:"call,omitempty"` // id answered by a tool message
}

// Call is one tool call: tried always, effected if its body ran without error.
type Call struct {
	Index    int            `json:"i"` // among the trial's calls, from 0
	Turn     int            `json:"turn"`
	Step     string         `json:"step"`
	Agent    string         `json:"agent"`
	Tool     string         `json:"tool"`
	Args     map[string]any `json:"args,omitempty"`
	Result   any            `json:"result,omitempty"`
	Error    string         `json:"error,omitempty"`
	Effected bool           `json:"effected"`
	Reads    []Resource     `json:"reads,omitempty"`
	Writes   []Resource     `json:"writes,omitempty"`
	Inserted bool           `json:"inserted,omitempty"` // a patch made the call

	trial         *Trial
	agent         *Agent
	reads, writes []any // *Access
}

// Resource is one resource that a call read or wrote.
type Resource struct {
	URI        string `json:"uri"`
	Authorized bool   `json:"ok"`
}

// Message is one delivery along one edge.
type Message struct {
	From  string       `json:"from"`
	To    string       `json:"to"`
	Turn  int          `json:"turn"` // the sender's turn; -1 for say user
	Step  string       `json:"step,omitempty"`
	Round int          `json:"round"`
	Text  segment.Text `json:"text"`
	Reply any          `json:"reply,omitempty"` // the body's fields where a reply was shared

	from, to *Agent
}

// Insert is one application of a patch.
type Insert struct {
	Payload string `json:"payload"`
	Op      string `json:"op"`
	Slot    string `json:"slot"`
	Where   string `json:"where"` // agent name, resource URI, tool or store
	Text    string `json:"text,omitempty"`
	Turn    int    `json:"turn"` // -1 before the run
}

// Exposure says that an agent met, or passed on, a payload.
type Exposure struct {
	Agent   string `json:"agent"`
	Payload string `json:"payload"`
	Slot    string `json:"slot"` // met in: system prompt task memory corpus tool description message; passed on by: output tool
	Turn    int    `json:"turn"`
}

// State is one change of the workspace.
type State struct {
	Target string `json:"target"`
	Value  any    `json:"value"`
	Call   int    `json:"call"`
}

// Reset says that an agent's memory was cleared.
type Reset struct {
	Agent string `json:"agent"`
}

// Part is how one task of a session ended.
type Part struct {
	Task    map[string]any `json:"task"` // its fields
	Outcome Outcome        `json:"outcome"`
	EndedBy string         `json:"ended_by,omitempty"`
	Answer  any            `json:"answer,omitempty"`
	Reply   any            `json:"reply,omitempty"`
	Turns   int            `json:"turns"` // that had ended by then, of the whole trial

	trial *Trial
	first int // its own first turn
}

// Note is something that must not pass silently.
type Note struct {
	Code  string `json:"code"`
	Agent string `json:"agent,omitempty"`
	Turn  int    `json:"turn"`
	Text  string `json:"text"`
}
