package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/runtime/model"
	"parley/runtime/shape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-test-0123456789abcdef"

const plainAnswer = `{"model":"m","choices":[{"message":{"content":"Oslo."},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`

// stand is an endpoint that answers as a test says and remembers what it got.
type stand struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	raw    []string
	heads  []http.Header
	notes  []string
	ends   *Endpoints
}

func newStand(t *testing.T, answer func(w http.ResponseWriter, n int, body map[string]any), change ...func(*Config)) (*stand, *Provider) {
	t.Helper()
	s := &stand{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		b, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(b, &body); err != nil {
			t.Errorf("the request is no JSON: %v", err)
		}
		s.mu.Lock()
		s.bodies, s.raw, s.heads = append(s.bodies, body), append(s.raw, string(b)), append(s.heads, r.Header)
		n := len(s.bodies)
		s.mu.Unlock()
		answer(w, n, body)
	}))
	c := Config{
		Env:     map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": s.URL + "/v1/"},
		Timeout: 5 * time.Second,
		Note: func(text string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.notes = append(s.notes, text)
		},
	}
	for _, f := range change {
		f(&c)
	}
	s.ends = New(c)
	t.Cleanup(func() {
		s.ends.Close()
		s.Server.Close()
	})
	p, err := s.ends.Provider(model.Spec{Provider: "openai", Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

func say(text string) func(http.ResponseWriter, int, map[string]any) {
	return func(w http.ResponseWriter, _ int, _ map[string]any) { _, _ = io.WriteString(w, text) }
}

func temperature(x float64) *float64 { return &x }

func answerShape() *shape.Shape {
	return &shape.Shape{Kind: shape.Record, Fields: []shape.Field{{Name: "answer", Shape: shape.Shape{Kind: shape.String}}}}
}

func request() *model.Request {
	return &model.Request{
		Model: "m", Temperature: temperature(0), MaxTokens: 50, Seed: 1<<53 - 1, User: "u1",
		Messages: []model.Message{{Role: "system", Content: "Be <brief> & kind."}, {Role: "user", Name: "ann", Content: ""}},
	}
}

func faultIn(t *testing.T, err error) *model.Fault {
	t.Helper()
	var f *model.Fault
	if !errors.As(err, &f) {
		t.Fatalf("no fault: %v", err)
	}
	return f
}

func TestRequestArrivesAsMeant(t *testing.T) {
	s, p := newStand(t, say(plainAnswer), func(c *Config) { c.Env["OPENAI_ORG_ID"], c.Env["OPENAI_PROJECT"] = "org", "project" })
	req := request()
	req.Messages = append(req.Messages,
		model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "c1", Name: "read", Args: ""}}},
		model.Message{Role: "tool", ToolCallID: "c1", Content: ""})
	req.Tools = []model.Tool{{Name: "read", Description: "Reads.", Params: *answerShape()}}
	if _, err := p.Complete(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	const want = `{"model":"m","messages":[{"role":"system","content":"Be <brief> & kind."},{"role":"user","name":"ann","content":""},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},` +
		`{"role":"tool","content":"","tool_call_id":"c1"}],"temperature":0,"max_tokens":50,` +
		`"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}}}],` +
		`"seed":9007199254740991,"user":"u1","stream":false}`
	if s.raw[0] != want {
		t.Errorf("sent\n%s\nwant\n%s", s.raw[0], want)
	}
	h := s.heads[0]
	for name, want := range map[string]string{
		"Authorization": "Bearer " + key, "OpenAI-Organization": "org", "OpenAI-Project": "project", "Content-Type": "application/json",
	} {
		if h.Get(name) != want {
			t.Errorf("%s is %q", name, h.Get(name))
		}
	}
}

