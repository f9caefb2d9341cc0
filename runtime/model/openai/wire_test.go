package openai

import (
	"context"
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

	"parley/runtime/model"
)

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
