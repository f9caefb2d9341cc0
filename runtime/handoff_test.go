package runtime

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// desk is three agents of whom the first may hand over to the others.
func desk(attrs Attrs) *Program {
	p := solo(Attrs{})
	p.Agents = append(p.Agents, Agent{Name: "Back", Index: 1, About: "Pays.", Attrs: Attrs{Model: "m"}})
	p.Agents = append(p.Agents, Agent{Name: "hand[2]", Group: "hand", Index: 2, Attrs: Attrs{Model: "m"}})
	p.Groups = []Group{{Name: "hand", Members: []string{"hand[2]"}}}
	p.Edges = []Edge{{"a", "Back"}}
	p.Tools = []Tool{{Name: "look", Class: "read", Body: []Stmt{give(`"seen"`)}, Params: []shape.Field{}}}
	attrs.Handoff, attrs.Tools = expr("[self, Back, hand, Back]"), &ToolUse{Names: []string{"look"}}
	p.Turns = []Stmt{step("work", "a", attrs), step("next", "work.handoff ?? hand", Attrs{Prompt: expr(`"go on"`)})}
	p.Answer = expr("work.text")
	return p
}

// batch is one answer that calls several tools.
func batch(names ...string) *model.Response {
	r := &model.Response{Finish: "tool_calls", Content: "Let me see."}
	for _, n := range names {
		r.ToolCalls = append(r.ToolCalls, model.ToolCall{ID: n, Name: n, Args: "{}"})
	}
	return r
}

func TestHandoffs(t *testing.T) {
	for _, c := range []struct {
		name  string
		attrs Attrs
		calls []string
		text  string
		heard string
		next  string
		asked int
	}{
		{"one", Attrs{}, []string{"transfer_to_back"}, "Transferred to Back.", "Transferred to Back.", "Back", 1},
		{"with other calls", Attrs{}, []string{"look", "transfer_to_hand_2", "look"}, "seen\nseen\nTransferred to hand[2].", "seen\nseen\nTransferred to hand[2].", "hand[2]", 1},
		{"the first of two", Attrs{}, []string{"transfer_to_hand_2", "transfer_to_back"}, "Transferred to hand[2].", "Transferred to hand[2].", "hand[2]", 1},
		{"where a reply is due", Attrs{Replies: record("answer")}, []string{"transfer_to_back"}, "Transferred to Back.", "Transferred to Back.", "Back", 1},
		{"where results are shared", Attrs{Shares: ShareResults}, []string{"look", "transfer_to_back"}, "seen\nTransferred to Back.", "seen\nTransferred to Back.", "Back", 1},
		{"to nobody there is", Attrs{}, []string{"transfer_to_ghost"}, "Done.", "Done.", "", 2},
		{"to itself", Attrs{}, []string{"transfer_to_a"}, "Done.", "Done.", "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			trial, a := runOne(t, desk(c.attrs), func(call Call) *model.Response {
				if call.Agent == "a" && !strings.Contains(fullText(call), "<tool") {
					return batch(c.calls...)
				}
				return text("Done.")
			})
			first, second := trial.TurnList()[0].(*trace.Turn), trial.TurnList()[1].(*trace.Turn)
			if first.Text.String() != c.text || first.Handoff != c.next || first.Unreadable {
				t.Errorf("the turn says %q, hands over to %q, unreadable %v", first.Text, first.Handoff, first.Unreadable)
			}
			if got := trial.MessageList()[0].(*trace.Message).Text.String(); got != c.heard {
				t.Errorf("heard is %q", got)
			}
			if want := c.next; want != "" && second.Agent != want {
				t.Errorf("%s went on", second.Agent)
			}
			if n := len(a.of("a")); n != c.asked {
				t.Errorf("the agent was asked %d times", n)
			}
			if n := strings.Count(strings.Join(c.calls, " "), "look"); len(trial.CallList()) != n+c.asked-1 {
				t.Errorf("%d calls are recorded", len(trial.CallList()))
			}
		})
	}
}