func TestNativeForm(t *testing.T) {
	s, p := newStand(t, say(plainAnswer))
	req := request()
	req.Replies = answerShape()
	if _, err := p.Complete(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.raw[0], `"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":{"type":"object"`) {
		t.Error(s.raw[0])
	}
	// A server that holds a model to a schema would keep it from calling tools.
	req.Tools = []model.Tool{{Name: "read", Params: *answerShape()}}
	if _, err := p.Complete(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(s.raw[1], "response_format") {
		t.Error(s.raw[1])
	}
}

// TestLearning refuses one member after the other, in the words of known
// servers, until a bare request is left.
func TestLearning(t *testing.T) {
	type rule struct {
		has  func(body map[string]any) bool
		says string
		code int
	}
	has := func(member string) func(map[string]any) bool {
		return func(b map[string]any) bool { _, ok := b[member]; return ok }
	}
	format := func(kind string) func(map[string]any) bool {
		return func(b map[string]any) bool {
			f, _ := b["response_format"].(map[string]any)
			return f["type"] == kind
		}
	}
	rules := []rule{
		{has("temperature"), `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, 400},
		{has("max_tokens"), `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`, 400},
		{has("max_completion_tokens"), `{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":50}]}`, 422},
		{format("json_schema"), `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","param":null}}`, 400},
		{format("json_object"), `{"object":"error","message":"response_format is not supported","type":"BadRequestError","param":null,"code":400}`, 400},
		{has("seed"), `{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted","input":5}]}`, 422},
		{has("user"), `{"error":"property 'user' is unsupported"}`, 400},
		{func(b map[string]any) bool {
			list := b["messages"].([]any)
			_, named := list[len(list)-1].(map[string]any)["name"]
			return named
		}, `{"error":{"message":"Conversation roles must alternate user/assistant/user/assistant/..."}}`, 400},
		{func(b map[string]any) bool {
			return b["messages"].([]any)[0].(map[string]any)["role"] == "system"
		}, `{"error":{"code":500,"message":"System role not supported at row 1, column 7","type":"server_error"}}`, 500},
	}
	s, p := newStand(t, func(w http.ResponseWriter, _ int, body map[string]any) {
		for _, r := range rules {
			if r.has(body) {
				w.WriteHeader(r.code)
				_, _ = io.WriteString(w, r.says)
				return
			}
		}
		_, _ = io.WriteString(w, plainAnswer)
	})
	req := request()
	req.Replies = answerShape()
	for range 2 {
		if _, err := p.Complete(context.Background(), req); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.bodies); n != len(rules)+2 {
		t.Errorf("%d requests, want %d: what was refused once is not sent again", n, len(rules)+2)
	}
	if len(s.notes) != len(rules) {
		t.Errorf("%d notes:\n%s", len(s.notes), strings.Join(s.notes, "\n"))
	}
	const want = `{"model":"m","messages":[{"role":"user","content":"Be <brief> & kind.\n\n[ann]\n"}],"stream":false}`
	if last := s.raw[len(s.raw)-1]; last != want {
		t.Errorf("left is %s", last)
	}
}

func TestLearningTogether(t *testing.T) {
	s, p := newStand(t, func(w http.ResponseWriter, _ int, body map[string]any) {
		if _, ok := body["seed"]; ok {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"no","param":"seed"}}`)
			return
		}
		_, _ = io.WriteString(w, plainAnswer)
	})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := p.Complete(context.Background(), request()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(s.notes) != 1 {
		t.Errorf("said %d times: %q", len(s.notes), s.notes)
	}
}

func TestToolsRefused(t *testing.T) {
	s, p := newStand(t, func(w http.ResponseWriter, _ int, body map[string]any) {
		if _, ok := body["tools"]; ok {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"registry.ollama.ai/library/m:latest does not support tools","type":"api_error","param":null,"code":null}}`)
			return
		}
		_, _ = io.WriteString(w, plainAnswer)
	})
	req := request()
	req.Tools = []model.Tool{{Name: "read", Params: *answerShape()}}
	resp, err := p.Complete(context.Background(), req)
	if err != nil || len(resp.Odd) != 1 || resp.Odd[0] != oddNoTools || len(s.notes) != 1 {
		t.Errorf("%v %+v %q", err, resp, s.notes)
	}
}

