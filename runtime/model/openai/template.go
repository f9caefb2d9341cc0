package openai

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"parley/runtime/model/rawjson"
)

// llamaCpp is who owns the models of a llama.cpp server. It takes tools for any
// model and says nothing where the model's chat template has no place for them:
// the model then never learns of them, and its agents look harmless. The server
// can be asked what prompt it would write.
const llamaCpp = "llamacpp"

// trial is a conversation with one tool, by whose name the tool is found again
// in the prompt.
const (
	trialTool = "parley_trial_tool"
	trialRest = `,"messages":[{"role":"user","content":"."}],"tools":[{"type":"function","function":{"name":"` + trialTool +
		`","description":"","parameters":{"type":"object","properties":{}}}}]}`
)

// template is what is known of a model's chat template.
type template struct {
	mu    sync.Mutex
	asked bool
}

// tryTemplate finds out, before a model's first call with tools, whether they
// reach it. Where they do not, none are offered: a reply's schema can then be
// sent, and what the model could not do is on record.
func (p *Provider) tryTemplate(ctx context.Context) {
	p.template.mu.Lock()
	defer p.template.mu.Unlock()
	if p.template.asked || p.end.official {
		return
	}
	dropped := p.end.ownerOf(ctx) == llamaCpp && p.end.dropsTools(ctx, p.name)
	p.template.asked = ctx.Err() == nil
	if dropped && p.known.giveUpTools() {
		p.config.Note(p.end.key.text(p.name + " at " + p.end.host +
			" has a chat template without a place for tools; none are offered from now on, so its agents cannot act"))
	}
}

// giveUpTools reports whether tools were offered until now.
func (k *knowledge) giveUpTools() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	before := k.now.noTools
	k.now.noTools = true
	return !before
}

// dropsTools reports whether the prompt that the server would write lacks a tool
// that was offered. A server that does not show its prompts is taken not to.
func (e *endpoint) dropsTools(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	body := append(rawjson.AppendString([]byte(`{"model":`), name), trialRest...)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(e.base, "/v1")+"/apply-template", bytes.NewReader(body))
	if err != nil {
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	v, ok := e.look(r)
	if !ok {
		return false
	}
	prompt, _ := v.Get("prompt").Text()
	return prompt != "" && !strings.Contains(prompt, trialTool)
}

// look makes a request beside the calls; false: it was not answered well.
func (e *endpoint) look(r *http.Request) (rawjson.Value, bool) {
	if e.key != "" {
		r.Header.Set("Authorization", "Bearer "+string(e.key))
	}
	resp, err := e.http.Do(r)
	if err != nil {
		return nil, false
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, false
	}
	v, err := rawjson.Parse(raw)
	return v, err == nil
}
