package model

import (
	"errors"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestWireName(t *testing.T) {
	for in, want := range map[string]string{"debater[2]": "debater_2", "orchestrator": "orchestrator", "a_b[10]": "a_b_10"} {
		if got := WireName(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestEstimateUsage(t *testing.T) {
	req := &Request{
		Messages: []Message{
			{Role: "system", Content: "12345678"},                                      // 8 characters
			{Role: "user", Name: "ann", Content: "äöü"},                                // 6
			{Role: "assistant", ToolCalls: []ToolCall{{Name: "find", Args: "{\"\"}"}}}, // 8
		},
		Tools: []Tool{{Name: "find", Description: "1234567"}}, // 11
	}
	got := EstimateUsage(req, &Response{Content: "12345", ToolCalls: []ToolCall{{Name: "a", Args: "{}"}}})
	if want := (Usage{Input: 3*4 + 9, Output: 2}); got != want { // 33 characters are 9 tokens, 8 are 2
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		if got, want := characters(s), utf8.RuneCountInString(s); got != want {
			t.Fatalf("%q has %d characters, not %d", s, want, got)
		}
	})
}

func TestFaultUnwraps(t *testing.T) {
	cause := errors.New("down")
	f := &Fault{Err: cause}
	if !errors.Is(f, cause) || f.Error() != "down" {
		t.Errorf("%v", f)
	}
}