func TestStatus(t *testing.T) {
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name       string
		status     int
		head       map[string]string
		body       string
		temporary  bool
		lasting    bool
		retryAfter time.Duration
		says       string
	}{
		{"busy", 429, map[string]string{"Retry-After": "3"}, `{"error":{"message":"slow down"}}`, true, false, 3 * time.Second, "429 (too many requests): slow down"},
		{"busy until", 429, map[string]string{"Retry-After": "Fri, 02 Jan 2026 03:05:05 GMT", "Date": date.Format(http.TimeFormat)}, ``, true, false, time.Minute, "429"},
		{"busy, ms", 429, map[string]string{"Retry-After-Ms": "1500"}, ``, true, false, 1500 * time.Millisecond, "429"},
		{"busy, page", 429, map[string]string{"Retry-After": "soon"}, `<html><title>Wait</title>`, true, false, 0, `a web page "Wait"`},
		{"busy, past", 429, map[string]string{"Retry-After": "-5"}, ``, true, false, 0, "429"},
		{"no money", 429, nil, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, false, true, 0, "quota"},
		{"broken", 500, nil, `oops`, true, false, 0, "500 (internal server error): oops"},
		{"template", 500, nil, `{"error":{"message":"Value is not callable: null at row 3, column 9:\n{%- if"}}`, false, false, 0, "row 3"},
		{"gateway", 502, nil, `<!doctype html><title>Bad</title>`, true, false, 0, "502"},
		{"away", 503, nil, ``, true, false, 0, "503"},
		{"overloaded", 529, nil, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, true, false, 0, "529 (overloaded): Overloaded"},
		{"lasting by word", 500, map[string]string{"X-Should-Retry": "false"}, ``, false, false, 0, "500"},
		{"wrong key", 401, nil, `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`, false, true, 0, "[redacted]"},
		{"no model", 404, nil, `{"error":{"message":"model \"x\" not found"}}`, false, true, 0, "not found"},
		{"bad", 400, nil, `{"error":{"message":"no idea"}}`, false, false, 0, "no idea"},
		{"flat", 400, nil, `{"object":"error","message":"flat words","code":400}`, false, false, 0, "flat words"},
	} {
		_, p := newStand(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
			w.Header()["Date"] = nil
			for k, v := range c.head {
				w.Header().Set(k, v)
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		_, err := p.Complete(context.Background(), request())
		f := faultIn(t, err)
		if f.Status != c.status || f.Temporary != c.temporary || f.Lasting != c.lasting || f.RetryAfter != c.retryAfter ||
			!strings.Contains(f.Error(), c.says) || strings.Contains(f.Error()+string(f.Raw), key) {
			t.Errorf("%s: %+v", c.name, f)
		}
		if f.Kind != fmt.Sprintf("status %d %s", c.status, statusText(c.status)) {
			t.Errorf("%s: kind %q", c.name, f.Kind)
		}
	}
}

func TestContextAndFilter(t *testing.T) {
	for body, finish := range map[string]string{
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens, with max_tokens 50.","code":"context_length_exceeded","param":"messages"}}`: "context",
		`{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","code":400}`:                                                                    "context",
		`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`:                                                             "context",
		`{"error":{"message":"The response was filtered","code":"content_filter","status":400}}`:                                                                                                              "content_filter",
	} {
		_, p := newStand(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, body)
		})
		resp, err := p.Complete(context.Background(), request())
		if err != nil || resp.Finish != finish || resp.Usage == nil {
			t.Errorf("%s: %v %+v", body, err, resp)
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308, 304} {
		_, p := newStand(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
			w.Header().Set("Location", other.URL+"/v1/chat/completions?k=v")
			w.WriteHeader(status)
		})
		_, err := p.Complete(context.Background(), request())
		if f := faultIn(t, err); f.Kind != kindRedirect || !f.Lasting || f.Temporary || !strings.Contains(f.Error(), other.URL) || strings.Contains(f.Error(), "k=v") {
			t.Errorf("%d: %v", status, f)
		}
	}
	if reached.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

func TestKeyIsTakenOut(t *testing.T) {
	hidden := strings.ReplaceAll(key, "s", `\u0073`)
	for _, body := range []string{
		`{"choices":[{"message":{"content":"your key is ` + key + `","reasoning":"` + key + `"},"finish_reason":"stop"}],"model":"` + key + `"}`,
		`{"choices":[{"message":{"content":"your key is ` + hidden + `"},"finish_reason":"stop"}]}`,
		`{"choices":[{"message":{"tool_calls":[{"id":"` + key + `","function":{"name":"` + key + `","arguments":"{\"k\":\"` + hidden + `\"}"}}]}}]}`,
	} {
		_, p := newStand(t, say(body))
		resp, err := p.Complete(context.Background(), request())
		if err != nil {
			t.Fatal(err)
		}
		all, _ := json.Marshal(resp)
		if text := string(all) + string(resp.Raw); strings.Contains(text, key) || strings.Contains(text, hidden) {
			t.Errorf("the key is left: %s", text)
		}
		if !strings.Contains(strings.Join(resp.Odd, ";"), oddKey) {
			t.Errorf("it is not said: %q", resp.Odd)
		}
	}
}

func TestBodies(t *testing.T) {
	large := `{"choices":[{"message":{"content":"` + strings.Repeat("long ", 1<<20) + `"},"finish_reason":"stop"}]}`
	_, p := newStand(t, say(large))
	resp, err := p.Complete(context.Background(), request())
	if err != nil || len(resp.Content) != 5<<20 || len(resp.Raw) != MaxKept || resp.Odd[0] != oddLarge {
		t.Errorf("5 MB: %v", err)
	}
	chunk := strings.Repeat(" ", 1<<20)
	_, p = newStand(t, func(w http.ResponseWriter, _ int, _ map[string]any) {
		for range MaxBody>>20 + 1 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
	})
	_, err = p.Complete(context.Background(), request())
	if f := faultIn(t, err); f.Kind != kindTooLarge || f.Temporary {
		t.Errorf("over the limit: %v", f)
	}
}

