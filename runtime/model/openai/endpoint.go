package openai

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// DefaultBaseURL is where a model without base_url is asked, unless
// OPENAI_BASE_URL says otherwise.
const DefaultBaseURL = "https://api.openai.com/v1"

const officialHost = "api.openai.com"

// endpoint is one base URL with the key that belongs to it, and its
// connections, which all its models share.
type endpoint struct {
	base     string
	host     string
	official bool
	key      secret
	project  string
	client   *openai.Client
	http     *http.Client

	mu     sync.Mutex
	probed bool
	owner  string // of its models, as it says itself
}

// normal is an endpoint's address in one form: lower-case host, no slash at
// the end. Addresses that hold a password or a question are refused.
func normal(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("base_url is the address of an endpoint, like http://localhost:11434/v1")
	case u.User != nil:
		return nil, fmt.Errorf("base_url of %s holds a name or a password; keys come from the environment", u.Hostname())
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("base_url of %s has something behind its path", u.Hostname())
	}
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "https" {
		u.Host = strings.TrimSuffix(u.Host, ":443")
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/chat/completions")
	u.RawPath = ""
	return u, nil
}

// settings are what the environment says of one endpoint.
type settings struct {
	base         *url.URL
	key          string
	keyName      string // the variable, for messages
	org, project string
}

// lookup finds an endpoint's address and the key that goes there. A key goes to
// no other endpoint than the one named beside it: X_API_KEY to the address in
// X_BASE_URL, OPENAI_API_KEY to OPENAI_BASE_URL or else to OpenAI.
func lookup(baseURL string, env map[string]string) (settings, error) {
	openaiBase := env["OPENAI_BASE_URL"]
	if openaiBase == "" {
		openaiBase = DefaultBaseURL
	}
	own, ownErr := normal(openaiBase)
	if baseURL == "" {
		if ownErr != nil {
			return settings{}, fmt.Errorf("OPENAI_BASE_URL: %w", ownErr)
		}
		return withKey(settings{
			base: own, keyName: "OPENAI_API_KEY", org: env["OPENAI_ORG_ID"], project: env["OPENAI_PROJECT"],
		}, env)
	}
	base, err := normal(baseURL)
	if err != nil {
		return settings{}, err
	}
	if ownErr == nil && base.String() == own.String() {
		return lookup("", env)
	}
	names := make([]string, 0, len(env))
	for name := range env {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		prefix, ok := strings.CutSuffix(name, "_BASE_URL")
		if !ok || prefix == "" {
			continue
		}
		if u, err := normal(env[name]); err == nil && u.String() == base.String() {
			return withKey(settings{base: base, keyName: prefix + "_API_KEY"}, env)
		}
	}
	return settings{base: base}, nil
}

func withKey(s settings, env map[string]string) (settings, error) {
	s.key = strings.TrimSpace(env[s.keyName])
	for _, c := range []byte(s.key) {
		if c <= ' ' || c >= 0x7F {
			return s, fmt.Errorf("%s holds a character that no key has, perhaps a line break or a quotation mark", s.keyName)
		}
	}
	return s, nil
}

func newEndpoint(s settings, connections int) (*endpoint, error) {
	e := &endpoint{
		base: s.base.String(), host: s.base.Host, official: s.base.Hostname() == officialHost,
		key: secret(s.key), project: s.project,
	}
	if e.official && s.key == "" {
		if s.keyName == "" {
			return nil, fmt.Errorf("no key is known for %s: set OPENAI_API_KEY, and leave OPENAI_BASE_URL unset or set it to that address", e.host)
		}
		return nil, fmt.Errorf("%s is not set; set it, or set OPENAI_BASE_URL to the address of another endpoint", s.keyName)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxConnsPerHost = 0, connections, connections
	e.http = &http.Client{
		Transport: t,
		// A key, and what the agents say, go to the endpoint that was named and to
		// no other, whatever it answers.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c := openai.DefaultConfig(s.key)
	c.BaseURL, c.OrgID, c.HTTPClient = e.base, s.org, e
	e.client = openai.NewClientWithConfig(c)
	return e, nil
}

// exposed reports whether the key travels where others can read it.
func (e *endpoint) exposed() bool {
	if e.key == "" || strings.HasPrefix(e.base, "https:") {
		return false
	}
	name := e.host
	if h, _, err := net.SplitHostPort(e.host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	return name != "localhost" && (ip == nil || !ip.IsLoopback())
}

const probeTime = 10 * time.Second

// formWithTools reports whether a reply's schema may be sent beside tools:
// OpenAI takes both, and so does our own simulator, which is asked who it is.
// Other servers hold the model to the schema and keep it from calling tools.
func (e *endpoint) formWithTools(ctx context.Context) bool {
	return e.official || e.ownerOf(ctx) == Owner
}

// ownerOf is who owns the endpoint's models. It is asked once.
func (e *endpoint) ownerOf(ctx context.Context) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.probed {
		e.owner = e.ownedBy(ctx)
		e.probed = ctx.Err() == nil
	}
	return e.owner
}

// Owner is who owns the models of `parley serve`.
const Owner = "parley"

// ownedBy is who owns the endpoint's first model; empty: it does not say.
func (e *endpoint) ownedBy(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, e.base+"/models", nil)
	if err != nil {
		return ""
	}
	v, ok := e.look(r)
	if !ok {
		return ""
	}
	for m := range v.Get("data").Elements() {
		owner, _ := m.Get("owned_by").Text()
		return owner
	}
	return ""
}
