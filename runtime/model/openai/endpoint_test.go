package openai

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"parley/runtime/model"
)

func TestKeysStayAtTheirEndpoint(t *testing.T) {
	env := map[string]string{
		"OPENAI_API_KEY": "key-of-openai", "GROQ_BASE_URL": "https://API.groq.test:443/openai/v1/", "GROQ_API_KEY": " key-of-groq\n",
		"LOCAL_BASE_URL": "http://localhost:1/v1",
	}
	with := func(base string) map[string]string {
		out := map[string]string{"OPENAI_BASE_URL": base}
		for k, v := range env {
			out[k] = v
		}
		return out
	}
	for _, c := range []struct {
		base string
		env  map[string]string
		to   string
		key  string
	}{
		{"", env, "https://api.openai.com/v1", "key-of-openai"},
		{"https://api.openai.com/v1/", env, "https://api.openai.com/v1", "key-of-openai"},
		{"", with("http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1", "key-of-openai"},
		{"https://api.openai.com/v1", with("http://127.0.0.1:9/v1"), "https://api.openai.com/v1", ""},
		{"http://127.0.0.1:9/v1", env, "http://127.0.0.1:9/v1", ""},
		{"https://api.groq.test/openai/v1", env, "https://api.groq.test/openai/v1", "key-of-groq"},
		{"https://api.groq.test/openai/v1/chat/completions", env, "https://api.groq.test/openai/v1", "key-of-groq"},
		{"https://api.groq.test/other", env, "https://api.groq.test/other", ""},
		{"http://api.groq.test/openai/v1", env, "http://api.groq.test/openai/v1", ""},
		{"https://api.groq.test.evil.test/openai/v1", env, "https://api.groq.test.evil.test/openai/v1", ""},
		{"http://localhost:1/v1", env, "http://localhost:1/v1", ""},
	} {
		s, err := lookup(c.base, c.env)
		if err != nil || s.base.String() != c.to || s.key != c.key {
			t.Errorf("%q: %v, to %v with %q", c.base, err, s.base, s.key)
		}
	}
}

func TestBadEndpoints(t *testing.T) {
	for base, says := range map[string]string{
		"localhost:11434": "is the address", "ftp://x/v1": "is the address", "http://u:verysecret@x/v1": "a name or a password",
		"https://x/v1?key=verysecret": "behind its path",
	} {
		_, err := New(Config{}).Provider(model.Spec{Name: "m", BaseURL: base})
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "verysecret") {
			t.Errorf("%s: %v", base, err)
		}
	}
	for _, c := range []struct {
		env  map[string]string
		base string
		says string
	}{
		{nil, "", "OPENAI_API_KEY is not set"},
		{map[string]string{"OPENAI_API_KEY": "very secret"}, "", "a character that no key has"},
		{map[string]string{"OPENAI_API_KEY": "verysecret", "OPENAI_BASE_URL": "http://x/v1"}, "https://api.openai.com/v1", "no key is known"},
		{map[string]string{"OPENAI_BASE_URL": "nonsense"}, "", "OPENAI_BASE_URL"},
	} {
		_, err := New(Config{Env: c.env}).Provider(model.Spec{Name: "m", BaseURL: c.base})
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", c.env, err)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOfficialModels holds that what the client library refuses of OpenAI's own
// models is learnt before anything is sent, and that models of other endpoints
// may bear their names.
func TestOfficialModels(t *testing.T) {
	for base, want := range map[string]string{
		DefaultBaseURL:      `"max_completion_tokens":50,"seed"`,
		"https://x.test/v1": `"temperature":0.5,"max_tokens":50,"seed"`,
	} {
		var sent []string
		var notes []string
		ends := New(Config{Env: map[string]string{"OPENAI_API_KEY": key, "OPENAI_BASE_URL": base}, Note: func(s string) { notes = append(notes, s) }})
		p, err := ends.Provider(model.Spec{Name: "o3-mini"})
		if err != nil {
			t.Fatal(err)
		}
		p.end.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			b, err := io.ReadAll(r.Body)
			sent = append(sent, r.URL.String()+" "+string(b))
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(plainAnswer)), Header: http.Header{}}, err
		})
		req := request()
		req.Model, req.Temperature = "o3-mini", temperature(0.5)
		if _, err := p.Complete(context.Background(), req); err != nil {
			t.Fatal(err)
		}
		if len(sent) != 1 || !strings.HasPrefix(sent[0], base+"/chat/completions ") || !strings.Contains(sent[0], want) || !strings.Contains(sent[0], `"model":"o3-mini"`) {
			t.Errorf("sent %q", sent)
		}
		if official := base == DefaultBaseURL; official != (len(notes) == 2) {
			t.Errorf("said %q", notes)
		}
	}
}

func TestModelsThatNeedAnotherAPI(t *testing.T) {
	p, err := New(Config{Env: map[string]string{"OPENAI_API_KEY": key}}).Provider(model.Spec{Name: "gpt-6-sol"})
	if err != nil {
		t.Fatal(err)
	}
	p.end.http.Transport = roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF })
	for name, says := range map[string]string{openai.GPT6Sol: "Responses API", "text-davinci-003": "does not take chats"} {
		req := request()
		req.Model, req.Temperature, req.MaxTokens = name, nil, 0
		req.Tools = []model.Tool{{Name: "read", Params: *answerShape()}}
		_, err = p.Complete(context.Background(), req)
		if f := faultIn(t, err); !f.Lasting || !strings.Contains(f.Error(), says) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestExposedKeys(t *testing.T) {
	for base, want := range map[string]bool{
		"http://models.test/v1": true, "https://models.test/v1": false, "http://localhost:1/v1": false, "http://127.0.0.1:1": false, "http://[::1]:1/v1": false,
		"http://10.0.0.1/v1": true,
	} {
		var notes []string
		e := New(Config{Env: map[string]string{"X_BASE_URL": base, "X_API_KEY": "key"}, Note: func(s string) { notes = append(notes, s) }})
		if _, err := e.Provider(model.Spec{Name: "m", BaseURL: base}); err != nil || (len(notes) > 0) != want {
			t.Errorf("%s: %v %q", base, err, notes)
		}
	}
}