// hijack breaks the connection after some bytes.
func hijack(t *testing.T, reset bool, text string) func(http.ResponseWriter, int, map[string]any) {
	return func(w http.ResponseWriter, _ int, _ map[string]any) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, text)
		if c, ok := conn.(*net.TCPConn); ok && reset {
			_ = c.SetLinger(0)
		}
		_ = conn.Close()
	}
}

func TestBrokenConnections(t *testing.T) {
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(plainAnswer))
	for name, answer := range map[string]func(http.ResponseWriter, int, map[string]any){
		"reset": hijack(t, true, ""), "closed": hijack(t, false, ""), "cut": hijack(t, false, head+plainAnswer[:40]),
		"cut chunks": hijack(t, false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n"+plainAnswer[:16]+"\r\n"),
	} {
		_, p := newStand(t, answer)
		_, err := p.Complete(context.Background(), request())
		if f := faultIn(t, err); f.Kind != kindCut || !f.Temporary || strings.Contains(f.Error(), "EOF") {
			t.Errorf("%s: %+v", name, f)
		}
	}
	s, p := newStand(t, say(plainAnswer))
	s.Server.Close()
	_, err := p.Complete(context.Background(), request())
	if f := faultIn(t, err); f.Kind != kindUnheard || !f.Temporary || !strings.Contains(f.Error(), "connection refused") {
		t.Errorf("nobody there: %v", f)
	}
}

func TestDeadline(t *testing.T) {
	release := make(chan struct{})
	_, p := newStand(t, func(w http.ResponseWriter, n int, _ map[string]any) {
		if n > 1 {
			_, _ = io.WriteString(w, plainAnswer[:20])
			w.(http.Flusher).Flush()
		}
		<-release
	}, func(c *Config) { c.Timeout = 30 * time.Millisecond })
	t.Cleanup(func() { close(release) })
	for range 2 { // nothing comes; then a part
		_, err := p.Complete(context.Background(), request())
		if f := faultIn(t, err); f.Kind != kindTimeout || !f.Temporary {
			t.Errorf("%+v", f)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Complete(ctx, request()); !errors.Is(err, context.Canceled) {
		t.Errorf("a stop is no failure: %v", err)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	const inFlight, calls = 8, 200
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, plainAnswer)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	ends := New(Config{Connections: inFlight})
	defer ends.Close()
	var wait sync.WaitGroup
	next := make(chan *Provider, calls)
	for i := range calls { // two models share the endpoint's connections
		p, err := ends.Provider(model.Spec{Name: fmt.Sprint("m", i%2), BaseURL: s.URL + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		next <- p
	}
	close(next)
	for range inFlight * 2 {
		wait.Go(func() {
			for p := range next {
				if _, err := p.Complete(context.Background(), request()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if n := opened.Load(); n > inFlight {
		t.Errorf("%d connections for %d in flight", n, inFlight)
	}
}

func TestCutPrompt(t *testing.T) {
	s, p := newStand(t, say(plainAnswer))
	req := request()
	req.Messages = []model.Message{{Role: "user", Content: strings.Repeat("word ", 1000)}}
	for range 2 {
		resp, err := p.Complete(context.Background(), req)
		if err != nil || len(resp.Odd) != 1 || resp.Odd[0] != oddPrompt {
			t.Errorf("%v %+v", err, resp)
		}
	}
	if len(s.notes) != 1 || !strings.Contains(s.notes[0], "9 prompt tokens where about 1254") {
		t.Errorf("%q", s.notes)
	}
}

func TestDressedJSON(t *testing.T) {
	for content, want := range map[string]string{
		"```json\n{}\n```": oddFence, "<think>{}</think>{}": oddThoughts, "Here: {}": oddWords, "{}": "", "no": "",
	} {
		body, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{
			"finish_reason": "stop", "message": map[string]any{"content": content},
		}}})
		_, p := newStand(t, say(string(body)))
		req := request()
		req.Replies = answerShape()
		resp, err := p.Complete(context.Background(), req)
		if err != nil || strings.Join(resp.Odd, ";") != want || resp.Content != content {
			t.Errorf("%q: %v %q", content, err, resp.Odd)
		}
	}
}