func TestWhatAnAgentIsToldOfHandoffs(t *testing.T) {
	_, a := runOne(t, desk(Attrs{}), func(Call) *model.Response { return text("Done.") })
	var got []string
	for _, tool := range a.calls[0].Request.Tools {
		got = append(got, tool.Name+": "+tool.Description)
	}
	want := []string{"look: ", "transfer_to_back: Hands over to Back. Pays.", "transfer_to_hand_2: Hands over to hand[2]."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Who has handed over remembers its calls and what they returned, and no words
// of its own.
func TestHandingOverIsRemembered(t *testing.T) {
	p := desk(Attrs{})
	p.Turns = []Stmt{p.Turns[0], step("later", "a", Attrs{Prompt: expr(`"and now"`)})}
	_, a := runOne(t, p, func(c Call) *model.Response {
		if len(c.Request.Messages) == 0 {
			return batch("look", "transfer_to_back")
		}
		return text("Done.")
	})
	want := "<assistant >Let me see.\n<tool >seen\n<tool >Transferred to Back.\n<user >and now\n"
	if got := fullText(a.of("a")[1]); got != want {
		t.Errorf("it remembers\n%s", got)
	}
}

func TestReset(t *testing.T) {
	p := desk(Attrs{})
	p.Turns = []Stmt{
		step("one", "a", Attrs{Prompt: expr(`"one"`)}), step("two", "Back", Attrs{Prompt: expr(`"two"`)}),
		step("three", "a", Attrs{Prompt: expr(`"three"`)}),
		{Kind: ResetStmt, Who: expr("[a, Back]")},
		step("four", "Back", Attrs{Prompt: expr(`"four"`)}), step("five", "a", Attrs{Prompt: expr(`"five"`)}),
	}
	trial, a := runOne(t, p, func(Call) *model.Response { return text("Done.") })
	if got := fullText(a.calls[2]); got != "<user >one\n<assistant >Done.\n<user >three\n" {
		t.Errorf("before it was sent\n%s", got)
	}
	for i, want := range []string{"<user >four\n", "<user >five\n"} {
		if got := fullText(a.calls[3+i]); got != want {
			t.Errorf("afterwards it was sent\n%s", got)
		}
	}
	var forgot []string
	for _, e := range trial.Events {
		if e.Reset != nil {
			forgot = append(forgot, e.Reset.Agent)
		}
	}
	if !cmp.Equal(forgot, []string{"a", "Back"}) {
		t.Errorf("the record says that %v forgot", forgot)
	}
}

func TestCorrectiveWords(t *testing.T) {
	p := solo(Attrs{
		Replies: record("answer"), Repairs: new(int), RepliesElse: expr(`"JSON, please"`),
		Where: expr(`reply.answer == "c" || text contains "never"`), Try: 3, WhereElse: expr(`render("not ", (reply.answer))`),
	})
	*p.Turns[0].Attrs.Repairs = 2
	said := []string{"plain", "plainer", `{"answer":"a"}`, `{"answer":"b"}`, `{"answer":"c"}`}
	trial, a := runOne(t, p, func(Call) *model.Response {
		next := said[0]
		said = said[1:]
		return text(next)
	})
	want := "<assistant >plain\n<user >JSON, please\n<assistant >plainer\n<user >JSON, please\n<assistant >{\"answer\":\"a\"}\n<user >not a\n<assistant >{\"answer\":\"b\"}\n<user >not b\n"
	got := fullText(a.calls[4])
	if _, got, _ = strings.Cut(got, "\n"); got != want || trial.Answer != "c" {
		t.Errorf("it answered %v after\n%s", trial.Answer, got)
	}
}

func TestAnOrderedAnswer(t *testing.T) {
	p := desk(Attrs{})
	p.Turns = []Stmt{step("work", "a", Attrs{Tools: &ToolUse{Own: true, Limit: 2, Then: ThenAnswer, Order: expr(`render("Answer now, ", (self))`)}})}
	p.Agents[0].Attrs.Tools = &ToolUse{Names: []string{"look"}, Limit: 9, Then: ThenShare}
	_, a := runOne(t, p, func(c Call) *model.Response {
		if len(c.Request.Tools) > 0 {
			return batch("look")
		}
		return text("Done.")
	})
	if n := len(a.calls); n != 3 {
		t.Fatalf("%d calls were made", n)
	}
	if got := fullText(a.calls[2]); !strings.HasSuffix(got, "<tool >seen\n<user >Answer now, a\n") {
		t.Errorf("at last it was sent\n%s", got)
	}
}

// What an agent was made to say stands in its memory after what it had heard.
func TestSayingIsRemembered(t *testing.T) {
	p := desk(Attrs{})
	said := func(who, what string) Stmt { return Stmt{Kind: SayStmt, Who: expr(who), Expr: expr(what)} }
	p.Edges = []Edge{{"a", "Back"}, {"Back", "a"}}
	p.Turns = []Stmt{
		said("a", `"go"`), step("one", "Back", Attrs{}), said("a", `"further"`), step("two", "Back", Attrs{}),
		step("seen", "a", Attrs{Aside: true, Prompt: expr(`"how far?"`)}), step("work", "a", Attrs{}),
	}
	_, a := runOne(t, p, func(c Call) *model.Response { return text("I am " + c.Agent) })
	want := "<assistant >go\n<user Back>I am Back\n<assistant >further\n<user Back>I am Back\n"
	for i, more := range []string{"<user >how far?\n", ""} {
		if got := fullText(a.of("a")[i]); got != want+more {
			t.Errorf("it was sent\n%s", got)
		}
	}
}
