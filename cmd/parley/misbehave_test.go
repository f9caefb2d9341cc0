package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
)

// secretKey is what the tests' endpoints are asked with.
const secretKey = "sk-live-9f8e7d6c5b4a3210"

// trouble is one way to misbehave: what a server does in place of, or to, the
// good answer, and the words under which the run's summary names it.
type trouble struct {
	name  string
	does  func(w http.ResponseWriter, r *http.Request, good []byte)
	fails string // the kind under failures; empty: the answer is used
	odd   string // the words under what was odd; empty: none
	same  bool   // answers mean the same as the good ones
	hangs bool
}

// badly wraps a good endpoint: every period-th chat request gets trouble.
func badly(good http.Handler, t trouble, period int) http.Handler {
	var n atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || n.Add(1)%int64(period) != 0 {
			good.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		good.ServeHTTP(rec, r)
		t.does(w, r, rec.Body.Bytes())
	})
}

func status(code int, head, body string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		if name, value, ok := strings.Cut(head, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func send200(body string) func(http.ResponseWriter, *http.Request, []byte) {
	return status(200, "", body)
}

// broken sends a part of the answer and breaks the connection.
func broken(part float64, reset bool) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, good []byte) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		if n := int(part * float64(len(good))); n > 0 {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(good), good[:n])
		}
		if c, ok := conn.(*net.TCPConn); ok && reset {
			_ = c.SetLinger(0)
		}
		_ = conn.Close()
	}
}

// halved sends half of the answer as if it were whole.
func halved(w http.ResponseWriter, _ *http.Request, good []byte) { _, _ = w.Write(good[:len(good)/2]) }

func hang(_ http.ResponseWriter, r *http.Request, _ []byte) { <-r.Context().Done() }

// edited changes the answer's JSON.
func edited(change func(answer, choice, message map[string]any)) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, good []byte) {
		var answer map[string]any
		if err := json.Unmarshal(good, &answer); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		choice := answer["choices"].([]any)[0].(map[string]any)
		change(answer, choice, choice["message"].(map[string]any))
		_ = json.NewEncoder(w).Encode(answer)
	}
}

// content changes what was said, where something was.
func content(change func(string) string) func(http.ResponseWriter, *http.Request, []byte) {
	return edited(func(_, _, message map[string]any) {
		if text, ok := message["content"].(string); ok && text != "" {
			message["content"] = change(text)
		}
	})
}

// inside puts a member before the others of a reply, raw as it stands in the body.
func inside(raw string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, _ *http.Request, good []byte) {
		_, _ = w.Write(bytes.Replace(good, []byte(`"content":"{`), []byte(`"content":"{\"note\":\"`+raw+`\",`), 1))
	}
}

func set(at string, v any) func(http.ResponseWriter, *http.Request, []byte) {
	return edited(func(answer, choice, message map[string]any) {
		in := map[string]map[string]any{"answer": answer, "choice": choice, "message": message}
		where, name, _ := strings.Cut(at, ".")
		if v == nil && strings.HasSuffix(name, "-") {
			delete(in[where], strings.TrimSuffix(name, "-"))
			return
		}
		in[where][name] = v
	})
}

