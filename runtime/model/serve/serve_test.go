package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/runtime/model"
	"parley/runtime/model/openai"
	"parley/runtime/model/rawjson"
	"parley/runtime/shape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers as a test says and keeps what it was asked.
type echo struct {
	got  *model.Request
	resp *model.Response
	err  error
}

func (e *echo) Revision() string { return "echo" }

func (e *echo) Complete(_ context.Context, req *model.Request) (*model.Response, error) {
	e.got = req
	return e.resp, e.err
}

func then() time.Time { return time.Unix(1e9, 0) }

func post(t *testing.T, h http.Handler, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/chat/completions", strings.NewReader(body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func kind(k shape.Kind) shape.Shape { return shape.Shape{Kind: k} }

// everyShape is a reply with one field of each kind.
func everyShape() *shape.Shape {
	text, number := kind(shape.String), kind(shape.Number)
	return &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
		{Name: "zebra", Shape: text},
		{Name: "apple", Shape: kind(shape.Int)},
		{Name: "maybe", Shape: shape.Shape{Kind: shape.Bool, Optional: true}},
		{Name: "wait", Shape: kind(shape.Duration), HasDefault: true, Default: 30},
		{Name: "who", Shape: kind(shape.Agent)},
		{Name: "word", Shape: text, HasDefault: true, Default: "a; null means b"},
		{Name: "list", Shape: shape.Shape{Kind: shape.List, Elem: &number}},
		{Name: "one", Shape: shape.Shape{Kind: shape.Union, Values: []any{"a<b", 2, true}}},
		{Name: "none", Shape: shape.Shape{Kind: shape.Union, Optional: true, Values: []any{1.5}}},
		{Name: "inner", Shape: shape.Shape{Kind: shape.Record, Fields: []shape.Field{{Name: "x", Shape: text}}}},
	}}
}

func TestShapesSurviveTheirSchema(t *testing.T) {
	want := everyShape()
	v, err := rawjson.Parse(want.JSONSchema())
	if err != nil {
		t.Fatal(err)
	}
	got, err := shapeOf(v)
	if d := cmp.Diff(*want, got); err != nil || d != "" {
		t.Error(err, d)
	}
}

