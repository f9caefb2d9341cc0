// Package lsp is the language server: it speaks the Language Server Protocol with an
// editor over a pair of streams, and answers with what package query knows.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"
)

// Host is what the server needs of the machine.
type Host struct {
	Std    fs.FS // the standard library
	Getenv func(string) string
	// Root is the project folder that a folder belongs to.
	Root func(dir string) string
	// Library puts the text of a library file where an editor can open it, and gives
	// its path. Without it nothing leads into the library.
	Library func(name, text string) (string, error)
	// Delay is how long typing has to rest before a file is looked at again.
	Delay   time.Duration
	Version string
}

// queue bounds the messages that wait to be handled.
const queue = 1024

// Serve speaks with one client until it says exit, the input ends or the context
// does. Ended says that the client said shutdown before, as it should. What still
// reads the input then ends with the input.
func Serve(ctx context.Context, in io.Reader, out io.Writer, h Host) (ended bool, err error) {
	s := newServer(h, &writer{w: out})
	defer s.close()
	incoming := make(chan incoming, queue)
	go s.receive(ctx, bufio.NewReader(in), incoming)
	for {
		select {
		case <-ctx.Done():
			return s.down, nil
		case m, open := <-incoming:
			if !open || m.Method == "exit" {
				return s.down, nil
			}
			if m.broken != nil {
				if errors.Is(m.broken, io.EOF) {
					return s.down, nil
				}
				return s.down, m.broken
			}
			if err := s.handle(m); err != nil {
				return s.down, err
			}
		case <-s.timer.C:
			s.startCheck(ctx)
		case r := <-s.results:
			if err := s.finishCheck(r); err != nil {
				return s.down, err
			}
		}
	}
}

// incoming is one message with the context of its handling, or why no more come.
type incoming struct {
	message
	ctx    context.Context
	broken error
}

// server is the state of one connection. Only the loop in Serve touches it, except
// for pending, which the receiver shares.
type server struct {
	host  Host
	out   *writer
	units encoding

	ready, down bool
	roots       []string // the workspace's folders
	docs        map[string]*openDocument
	folders     map[string]*folder
	change      int // counts changes of any text

	timer    *time.Timer
	dirty    map[string]bool
	checking func() // cancels the running check
	results  chan checkResult
	checks   sync.WaitGroup
	said     map[string]map[string][]diagnostic // by document looked at and by file

	requests map[string]request
	pending  pending
}

func newServer(h Host, out *writer) *server {
	s := &server{
		host: h, out: out, units: utf16Units, docs: map[string]*openDocument{}, folders: map[string]*folder{},
		timer: time.NewTimer(time.Hour), dirty: map[string]bool{}, results: make(chan checkResult, 1),
		said: map[string]map[string][]diagnostic{}, requests: methods(), pending: pending{cancels: map[string]context.CancelFunc{}},
	}
	s.timer.Stop()
	return s
}

// close ends what the server started.
func (s *server) close() {
	s.timer.Stop()
	if s.checking != nil {
		s.checking()
	}
	s.checks.Wait()
	for _, f := range s.folders {
		f.close()
	}
}

// pending are the requests that were received and not answered yet.
type pending struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
}

func (p *pending) add(ctx context.Context, id json.RawMessage) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancels[string(id)] = cancel
	return ctx
}

func (p *pending) cancel(id json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.cancels[string(id)]; cancel != nil {
		cancel()
	}
}

func (p *pending) done(id json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.cancels[string(id)]; cancel != nil {
		cancel()
	}
	delete(p.cancels, string(id))
}

// receive reads messages until the client says exit or the input ends. Requests
// that are called off are marked here, since the loop may be busy with them.
func (s *server) receive(ctx context.Context, in *bufio.Reader, to chan<- incoming) {
	defer close(to)
	for {
		m, err := read(in)
		next := incoming{message: m, ctx: ctx}
		switch {
		case errors.Is(err, errMalformed):
			next.Error = &failure{parseError, err.Error()}
		case err != nil:
			next.broken = err
		case m.Method == "$/cancelRequest":
			var p struct {
				ID json.RawMessage `json:"id"`
			}
			if json.Unmarshal(m.Params, &p) == nil {
				s.pending.cancel(p.ID)
			}
			continue
		case m.ID != nil && m.Method != "":
			next.ctx = s.pending.add(ctx, m.ID)
		}
		select {
		case to <- next:
		case <-ctx.Done():
			return
		}
		if next.broken != nil || m.Method == "exit" {
			return
		}
	}
}

// handle answers one message.
func (s *server) handle(m incoming) error {
	switch {
	case m.Error != nil && m.Method == "" && m.ID == nil:
		return s.out.write(message{ID: json.RawMessage("null"), Error: m.Error})
	case m.Method == "":
		return nil // an answer to a request of ours, which are none that wait
	case m.ID == nil:
		s.notified(m)
		return nil
	}
	defer s.pending.done(m.ID)
	result, failed := s.answer(m)
	if m.ctx.Err() != nil {
		failed = &failure{requestCancelled, "called off"}
	}
	if failed != nil {
		return s.out.write(message{ID: m.ID, Error: failed})
	}
	raw, err := json.Marshal(result)
	if err != nil {
		return s.out.write(message{ID: m.ID, Error: &failure{internalError, "the answer cannot be written"}})
	}
	return s.out.write(message{ID: m.ID, Result: raw})
}

// answer handles a request. Whatever goes wrong in one leaves the others alone.
func (s *server) answer(m incoming) (result any, failed *failure) {
	defer func() {
		if r := recover(); r != nil {
			result, failed = nil, &failure{internalError, fmt.Sprintf("%s made the server stumble: %v", m.Method, r)}
		}
	}()
	switch {
	case s.down:
		return nil, &failure{invalidRequest, "the server is shutting down"}
	case m.Method == "initialize" && s.ready:
		return nil, &failure{invalidRequest, "the server is initialized already"}
	case m.Method != "initialize" && !s.ready:
		return nil, &failure{notInitialized, "initialize comes first"}
	case m.ctx.Err() != nil:
		return nil, &failure{requestCancelled, "called off"}
	}
	do, known := s.requests[m.Method]
	if !known {
		return nil, &failure{methodNotFound, "there is no method " + m.Method}
	}
	result, err := do(s, m)
	if err == nil {
		return result, nil
	}
	if errors.As(err, &failed) {
		return nil, failed
	}
	return nil, &failure{requestFailed, err.Error()}
}

// notified handles a notification. One that cannot be read is passed over.
func (s *server) notified(m incoming) {
	defer func() { _ = recover() }()
	if !s.ready || s.down {
		return
	}
	switch m.Method {
	case "textDocument/didOpen":
		decode(m, s.opened)
	case "textDocument/didChange":
		decode(m, s.changed)
	case "textDocument/didClose":
		decode(m, s.closed)
	case "textDocument/didSave", "workspace/didChangeWatchedFiles":
		s.touched()
	}
}

func decode[T any](m incoming, do func(T)) {
	var p T
	if json.Unmarshal(m.Params, &p) == nil {
		do(p)
	}
}

// request is how a method is answered.
type request func(s *server, m incoming) (any, error)

// asked makes a request of a function that takes its parameters.
func asked[T any](do func(s *server, ctx context.Context, p T) (any, error)) request {
	return func(s *server, m incoming) (any, error) {
		var p T
		if len(m.Params) > 0 {
			if err := json.Unmarshal(m.Params, &p); err != nil {
				return nil, &failure{invalidParams, "the parameters cannot be read"}
			}
		}
		return do(s, m.ctx, p)
	}
}
