package main

import (
	"context"
	"errors"
	"strings"
	"testing"

	"parley/runtime/model"
)

// question is what a person is asked.
func question(text string) *model.Request {
	return &model.Request{Messages: []model.Message{{Role: "user", Content: text}}}
}

func TestPoliciesDecideAlone(t *testing.T) {
	for policy, want := range map[string]string{"always": "yes", "never": "no"} {
		got, err := approver{policy: policy}.Complete(context.Background(), question("pay?"))
		if err != nil || got.Content != want || got.Usage == nil || got.Usage.Input+got.Usage.Output != 0 {
			t.Errorf("%s: %v %v, want %q and no tokens", policy, got, err, want)
		}
	}
	if (approver{policy: "always"}).Revision() == (approver{policy: "never"}).Revision() {
		t.Error("two policies have one revision, so one would answer from the other's record")
	}
}

func TestPeopleAnswerByTheLine(t *testing.T) {
	var shown strings.Builder
	d := newDesk(host{stdin: strings.NewReader("yes\n\nno, too much"), stderr: &shown})
	a := approver{policy: "ask", at: d}
	for i, want := range []string{"yes", "no", "no, too much"} {
		got, err := a.Complete(context.Background(), question("pay \x1b[31mann"))
		if err != nil || got.Content != want {
			t.Fatalf("answer %d: %v %v, want %q", i+1, got, err, want)
		}
	}
	if _, err := a.Complete(context.Background(), question("again?")); !errors.Is(err, errNobody) {
		t.Errorf("after the last line: %v", err)
	}
	if strings.Contains(shown.String(), "\x1b") {
		t.Error("what a model wrote reaches the terminal as it is")
	}
	if _, err := (approver{policy: "ask", at: newDesk(host{})}).Complete(context.Background(), question("?")); !errors.Is(err, errNobody) {
		t.Errorf("without an input: %v", err)
	}
}
