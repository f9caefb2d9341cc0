package openai

import (
	"bytes"
	"strings"

	"parley/runtime/model"
)

// taken stands where a key stood.
const taken = "[redacted]"

// secret is a key that must appear nowhere. Short keys are what local servers
// are given so that something stands there; taking them out would damage texts.
type secret string

const shortest = 8

func (k secret) guarded() bool { return len(k) >= shortest }

// text takes the key out of a text.
func (k secret) text(s string) string {
	if !k.guarded() {
		return s
	}
	return strings.ReplaceAll(s, string(k), taken)
}

// body takes the key out of a body.
func (k secret) body(b []byte) []byte {
	if !k.guarded() || !bytes.Contains(b, []byte(k)) {
		return b
	}
	return bytes.ReplaceAll(b, []byte(k), []byte(taken))
}

// answer takes the key out of all that an answer says; a body that hides it
// behind escapes is not kept.
func (k secret) answer(resp *model.Response) {
	if !k.guarded() {
		return
	}
	found := false
	clean := func(s *string) {
		if strings.Contains(*s, string(k)) {
			*s, found = k.text(*s), true
		}
	}
	clean(&resp.Content)
	clean(&resp.Refusal)
	clean(&resp.Reasoning)
	clean(&resp.Model)
	for i := range resp.ToolCalls {
		c := &resp.ToolCalls[i]
		clean(&c.ID)
		clean(&c.Name)
		clean(&c.Args)
	}
	if found {
		resp.Raw = []byte("(not kept: the key stood in it)")
	}
	if found || bytes.Contains(resp.Raw, []byte(taken)) {
		odd(resp, oddKey)
	}
}
