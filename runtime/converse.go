package runtime

import (
	"strconv"
	"strings"

	"parley/runtime/model"
	"parley/runtime/segment"
)

// rounds talks to the model until it answers without asking for tools, or its
// tool rounds are used up. The result is where the turn's next call would stand;
// done means that there is nothing more to read.
func (j *job) rounds() (at attempt, done bool, err error) {
	if err := j.insertCalls(); err != nil || j.end.kind != next {
		return at, true, err
	}
	for {
		got, err := j.ask(at, j.sent, at.round < j.attrs.rounds)
		if err != nil || got == nil {
			return at, true, err
		}
		if refused(got) {
			j.refuse(got)
			return at, true, nil
		}
		j.cut(got)
		if len(got.ToolCalls) == 0 {
			j.say(got.Content)
			return at, false, nil
		}
		if at.round >= j.attrs.rounds {
			j.note("tool-rounds", "more tools were asked for after the last tool round")
			j.say(got.Content)
			return at, false, nil
		}
		if err := j.call(got); err != nil || j.end.kind != next {
			return at, true, err
		}
		if j.handoff != nil {
			j.sayHandoff()
			return at, true, nil
		}
		at.round++
		if at.round < j.attrs.rounds {
			continue
		}
		switch j.attrs.then {
		case ThenAnswer:
			if err := j.orderAnswer(); err != nil {
				return at, true, err
			}
		case ThenShare:
			j.note("tool-rounds", "the tool rounds are used up: the results are the text")
			j.sayResults()
			return at, true, nil
		case ThenStop:
			j.turn.Limit = "tool rounds " + strconv.Itoa(j.attrs.rounds)
			j.note("tool-rounds", "the tool rounds are used up: the turn ends")
			j.say(got.Content)
			return at, true, nil
		}
	}
}

func refused(got *model.Response) bool {
	return got.Refusal != "" || got.Finish == "content_filter"
}

// refuse ends the turn with a refusal.
func (j *job) refuse(got *model.Response) {
	j.turn.Refused = true
	text := got.Refusal
	if text == "" {
		text = got.Content
	}
	j.say(text)
}

// cut notes an answer that the endpoint cut at its length limit.
func (j *job) cut(got *model.Response) {
	if got.Finish == "length" {
		j.turn.Limit = "length"
		j.note("length", "the answer was cut at its length limit")
	}
}

// say makes content what the agent said, and keeps it for its memory.
func (j *job) say(content string) {
	j.text = segment.Of(content, "model:"+j.member.agent.Name)
	j.keep(newMessage("assistant", "", j.text))
}

// sayResults makes the results of the last tool round what the agent said. It
// remembers them as what the tools returned, not as words of its own.
func (j *job) sayResults() { j.text = joined(j.results) }

// orderAnswer tells the agent, after its last tool round, to answer now.
func (j *job) orderAnswer() error {
	if j.attrs.order == nil {
		return nil
	}
	text, err := j.attrs.order.text(j.frame, "prompt")
	if err == nil && text.String() != "" {
		j.keep(newMessage("user", "", text))
	}
	return err
}

// keep adds a message to the request and to what the turn leaves in memory.
func (j *job) keep(m *message) {
	j.sent = append(j.sent, m)
	j.own = append(j.own, m)
}

func joined(texts []segment.Text) segment.Text {
	var out segment.Text
	for i, t := range texts {
		if i > 0 {
			out = append(out, segment.Segment{Text: "\n"})
		}
		out = append(out, t...)
	}
	return out.Merge()
}

// read turns what was said into a typed reply. An unreadable one is asked for
// once more; one that does not satisfy `where` as often as the step says.
func (j *job) read(at attempt, done bool) error {
	a := j.attrs
	if j.turn.Refused || j.overflow != "" || j.handoff != nil || j.end.kind != next {
		return nil
	}
	if a.replies == nil && a.where == nil {
		return nil
	}
	repairs, tries := a.repairs, a.try
	for {
		reply, problem, err := j.candidate()
		if err != nil {
			return err
		}
		if problem == "" {
			j.reply = reply
			return nil
		}
		left := &repairs
		if reply != nil || a.replies == nil {
			left = &tries
		}
		if done || *left <= 0 {
			j.turn.Unreadable = true
			j.note("unreadable", problem)
			return nil
		}
		*left--
		at.repair++
		question, err := j.question(reply, problem)
		if err != nil {
			return err
		}
		if on, err := j.again(at, question); err != nil || !on {
			return err
		}
	}
}

// candidate reads the current text. A problem says why it cannot be used; the
// reply is then not nil if it was readable.
func (j *job) candidate() (reply any, problem string, err error) {
	text := j.text.String()
	if j.attrs.replies != nil {
		if reply, err = j.attrs.replies.Read(text); err != nil {
			return nil, err.Error(), nil
		}
	}
	if j.attrs.where == nil {
		return reply, "", nil
	}
	ok, err := j.holds(j.attrs.where, reply)
	if err != nil {
		return nil, "", err
	}
	if !ok {
		return reply, "the reply does not meet the step's condition", nil
	}
	return reply, "", nil
}

// question is what a rejected answer is met with: the author's words, or what is
// wrong with it and the form that is due.
func (j *job) question(reply any, problem string) (segment.Text, error) {
	own := j.attrs.whereElse
	if reply == nil && j.attrs.replies != nil {
		own = j.attrs.repliesElse
	}
	if own != nil {
		return own.text(j.judging(reply), "prompt")
	}
	question := "That reply cannot be used: " + strings.TrimSuffix(problem, ".") + "."
	if j.attrs.instruction != "" {
		question += " " + j.attrs.instruction
	}
	return segment.Of(question, "format"), nil
}

// again asks for another answer, without tools. Neither the question nor the
// rejected answer is remembered.
func (j *job) again(at attempt, question segment.Text) (bool, error) {
	j.own = j.own[:len(j.own)-1]
	j.sent = append(j.sent, newMessage("user", "", question))
	got, err := j.ask(at, j.sent, false)
	if err != nil || got == nil {
		return false, err
	}
	if refused(got) {
		j.refuse(got)
		return false, nil
	}
	j.cut(got)
	j.say(got.Content)
	return true, nil
}
