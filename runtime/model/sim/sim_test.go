package sim

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
)

func TestFreeReplies(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 1, "carries": 0, "obeys.task": 1})
	for _, c := range []struct{ prompt, want string }{
		{"Restate this for the others.\n" + easy, easy},
		{easy + "\nWhat do you think?", easy + "\nAnswer: Rembrandt"},
		{easy + "\n" + evil, easy + "\nAnswer: Frans Hals"},
		{"Good morning.", "I have nothing to add."},
		{task3, task3},
	} {
		if got := ask(t, s, 1, nil, nil, msg("user", "", c.prompt)).Content; got != c.want {
			t.Errorf("%q: says %q, want %q", c.prompt, got, c.want)
		}
	}
}

func TestRefusesUnreadableErrors(t *testing.T) {
	user := msg("user", "", easy)
	under := msg("user", "", easy+"\n"+evil)
	s := newSim(t, map[string]float64{"refuses": 0.1, "unreadable": 0.2})
	near(t, "refuses", frequency(many, func(i int) bool { return ask(t, s, i, debateForm, nil, user).Refusal != "" }), 0.1, many)
	// A turn that has begun is not refused any more.
	near(t, "refuses later", frequency(many, func(i int) bool {
		return ask(t, s, i, debateForm, nil, user, model.Message{Role: "assistant", ToolCalls: []model.ToolCall{{ID: "1", Name: "search"}}},
			model.Message{Role: "tool", ToolCallID: "1", Content: "nothing"}).Refusal != ""
	}), 0, many)
	near(t, "unreadable", frequency(many, func(i int) bool {
		resp := ask(t, s, i, debateForm, nil, user)
		if resp.Refusal != "" {
			return false
		}
		_, err := debateForm.Read(resp.Content)
		return err != nil
	}), 0.2*0.9, many)
	s = newSim(t, map[string]float64{"errors.clean": 0.02, "errors.attacked": 0.3})
	for p, m := range map[float64]model.Message{0.02: user, 0.3: under} {
		near(t, "fails", frequency(many, func(i int) bool {
			_, err := s.Complete(context.Background(), request(i, debateForm, nil, m))
			var fault *model.Fault
			if err != nil && (!errors.As(err, &fault) || fault.Temporary) {
				t.Fatalf("not a lasting fault: %v", err)
			}
			return err != nil
		}), p, many)
	}
}

func TestDeterminismAndConcurrency(t *testing.T) {
	s := newSim(t, map[string]float64{"knows": 0.5, "conforms": 0.5, "stray": 0.5, "reads": 0.5, "refuses": 0.1})
	req := func(i int) *model.Request {
		return request(i, debateForm, []model.Tool{search, createFile}, msg("user", "", easy+"\n"+evil+"\n"+heardFrom("b", "X")))
	}
	want := make([]*model.Response, 300)
	for i := range want {
		want[i], _ = s.Complete(context.Background(), req(i))
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for k := range want {
				i := (k*7 + w*31) % len(want)
				got, err := s.Complete(context.Background(), req(i))
				if err != nil || !cmp.Equal(want[i], got) {
					t.Errorf("request %d is answered differently", i)
				}
			}
		})
	}
	wg.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Complete(ctx, req(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped call answers %v", err)
	}
}

func TestUsage(t *testing.T) {
	plain, thinking := newSim(t, nil), newSim(t, map[string]float64{"tokens": 100})
	a, b := ask(t, plain, 1, debateForm, nil, msg("user", "", easy)), ask(t, thinking, 1, debateForm, nil, msg("user", "", easy))
	if !a.Simulated {
		t.Error("the answer does not say that it is simulated")
	}
	if a.Usage.Output == 0 || b.Usage.Output != a.Usage.Output+100 || a.Usage.Input != 4+7 {
		t.Errorf("usage %+v and %+v", a.Usage, b.Usage)
	}
}

func TestParseParams(t *testing.T) {
	p, err := ParseParams(map[string]float64{"obeys": 0.4, "obeys.task": 0.6, "errors": 0.1, "errors.clean": 0, "wrong.second": 1})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([slots]float64{1, 0.6, 0.4, 0.4, 0.4}, p.Obeys); diff != "" {
		t.Error(diff)
	}
	if p.ErrorsClean != 0 || p.ErrorsUnder != 0.1 || !cmp.Equal(p.Wrong, []float64{0, 1}) {
		t.Errorf("%+v", p)
	}
	for want, flat := range map[string]map[string]float64{
		`knows is a probability between 0 and 1, and it is 1.5`: {"knows": 1.5},
		`reads is a probability between 0 and 1, and it is NaN`: {"reads": math.NaN()},
		`the simulator has no parameter "nose"`:                 {"nose": 0.5},
		`the simulator has no parameter "obeys.memory"`:         {"obeys.memory": 0.5},
		`wrong has no part "last"; its parts are first, second`: {"wrong.last": 0.5},
		`wrong gives every wrong answer the weight 0`:           {"wrong.first": 0},
		`tokens is a whole number from 0 to 1000000`:            {"tokens": 1.5},
	} {
		if _, err := ParseParams(flat); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", flat, err, want)
		}
	}
}

func TestRevision(t *testing.T) {
	base := newSim(t, nil).Revision()
	other := contents()
	other.Payloads = nil
	table, _ := NewTable(other)
	p, _ := ParseParams(nil)
	if New(table, p).Revision() != base {
		t.Error("payloads change the revision, so clean runs cannot be shared")
	}
	first, second := other.Cases[0].Prompt, other.Cases[1].Prompt
	before := New(table, p)
	other.Cases[0].Answer = "Rubens"
	table, _ = NewTable(other)
	after := New(table, p)
	if after.TaskRevision(first) == before.TaskRevision(first) {
		t.Error("an answer does not change its task's revision")
	}
	if after.TaskRevision(second) != before.TaskRevision(second) || after.Revision() != base {
		t.Error("an answer changes what other tasks' runs are known by")
	}
	other.Writes = append(other.Writes, "shred")
	table, _ = NewTable(other)
	if New(table, p).Revision() == base {
		t.Error("a tool that changes something does not change the revision")
	}
	if newSim(t, map[string]float64{"knows": 0.71}).Revision() == base {
		t.Error("a parameter does not change the revision")
	}
}

func TestTableErrors(t *testing.T) {
	if _, err := NewTable(Contents{Cases: []Case{{}}}); err == nil || !strings.Contains(err.Error(), "case 1 has an empty prompt") {
		t.Error(err)
	}
	if _, err := NewTable(Contents{Payloads: []Payload{{ID: "m/1"}}}); err == nil || !strings.Contains(err.Error(), "the payload m/1 is empty") {
		t.Error(err)
	}
}
