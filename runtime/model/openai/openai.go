// Package openai asks any endpoint that speaks OpenAI's chat completions. It
// writes each request byte by byte and reads each answer leniently from the
// body as it arrived; the client library carries both, authorizes, and knows
// what OpenAI's own models refuse. One attempt is made a call: whether and when
// to try again is decided by who asks.
package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// Config is what endpoints are reached with.
type Config struct {
	// Env are the variables that say where endpoints are and which key goes where.
	Env map[string]string
	// Connections bounds the calls in flight to one endpoint; 0: 16.
	Connections int
	// Timeout bounds one attempt, its answer included; 0: DefaultTimeout.
	Timeout time.Duration
	// Note is told once what a model turned out not to take, and what the user
	// has to know of an endpoint. It may be called from several goroutines.
	Note func(string)
	// Now is the clock by which a Retry-After date is read; nil: the system's.
	Now func() time.Time
}

// DefaultTimeout is long, since a local model may take minutes for an answer.
const DefaultTimeout = 10 * time.Minute

// Endpoints makes providers; models of one endpoint share its connections.
type Endpoints struct {
	config Config

	mu    sync.Mutex
	known map[string]*endpoint // by address
}

// New prepares endpoints; none is reached before a model is asked.
func New(c Config) *Endpoints {
	if c.Connections <= 0 {
		c.Connections = 16
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Note == nil {
		c.Note = func(string) {}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Endpoints{config: c, known: map[string]*endpoint{}}
}

// Close ends connections that are idle. Calls in flight go on.
func (e *Endpoints) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, end := range e.known {
		end.http.CloseIdleConnections()
	}
}

// Provider is a model at its endpoint. It fails where the endpoint's address
// cannot be used, and where OpenAI itself is meant and no key is set.
func (e *Endpoints) Provider(spec model.Spec) (*Provider, error) {
	if spec.Name == "" {
		return nil, errors.New("a model of provider openai needs a name")
	}
	s, err := lookup(spec.BaseURL, e.config.Env)
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	end := e.known[s.base.String()]
	if end == nil {
		if end, err = newEndpoint(s, e.config.Connections); err != nil {
			return nil, err
		}
		e.known[s.base.String()] = end
		if end.exposed() {
			e.config.Note(fmt.Sprintf("the key for %s travels unencrypted: its address begins with http:", end.host))
		}
	}
	p := &Provider{end: end, name: spec.Name, config: &e.config}
	p.known.now = everything()
	return p, nil
}

// Provider is one model at one endpoint. It is safe for concurrent use.
type Provider struct {
	end    *endpoint
	name   string
	config *Config
	known  knowledge
	cut    sync.Once

	template template
}

// Revision names the endpoint, so that answers of two are never taken for one
// another's. What the endpoint says of itself stands in its answers.
func (p *Provider) Revision() string { return revision(p.end.base) }

// Revision is what a provider of this model would call its revision.
func Revision(spec model.Spec, env map[string]string) (string, error) {
	s, err := lookup(spec.BaseURL, env)
	if err != nil {
		return "", err
	}
	return revision(s.base.String()), nil
}

// Where says where a model is asked and which variable holds the key that goes
// there; empty: none is known.
func Where(spec model.Spec, env map[string]string) (address, keyName string, err error) {
	s, err := lookup(spec.BaseURL, env)
	if err != nil {
		return "", "", err
	}
	if s.key == "" {
		s.keyName = ""
	}
	return s.base.String(), s.keyName, nil
}

func revision(base string) string { return "openai " + base }

// Complete makes one attempt. Only what the model refuses to take is left out
// and asked for anew at once; such refusals are no failures.
func (p *Provider) Complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	ctx2, cancel := context.WithTimeout(ctx, p.config.Timeout)
	defer cancel()
	if len(req.Tools) > 0 {
		p.tryTemplate(ctx2)
	}
	for {
		sent := p.known.params()
		if req.Replies != nil && len(req.Tools) > 0 {
			sent.formWithTools = p.end.formWithTools(ctx2)
		}
		resp, f, refusal := p.attempt(ctx2, req, sent)
		if refusal != nil {
			note, again := p.known.learn(*refusal, req, sent)
			if note != "" {
				p.config.Note(p.end.key.text(p.name + " at " + p.end.host + " " + note))
			}
			if again {
				continue
			}
		}
		if f == nil {
			return resp, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, f
	}
}

// attempt sends a request once. A refusal is what the endpoint said of a request
// that it does not take as it is.
func (p *Provider) attempt(ctx context.Context, req *model.Request, sent params) (*model.Response, *model.Fault, *said) {
	x := &exchange{body: body(req, sent)}
	err := p.send(ctx, x, req, sent)
	var f *model.Fault
	var refusal *said
	switch {
	case x.status == 0 && x.err == nil: // nothing was sent
		return nil, p.unsent(err), saidBeforehand(err)
	case x.status >= 300 && x.status < 400:
		f = p.end.redirected(x)
	case x.status >= 400:
		var resp *model.Response
		if resp, f = refused(x, p.config.Now()); f == nil {
			return p.finish(x, req, sent, resp), nil, nil
		}
		refusal = refusalOf(x)
		f = p.hint(f)
	case x.err != nil:
		f = p.end.lost(x.err)
		f.Status = x.status
	default:
		var resp *model.Response
		if resp, f = decode(x.raw); f == nil {
			return p.finish(x, req, sent, resp), nil, nil
		}
	}
	f.Raw = p.end.key.body(keep(x.raw))
	f.Err = errors.New(p.end.key.text(f.Err.Error()))
	return nil, f, refusal
}

// send sends an exchange through the client library, which carries the body that
// was written here.
func (p *Provider) send(ctx context.Context, x *exchange, req *model.Request, sent params) error {
	_, err := p.end.client.CreateChatCompletion(context.WithValue(ctx, exchangeKey{}, x), p.outline(req, sent))
	return err
}

// outline is the request as the client library has to know it: what it checks
// against what OpenAI's own models take. Another endpoint's model may bear any
// name and decides for itself, so its name is kept from those checks.
func (p *Provider) outline(req *model.Request, sent params) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: "model"}
	if !p.end.official {
		return r
	}
	r.Model = req.Model
	if req.Temperature != nil && !sent.noTemperature {
		r.Temperature = float32(*req.Temperature)
	}
	switch sent.maxTokens {
	case "max_tokens":
		//lint:ignore SA1019 most endpoints know this member alone; whether a model takes it is what is asked here
		r.MaxTokens = req.MaxTokens
	case "max_completion_tokens":
		r.MaxCompletionTokens = req.MaxTokens
	}
	if len(req.Tools) > 0 && !sent.noTools {
		r.Tools = []openai.Tool{{Type: openai.ToolTypeFunction}}
	}
	return r
}