// troubles are the matrix.
func troubles() []trouble {
	var list []trouble
	fail := func(name, kind string, does func(http.ResponseWriter, *http.Request, []byte)) {
		list = append(list, trouble{name: name, fails: kind, does: does})
	}
	odd := func(name, what string, same bool, does func(http.ResponseWriter, *http.Request, []byte)) {
		list = append(list, trouble{name: name, odd: what, same: same, does: does})
	}
	for _, c := range []struct {
		code       int
		kind, head string
		body       string
	}{
		{429, "status 429 too many requests", "", `{"error":{"message":"slow down"}}`},
		{429, "status 429 too many requests", "Retry-After: 2", `{"error":{"message":"slow down"}}`},
		{429, "status 429 too many requests", "", `<html><title>Slow down</title></html>`},
		{429, "status 429 too many requests", "", ``},
		{500, "status 500 internal server error", "", `{"error":{"message":"oops"}}`},
		{502, "status 502 bad gateway", "", `<html>`},
		{503, "status 503 service unavailable", "Retry-After: Fri, 01 Jan 2100 00:00:00 nonsense", ``},
		{529, "status 529 overloaded", "", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
	} {
		fail(strconv.Itoa(c.code)+" "+c.head+" "+c.body, c.kind, status(c.code, c.head, c.body))
	}
	fail("reset", "a broken connection", broken(0, true))
	fail("cut body", "a broken connection", broken(0.5, false))
	fail("half a body", "half an answer", halved)
	fail("hang", "no answer in time", hang)
	list[len(list)-1].hangs = true
	fail("error in a 200", "an error in an answer that says 200", send200(`{"error":{"message":"model crashed","code":null}}`))
	fail("page in a 200", "a web page in place of an answer", send200(`<html><title>Login</title></html>`))
	fail("empty body", "an empty body", send200(``))
	fail("text in a 200", "an answer that is not JSON", send200(`ok`))
	fail("missing choices", "an answer without choices", set("answer.choices-", nil))
	fail("null choices", "an answer without choices", set("answer.choices", nil))
	fail("empty choices", "an answer without choices", set("answer.choices", []any{}))
	fail("null message", "a choice without a message", set("choice.message", nil))
	fail("choice gave up", "an answer that the endpoint gave up", set("choice.finish_reason", "error"))

	const noCount = "no count of tokens: they are estimated"
	odd("missing usage", noCount, true, set("answer.usage-", nil))
	odd("null usage", noCount, true, set("answer.usage", nil))
	odd("empty usage", noCount, true, set("answer.usage", map[string]any{}))
	odd("zero usage", noCount, true, set("answer.usage", map[string]any{"prompt_tokens": 0, "completion_tokens": 0}))
	odd("null finish reason", "no finish reason", true, set("choice.finish_reason", nil))
	odd("missing finish reason", "no finish reason", true, set("choice.finish_reason-", nil))
	odd("empty finish reason", "no finish reason", true, set("choice.finish_reason", ""))
	odd("strange finish reason", "an unknown finish reason", true, set("choice.finish_reason", "banana"))
	odd("content in parts", "content in parts", true, edited(func(_, _, m map[string]any) {
		m["content"] = []any{map[string]any{"type": "text", "text": m["content"]}}
	}))
	odd("fenced JSON", "JSON in a code fence", true, content(func(s string) string { return "```json\n" + s + "\n```" }))
	odd("thoughts before the JSON", "thoughts before the JSON", true, content(func(s string) string { return "<think>Perhaps {x}?</think>\n" + s }))
	odd("words before the JSON", "words before the JSON", true, content(func(s string) string { return "Here you are: " + s }))
	odd("5 MB", "an answer of more than a megabyte", true, set("answer.padding", strings.Repeat("x", 5<<20)))
	odd("lone surrogates", "characters that are none", true, inside(`\ud83d \udc00`))
	odd("terminal escapes", "terminal control characters", true, inside(`\u001b]0;t\u0007\u001b[2J`))
	odd("the key", "the key, which was taken out", true, inside(secretKey))
	odd("the key in escapes", "the key, which was taken out", true, inside(strings.ReplaceAll(secretKey, "-", `\u002d`)))
	odd("empty content", "no content", false, set("message.content", ""))
	odd("null content", "no content", false, set("message.content", nil))
	odd("missing content", "no content", false, set("message.content-", nil))
	odd("half JSON", "a reply that was asked for again", false, content(func(s string) string { return s[:len(s)/2] }))
	odd("cut at the limit", "an answer cut at its length limit", true, set("choice.finish_reason", "length"))
	return list
}
