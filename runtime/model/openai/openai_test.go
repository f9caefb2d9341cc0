package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