func (p *Provider) unsent(err error) *model.Fault {
	text := needsOther(err)
	if text == "" {
		text = "the request cannot be sent: " + err.Error()
	}
	return &model.Fault{Lasting: true, Kind: "a request that cannot be sent", Err: errors.New(p.end.key.text(text))}
}

func saidBeforehand(err error) *said {
	if s, ok := beforehand(err); ok {
		return &s
	}
	return nil
}

// refusalOf is what may be learnt from a failure: a request that is not taken
// as it is, or a chat template that does not.
func refusalOf(x *exchange) *said {
	s := complaintOf(x.raw)
	switch {
	case x.status == 400 || x.status == 422 || x.status == 501:
		return &s
	case x.status == 500 && (alternate.MatchString(s.message) || noSystem.MatchString(s.message)):
		return &s
	}
	return nil
}

// hint adds what a person can do.
func (p *Provider) hint(f *model.Fault) *model.Fault {
	switch {
	case f.Status == 404 && !strings.HasSuffix(p.end.base, "/v1"):
		f.Err = fmt.Errorf("%w; addresses of endpoints mostly end in /v1", f.Err)
	case f.Status == 401 && p.end.key == "":
		f.Err = fmt.Errorf("%w; no key is known for %s (set NAME_BASE_URL to its address and NAME_API_KEY to its key)", f.Err, p.end.host)
	}
	return f
}

// finish completes an answer: what is odd about it is said, what is secret is
// taken out.
func (p *Provider) finish(x *exchange, req *model.Request, sent params, resp *model.Response) *model.Response {
	resp.Raw = p.end.key.body(keep(x.raw))
	p.end.key.answer(resp)
	if len(x.raw) > 1<<20 {
		odd(resp, oddLarge)
	}
	if strings.ContainsRune(resp.Content, '\uFFFD') {
		odd(resp, oddBroken)
	}
	if strings.ContainsFunc(resp.Content, control) {
		odd(resp, oddControl)
	}
	if sent.noTools && len(req.Tools) > 0 {
		odd(resp, oddNoTools)
	}
	if req.Replies != nil && req.Replies.Kind == shape.Record && len(resp.ToolCalls) == 0 {
		dressed(resp)
	}
	if u := resp.Usage; u != nil && resp.Finish != "context" && x.status < 300 {
		want := model.EstimateUsage(req, resp).Input
		if u.Input*2 < want && want-u.Input > 500 {
			odd(resp, oddPrompt)
			p.cut.Do(func() {
				p.config.Note(fmt.Sprintf("%s at %s counted %d prompt tokens where about %d were sent: it seems to cut prompts at its context's length",
					p.name, p.end.host, u.Input, want))
			})
		}
	}
	return resp
}

// dressed says what stands around a reply's JSON.
func dressed(resp *model.Response) {
	text := strings.TrimSpace(resp.Content)
	switch {
	case strings.HasPrefix(text, "{") || !strings.Contains(text, "{"):
	case strings.Contains(text, "</think>"):
		odd(resp, oddThoughts)
	case strings.HasPrefix(text, "```"):
		odd(resp, oddFence)
	default:
		odd(resp, oddWords)
	}
}

// control is a character that moves a terminal's cursor or worse.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r >= 0x7F && r < 0xA0
}
