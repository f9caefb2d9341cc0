package sim

import (
	"strconv"
	"strings"
)

// right reports whether the agent knows the task at hand: a trait, by the
// task's class.
func (s *Sim) right(v *view) bool {
	return v.task != nil && trait(v.req, "knows") < s.params.knows(v.task.Class)
}

// belief is what the agent thinks before it hears anybody; nil without a task
// that has an answer.
func (s *Sim) belief(v *view) any {
	if v.task == nil || v.task.Answer == nil {
		return nil
	}
	if s.right(v) {
		return v.task.Answer
	}
	return s.mistake(v)
}

// mistake is the agent's wrong answer: the case's first, or drawn by weight.
func (s *Sim) mistake(v *view) any {
	wrongs := v.task.Wrongs
	if len(wrongs) == 0 {
		return opposite(v.task.Answer)
	}
	weights := s.params.Wrong
	if len(weights) > len(wrongs) {
		weights = weights[:len(wrongs)]
	}
	left := trait(v.req, "wrong") * sum(weights)
	for i, w := range weights {
		if left < w {
			return wrongs[i]
		}
		left -= w
	}
	return wrongs[0]
}

// opposite is a wrong answer to a case that has none of its own.
func opposite(answer any) any {
	switch a := answer.(type) {
	case bool:
		return !a
	case int:
		return a + 1
	case float64:
		return a + 1
	case string:
		switch strings.ToLower(strings.TrimSpace(a)) {
		case "yes":
			return "no"
		case "no":
			return "yes"
		case "true":
			return "false"
		case "false":
			return "true"
		}
		if f, err := strconv.ParseFloat(strings.TrimSpace(a), 64); err == nil {
			return number(f + 1)
		}
	}
	return "something else"
}
