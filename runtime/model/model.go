// Package model is the frame for everything that answers a chat request:
// real endpoints, the simulator, scripts in tests and stored runs.
package model

import (
	"context"
	"errors"
	"time"

	"parley/runtime/shape"
)

// Spec is a model as a scenario declares it.
type Spec struct {
	Provider    string             // sim openai script replay
	Name        string             // the endpoint's model name; "sim" for the simulator
	BaseURL     string             `json:",omitempty"` // may be empty: the provider's default
	Temperature *float64           `json:",omitempty"`
	MaxTokens   int                `json:",omitempty"`
	Params      map[string]float64 `json:",omitempty"` // the simulator's, flattened: knows, knows.hard, obeys.task
}

// Request is a chat request: what reaches an OpenAI-compatible endpoint and
// nothing else. Seed and User are members of the request too.
type Request struct {
	Model       string       `json:"model"`
	Messages    []Message    `json:"messages"`
	Tools       []Tool       `json:"tools,omitempty"`
	Replies     *shape.Shape `json:"response_format,omitempty"`
	Temperature *float64     `json:"temperature,omitempty"`
	MaxTokens   int          `json:"max_tokens,omitempty"`
	Seed        int64        `json:"seed"`
	User        string       `json:"user"`
}

// Message is one message of a request.
type Message struct {
	Role       string     `json:"role"` // system user assistant tool
	Name       string     `json:"name,omitempty"`
	Content    string     `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// Tool is a tool as offered.
type Tool struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Params      shape.Shape `json:"parameters"` // a record
}

// ToolCall is a call a model asks for. Args is raw JSON, perhaps malformed.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"arguments"`
}

// Response is an answer. Content may be empty; a refusal is not an error.
type Response struct {
	Content   string     `json:"content"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	Refusal   string     `json:"refusal,omitempty"`
	Finish    string     `json:"finish,omitempty"` // stop length tool_calls content_filter context
	Model     string     `json:"model,omitempty"`  // revision as the provider reports it
	Usage     *Usage     `json:"usage,omitempty"`  // nil: the provider said nothing
	// Reasoning is what a model thought aloud, where the endpoint keeps it apart.
	// It is recorded and shown to nobody.
	Reasoning string `json:"reasoning,omitempty"`
	// Odd says what was unusual about the answer, in words from a short list.
	Odd []string `json:"odd,omitempty"`
	// Simulated says that a simulator answered, behind whatever endpoint.
	Simulated bool `json:"simulated,omitempty"`
	// Raw is the body as it arrived, bounded, keys taken out; nil where there was none.
	Raw []byte `json:"-"`
}

// Usage is the provider's count of tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Provider answers requests. Complete returns an error for transport and
// server failures only; those fill no entry of the random table.
type Provider interface {
	Complete(ctx context.Context, req *Request) (*Response, error)
	// Revision names what answers, for keys: a fingerprint, a table's digest.
	Revision() string
}

// Positioned is a provider that wants to know where in a trial a call stands.
type Positioned interface {
	CompleteAt(ctx context.Context, position string, req *Request) (*Response, error)
}

// Origin says which trial of a run a call belongs to, by what stays the same
// when the run is made again with other models.
type Origin struct {
	Cell   int // index of the plan
	Arm    string
	Case   string // case key
	Repeat int    // from 1
}

// Placed is a Positioned provider that wants to know the trial too.
type Placed interface {
	CompleteIn(ctx context.Context, origin Origin, position string, req *Request) (*Response, error)
}

// Tasked is a provider whose answers depend on more of a task than its requests
// show. TaskRevision names that part for the task of a prompt; it enters keys
// beside Revision.
type Tasked interface {
	TaskRevision(prompt string) string
}

// Fault is a failed attempt, with what a retry loop has to know.
type Fault struct {
	Status     int           // HTTP status; 0 for transport
	RetryAfter time.Duration // 0: not said
	Temporary  bool
	Err        error
	Kind       string // what went wrong in a few words that stay the same; empty: not said
	Lasting    bool   // every further call would fail too: a wrong key, no money, no such model
	Raw        []byte // the body as it arrived, bounded, keys taken out
}

// Error describes the failure.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// ErrNotYet marks a provider that this version has no code for.
var ErrNotYet = errors.New("this provider is not part of this version")
