package openai

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"parley/runtime/model"
)

// llama is a llama.cpp server whose bodies were taken from a real one: it takes
// tools for any model, and writes prompts by the model's chat template.
type llama struct {
	prompt string // a file of testdata/template; empty: prompts are not shown
	owner  string
	mu     sync.Mutex
	asked  []string // the trials
	calls  []string
}

func (l *llama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case r.URL.Path == "/v1/models":
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"smollm2","owned_by":"`+l.owner+`"}]}`)
	case r.URL.Path == "/apply-template" && l.prompt != "":
		l.asked = append(l.asked, r.Header.Get("Authorization")+" "+string(body))
		b, _ := os.ReadFile("testdata/template/" + l.prompt)
		_, _ = w.Write(b)
	case r.URL.Path == "/v1/chat/completions":
		l.calls = append(l.calls, string(body))
		_, _ = io.WriteString(w, plainAnswer)
	default:
		http.NotFound(w, r)
	}
}

// TestTemplateWithoutTools holds that tools which would silently miss the model
// are found out, said once, and make room for the reply's schema.
func TestTemplateWithoutTools(t *testing.T) {
	for _, c := range []struct {
		name, owner, prompt string
		tries               int
		dropped             bool
	}{
		{"a template that leaves tools out", "llamacpp", "plain.json", 1, true},
		{"a template that shows them", "llamacpp", "tools.json", 1, false},
		{"a server that shows no prompts", "llamacpp", "", 0, false},
		{"another server", "vllm", "plain.json", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &llama{prompt: c.prompt, owner: c.owner}
			server := httptest.NewServer(l)
			defer server.Close()
			var notes []string
			ends := New(Config{
				Env:  map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.URL + "/v1"},
				Note: func(s string) { notes = append(notes, s) },
			})
			defer ends.Close()
			p, err := ends.Provider(model.Spec{Provider: "openai", Name: "smollm2"})
			if err != nil {
				t.Fatal(err)
			}
			req := request()
			req.Replies = answerShape()
			req.Tools = []model.Tool{{Name: "search", Description: "Searches.", Params: *answerShape()}}
			for range 2 {
				resp, err := p.Complete(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Contains(strings.Join(resp.Odd, "; "), oddNoTools); got != c.dropped {
					t.Errorf("odd: %q", resp.Odd)
				}
			}
			for _, sent := range l.calls {
				if strings.Contains(sent, `"tools"`) == c.dropped || strings.Contains(sent, `"json_schema"`) != c.dropped {
					t.Errorf("sent %s", sent)
				}
			}
			if len(l.calls) != 2 || len(l.asked) != c.tries {
				t.Errorf("%d calls, %d trials", len(l.calls), len(l.asked))
			}
			for _, trial := range l.asked {
				if !strings.HasPrefix(trial, "Bearer "+key+" ") || !strings.Contains(trial, `{"model":"smollm2","messages"`) {
					t.Errorf("the trial is %s", trial)
				}
			}
			want := 0
			if c.dropped {
				want = 1
			}
			if len(notes) != want || want == 1 && !strings.Contains(notes[0], "cannot act") {
				t.Errorf("said %q", notes)
			}
		})
	}
}