// TestRequestsSurviveTheWire sends requests through the client to the server:
// what arrives is what was sent.
func TestRequestsSurviveTheWire(t *testing.T) {
	e := &echo{resp: &model.Response{
		ToolCalls: []model.ToolCall{{ID: "c1", Name: "read", Args: `{"x":1}`}}, Finish: "tool_calls", Model: "rev-1", Usage: &model.Usage{Input: 5, Output: 2},
	}}
	s := httptest.NewServer(Handler([]Model{{"m", e}}, then))
	defer s.Close()
	ends := openai.New(openai.Config{})
	defer ends.Close()
	p, err := ends.Provider(model.Spec{Name: "m", BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	half := 0.5
	req := &model.Request{
		Model: "m", Temperature: &half, MaxTokens: 9, Seed: 1<<53 - 1, User: "u", Replies: everyShape(),
		Messages: []model.Message{
			{Role: "system", Content: ""},
			{Role: "user", Name: "debater_1", Content: "line\n\"quoted\" <b> \u2028 \x1b[0m ä😀"},
			{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "a", Name: "read", Args: "{broken"}, {ID: "b", Name: "read", Args: "{}"}}},
			{Role: "tool", ToolCallID: "a", Content: ""},
		},
		Tools: []model.Tool{{Name: "read", Description: "Reads.", Params: *everyShape()}},
	}
	resp, err := p.Complete(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(req, e.got); d != "" {
		t.Error(d)
	}
	resp.Raw = nil
	want := *e.resp
	want.Simulated, want.Model = true, "rev-1 "+openai.Fingerprint
	if d := cmp.Diff(&want, resp); d != "" {
		t.Error(d)
	}
	e.resp = &model.Response{Refusal: "No.", Finish: "stop"}
	if resp, err = p.Complete(context.Background(), req); err != nil || resp.Refusal != "No." || resp.Content != "" {
		t.Error(resp, err)
	}
	for _, temporary := range []bool{true, false} {
		e.err = &model.Fault{Status: 503, Temporary: temporary, RetryAfter: 1500 * time.Millisecond, Err: errors.New("down")}
		_, err = p.Complete(context.Background(), req)
		var f *model.Fault
		if !errors.As(err, &f) || f.Status != 503 || f.Temporary != temporary || f.RetryAfter != 2*time.Second {
			t.Errorf("%+v", f)
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	h := Handler([]Model{{"m", &echo{resp: &model.Response{}}}}, then)
	for body, says := range map[string]string{
		``:                            "not a JSON object",
		`[]`:                          "not a JSON object",
		`{"messages":[]}`:             "names no model",
		`{"model":"x","messages":[]}`: `there is no model \"x\" here; there is m`,
		`{"model":"m"}`:               "no list of messages",
		`{"model":"m","messages":[],"stream":true}`:                                                             "not streamed",
		`{"model":"m","messages":[],"n":2}`:                                                                     "one choice",
		`{"model":"m","messages":[{"role":"god"}]}`:                                                             "messages[0].role",
		`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url"}]}]}`:                           "only texts",
		`{"model":"m","messages":[],"tools":[{"type":"function"}]}`:                                             "tools[0]",
		`{"model":"m","messages":[],"response_format":{"type":"grammar"}}`:                                      "response_format",
		`{"model":"m","messages":[],"response_format":{"type":"json_schema","json_schema":{"schema":{"x":1}}}}`: "not understood",
		`{"model":"m","messages":[],"response_format":{"type":"json_schema","json_schema":{"schema":` + strings.Repeat(`{"type":"array","items":`, 100) + `{}` + strings.Repeat(`}`, 100) + `}}}`: "not understood",
	} {
		w := post(t, h, body)
		if w.Code < 400 || w.Code > 404 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%.80s: %d %s", body, w.Code, w.Body)
		}
	}
	if w := post(t, h, `{"model":"m","messages":[]`+strings.Repeat(" ", MaxRequest)+`}`); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a giant: %d", w.Code)
	}
	if w := post(t, h, `{"model":"m","messages":[{"role":"developer","content":[{"type":"text","text":"a"}]}]}`); w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestOnlyThisMachine(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "example.org:80", "192.0.2.1:0", "127.0.0.1"} {
		if l, err := Listen(addr); !errors.Is(err, ErrNotLocal) {
			t.Errorf("%s: %v", addr, err)
			if err == nil {
				_ = l.Close()
			}
		}
	}
	h := Handler(nil, then)
	for host, code := range map[string]int{"127.0.0.1:80": 200, "localhost": 200, "[::1]:9": 200, "evil.test": 403, "127.0.0.1.evil.test": 403} {
		r := httptest.NewRequest(http.MethodGet, "/v1/models", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != code {
			t.Errorf("%s: %d", host, w.Code)
		}
	}
}

func TestModels(t *testing.T) {
	h := Handler([]Model{{"a", &echo{}}, {"b", &echo{}}}, then)
	for _, path := range []string{"/models", "/v1/models"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
		want := `{"object":"list","data":[{"id":"a","object":"model","created":1000000000,"owned_by":"parley"},{"id":"b","object":"model","created":1000000000,"owned_by":"parley"}]}`
		if w.Body.String() != want {
			t.Errorf("%s: %s", path, w.Body)
		}
	}
}

// TestStop holds that an answer under way is finished, and that the port is
// closed afterwards.
func TestStop(t *testing.T) {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked, release := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-release
		_, _ = io.WriteString(w, "done")
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, h) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-asked
	cancel()
	close(release)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "done" {
		t.Errorf("%q %v", b, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
		_ = c.Close()
		t.Error("the port is still open")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","name":"a","content":"x","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}],"tools":[{"function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]}},"required":[]}}}],"seed":1}`))
	f.Add(append([]byte(`{"model":"m","messages":[],"response_format":{"type":"json_schema","json_schema":{"schema":`), append(everyShape().JSONSchema(), `}}}`...)...))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, bad := parse(body)
		if (req == nil) && bad == nil {
			t.Fatal("neither a request nor a complaint")
		}
		if bad == nil && req.Replies != nil {
			_ = req.Replies.JSONSchema()
		}
	})
}
