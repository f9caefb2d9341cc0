package imports

import (
	"fmt"
	"regexp"
	"strings"
)

// A worked solution marks what it computes, as in <<3*4=12>>, and ends with the
// result behind four hash signs.
var (
	computed = regexp.MustCompile(`<<[^<>]*=(-?[0-9][0-9,]*(?:\.[0-9]+)?)>>`)
	marks    = regexp.MustCompile(`<<[^<>]*>>`)
	whole    = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
)

// gsm8k reads questions whose answer is a number. The wrong answer is the last
// intermediate result that is not the answer: what somebody would say who
// stopped too early.
func gsm8k(from folder, _ Options) (*Output, error) {
	return tasksFile(from.rows(readLines, mathTask, "test.jsonl", "train.jsonl"))
}

func mathTask(r row) (record, error) {
	question, err := r.text("question", false)
	if err != nil {
		return nil, err
	}
	worked, err := r.text("answer", false)
	if err != nil {
		return nil, err
	}
	at := strings.LastIndex(worked, "####")
	if at < 0 {
		return nil, &Problem{File: r.file, Record: r.n, Field: "answer", Want: "a number behind ####", Got: "no ####"}
	}
	answer := plainNumber(worked[at+len("####"):])
	if !whole.MatchString(answer) {
		return nil, r.problem("answer", "a number behind ####", strings.TrimSpace(worked[at+len("####"):]))
	}
	solution := strings.TrimSpace(worked[:at])
	steps := computed.FindAllStringSubmatch(solution, -1)
	wrong := ""
	for i := len(steps) - 1; i >= 0 && wrong == ""; i-- {
		if v := plainNumber(steps[i][1]); v != answer {
			wrong = v
		}
	}
	if wrong == "" {
		wrong = answer + "0"
		if strings.Trim(answer, "-0.") == "" {
			wrong = "1"
		} else if strings.Contains(answer, ".") {
			wrong = "1" + strings.TrimPrefix(answer, "-")
		}
	}
	id := fmt.Sprintf("gsm8k-%d", r.n)
	return record{
		{"id", id},
		{"prompt", question},
		{"answer", answer},
		{"wrong", wrong},
		{"wrongs", []string{wrong}},
		{"class", fmt.Sprintf("steps-%d", len(steps))},
		{"documents", []document{}},
		{"solution", marks.ReplaceAllString(solution, "")},
		{"source", fmt.Sprintf("GSM8K record %d", r.n)},
		{"licence", "MIT, openai/grade-school-math"},
	}, nil
}

// plainNumber takes thousands commas out of a number.
func plainNumber(s string) string {
	return strings.TrimSuffix(strings.ReplaceAll(strings.TrimSpace(s), ",", ""), ".")
}
