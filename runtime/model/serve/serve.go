// Package serve offers a model as an OpenAI-compatible endpoint on this machine.
// The model behind it gets what stands in the request's bytes and nothing else,
// so that whoever asks over the wire is served as any endpoint would serve it.
package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"parley/runtime/model"
	"parley/runtime/model/openai"
)

// Bounds of what is read.
const (
	MaxRequest  = 16 << 20
	headTime    = 10 * time.Second
	requestTime = time.Minute
	stopTime    = 5 * time.Second
)

// Model is a model under the name by which it is asked for.
type Model struct {
	Name     string
	Provider model.Provider
}

// Handler answers POST /v1/chat/completions and GET /v1/models, with or without
// /v1. now dates the answers.
func Handler(models []Model, now func() time.Time) http.Handler {
	s := &server{models: models, now: now}
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+prefix+"/chat/completions", s.chat)
		mux.HandleFunc("GET "+prefix+"/models", s.list)
	}
	return local(mux)
}

type server struct {
	models []Model
	now    func() time.Time
}

// local answers requests that were meant for this machine: a page in a browser
// that made its own name point here asks under that name.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if !loopback(host) {
			fail(w, http.StatusForbidden, complaint{Message: "this endpoint answers this machine alone", Type: "forbidden"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}

// ErrNotLocal says that an address is not one of this machine's own.
var ErrNotLocal = errors.New("only addresses of this machine are served: 127.0.0.1, [::1] or localhost, with a port")

// Listen opens a port of this machine. Port 0 takes a free one.
func Listen(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) {
		return nil, fmt.Errorf("%s: %w", addr, ErrNotLocal)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%s: %w", addr, ErrNotLocal), l.Close())
	}
	return l, nil
}

// Serve answers until ctx is done; the answers under way are then given some
// seconds. It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{
		Handler: h, ReadHeaderTimeout: headTime, ReadTimeout: requestTime, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err := srv.Shutdown(stop)
	if err != nil {
		err = srv.Close()
	}
	<-ended
	return err
}

func (s *server) list(w http.ResponseWriter, _ *http.Request) {
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int64  `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []entry `json:"data"`
	}{Object: "list"}
	for _, m := range s.models {
		list.Data = append(list.Data, entry{ID: m.Name, Object: "model", Created: s.now().Unix(), OwnedBy: openai.Owner})
	}
	send(w, http.StatusOK, list)
}

func (s *server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	if err != nil {
		status := http.StatusBadRequest
		if errors.As(err, new(*http.MaxBytesError)) {
			status = http.StatusRequestEntityTooLarge
		}
		fail(w, status, complaint{Message: fmt.Sprintf("the request was not read: it must be whole, and no larger than %d MB", MaxRequest>>20), Type: "invalid_request_error"})
		return
	}
	req, bad := parse(body)
	if bad != nil {
		fail(w, http.StatusBadRequest, *bad)
		return
	}
	at := slices.IndexFunc(s.models, func(m Model) bool { return m.Name == req.Model })
	if at < 0 {
		var names []string
		for _, m := range s.models {
			names = append(names, m.Name)
		}
		fail(w, http.StatusNotFound, complaint{
			Message: fmt.Sprintf("there is no model %q here; there is %s", req.Model, strings.Join(names, ", ")),
			Type:    "invalid_request_error", Code: "model_not_found", Param: "model",
		})
		return
	}
	resp, err := s.models[at].Provider.Complete(r.Context(), req)
	if err != nil {
		failed(w, err)
		return
	}
	send(w, http.StatusOK, s.answer(body, resp))
}

// failed passes on how a model failed, and whether asking again helps.
func failed(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var f *model.Fault
	if errors.As(err, &f) {
		if f.Status >= 400 && f.Status < 600 {
			status = f.Status
		}
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(int((f.RetryAfter+time.Second-1)/time.Second)))
		}
		w.Header().Set("X-Should-Retry", fmt.Sprint(f.Temporary))
	}
	fail(w, status, complaint{Message: err.Error(), Type: "server_error"})
}

// complaint is an error as OpenAI writes it.
type complaint struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   string `json:"param,omitempty"`
	Code    string `json:"code,omitempty"`
}

func fail(w http.ResponseWriter, status int, c complaint) {
	send(w, status, map[string]complaint{"error": c})
}

func send(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, `{"error":{"message":"the answer cannot be written","type":"server_error"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b) // who has gone away need not be told
}

// answer is a completion as OpenAI writes it. Equal requests get one id.
func (s *server) answer(body []byte, resp *model.Response) completion {
	sum := sha256.Sum256(body)
	msg := message{Role: "assistant", Content: &resp.Content}
	if resp.Refusal != "" {
		msg.Refusal, msg.Content = &resp.Refusal, nil
	}
	for _, c := range resp.ToolCalls {
		t := toolCall{ID: c.ID, Type: "function"}
		t.Function.Name, t.Function.Arguments = c.Name, c.Args
		msg.ToolCalls = append(msg.ToolCalls, t)
	}
	if len(resp.ToolCalls) > 0 && resp.Content == "" {
		msg.Content = nil
	}
	out := completion{
		ID: "chatcmpl-" + hex.EncodeToString(sum[:12]), Object: "chat.completion", Created: s.now().Unix(), Model: resp.Model,
		Choices: []choice{{Message: msg, Finish: resp.Finish}}, Fingerprint: openai.Fingerprint,
	}
	if u := resp.Usage; u != nil {
		out.Usage = &usage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output}
	}
	return out
}

type completion struct {
	ID          string   `json:"id"`
	Object      string   `json:"object"`
	Created     int64    `json:"created"`
	Model       string   `json:"model"`
	Choices     []choice `json:"choices"`
	Usage       *usage   `json:"usage,omitempty"`
	Fingerprint string   `json:"system_fingerprint"`
}

type choice struct {
	Index   int     `json:"index"`
	Message message `json:"message"`
	Finish  string  `json:"finish_reason"`
}

type message struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type usage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
	Total  int `json:"total_tokens"`
}
