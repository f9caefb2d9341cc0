package openai

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"

	"parley/runtime/model"
)

// params say which parts of a request a model takes. The zero value is not
// meant: begin with everything.
type params struct {
	noTemperature bool
	maxTokens     string // the member that bounds an answer; empty: none
	noSeed        bool
	noUser        bool
	noTools       bool
	noSystem      bool // system messages are said by the user
	merge         bool // messages of one role are joined, names stand in the text
	form          form
	formWithTools bool // of the endpoint, not learnt
}

// form is how a reply's form is asked for, beside words.
type form int

const (
	formSchema form = iota
	formObject
	formWords
)

func everything() params { return params{maxTokens: "max_tokens"} }

// knowledge is what was learnt of one model, by all calls together.
type knowledge struct {
	mu  sync.Mutex
	now params
}

func (k *knowledge) params() params {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

// learn gives up what the endpoint refuses of a request that went out with
// sent. again says that a new attempt will differ from the last; a note says
// what was learnt, the first time only.
func (k *knowledge) learn(s said, req *model.Request, sent params) (note string, again bool) {
	next, what := without(s, req, sent)
	if what == "" {
		return "", false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.now
	k.now = k.now.less(next)
	if k.now == before {
		return "", true // somebody else was told the same
	}
	return what, true
}

// less combines what two calls learnt.
func (p params) less(q params) params {
	p.noTemperature = p.noTemperature || q.noTemperature
	p.noSeed = p.noSeed || q.noSeed
	p.noUser = p.noUser || q.noUser
	p.noTools = p.noTools || q.noTools
	p.noSystem = p.noSystem || q.noSystem
	p.merge = p.merge || q.merge
	p.form = max(p.form, q.form)
	if p.maxTokens == "max_tokens" || q.maxTokens == "" {
		p.maxTokens = q.maxTokens
	}
	return p
}

var (
	refusing  = regexp.MustCompile(`(?i)not support|unsupported|unrecogni[sz]ed|unknown|unexpected|not permitted|not allowed|not accept|extra (inputs|fields)|does not exist|invalid|forbidden|not implemented|cannot (be|use)|must be|only`)
	alternate = regexp.MustCompile(`(?i)roles must alternate|alternate user/assistant`)
	noSystem  = regexp.MustCompile(`(?i)system (role|message|prompt)s? (is |are )?(not|un)\s?support|does not support '?"?system|only user(,| and) assistant|no system`)
	noTools   = regexp.MustCompile(`(?i)(not|n't) support (the )?(tools?|function|tool.call)|tools? (is|are) (not|un)`)
)

// without reads which part of the request was refused and returns params that
// leave it out, with a sentence on what that means; empty: no part was named.
func without(s said, req *model.Request, sent params) (params, string) {
	names := func(member string) bool {
		if s.params == member || strings.HasPrefix(s.params, member+".") || strings.HasPrefix(s.params, member+"[") {
			return true
		}
		return mentions(s.message, member) && refusing.MatchString(s.message)
	}
	p := sent
	switch {
	case alternate.MatchString(s.message) && !sent.merge:
		p.merge = true
		return p, "wants roles in turn; messages of one role are joined from now on"
	case noSystem.MatchString(s.message) && !sent.noSystem && hasSystem(req):
		p.noSystem = true
		return p, "takes no system message; it is sent as a user's from now on"
	case req.Temperature != nil && !sent.noTemperature && names("temperature"):
		p.noTemperature = true
		return p, fmt.Sprintf("does not take temperature %v; its own default holds from now on", *req.Temperature)
	case req.MaxTokens > 0 && sent.maxTokens == "max_tokens" && names("max_tokens"):
		p.maxTokens = "max_completion_tokens"
		return p, "takes max_completion_tokens in place of max_tokens"
	case req.MaxTokens > 0 && sent.maxTokens != "" && names(sent.maxTokens):
		p.maxTokens = ""
		return p, "takes no bound on an answer's length; none is sent from now on"
	case req.Replies != nil && sent.form != formWords && (names("response_format") || names("json_schema") || names("schema") || names("json_object")):
		p.form = sent.form + 1
		if p.form == formObject {
			return p, "does not take a reply's schema; JSON is asked for, and its form in words"
		}
		return p, "does not take response_format; a reply's form is asked for in words"
	case !sent.noSeed && names("seed"):
		p.noSeed = true
		return p, "does not take a seed; its answers cannot be repeated"
	case req.User != "" && !sent.noUser && names("user"):
		p.noUser = true
		return p, "does not take the member user; it is left out from now on"
	case hasNames(req) && !sent.merge && names("name"):
		p.merge = true
		return p, "does not take senders' names; they stand in the text from now on"
	case len(req.Tools) > 0 && !sent.noTools && (s.params == "tools" || noTools.MatchString(s.message)):
		p.noTools = true
		return p, "does not take tools; none are offered from now on, so its agents cannot act"
	}
	return p, ""
}

// mentions reports whether a message names a member of a request, as a word of
// its own; user, seed and name are ordinary words, so they must be quoted.
func mentions(message, member string) bool {
	common := member == "user" || member == "name" || member == "seed" || member == "schema"
	for i := 0; ; {
		at := strings.Index(message[i:], member)
		if at < 0 {
			return false
		}
		at += i
		end := at + len(member)
		before, after := byteAt(message, at-1), byteAt(message, end)
		if !wordByte(before) && !wordByte(after) && (!common || quote(before) && quote(after)) {
			return true
		}
		i = end
	}
}

func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return ' '
	}
	return s[i]
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func quote(c byte) bool { return c == '\'' || c == '"' || c == '`' || c == '.' || c == ':' }

func hasSystem(req *model.Request) bool {
	for i := range req.Messages {
		if req.Messages[i].Role == "system" {
			return true
		}
	}
	return false
}

func hasNames(req *model.Request) bool {
	for i := range req.Messages {
		if req.Messages[i].Name != "" {
			return true
		}
	}
	return false
}

// beforehand says what the client library refuses before anything is sent, in
// the words in which an endpoint would.
func beforehand(err error) (said, bool) {
	switch {
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated):
		return said{params: "max_tokens"}, true
	case errors.Is(err, openai.ErrReasoningModelLimitationsOther), errors.Is(err, openai.ErrReasoningSamplingUnsupported):
		return said{params: "temperature"}, true
	}
	return said{}, false
}

// needsOther are the library's refusals that nothing left out would help.
func needsOther(err error) string {
	switch {
	case errors.Is(err, openai.ErrReasoningToolsRequireResponses):
		return "this model takes tools through the Responses API only, which Parley does not speak; choose another model for agents with tools"
	case errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return "this model does not take chats; choose another"
	}
	return ""
}
