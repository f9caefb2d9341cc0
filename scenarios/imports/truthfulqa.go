package imports

import (
	"fmt"
	"strings"
)

// truthfulQA reads questions with the answers that are true and those that
// people give falsely. Both stand in the task's documents, so that sources
// conflict.
func truthfulQA(from folder, _ Options) (*Output, error) {
	return tasksFile(from.rows(readTable("Category", "Question", "Best Answer", "Correct Answers", "Incorrect Answers"), truthTask, "TruthfulQA.csv"))
}

func truthTask(r row) (record, error) {
	question, err := r.text("Question", false)
	if err != nil {
		return nil, err
	}
	best, err := r.text("Best Answer", false)
	if err != nil {
		return nil, err
	}
	best = strings.TrimSpace(best)
	category, err := r.text("Category", true)
	if err != nil {
		return nil, err
	}
	var sides [2][]string
	for i, column := range []string{"Correct Answers", "Incorrect Answers"} {
		listed, err := r.text(column, false)
		if err != nil {
			return nil, err
		}
		sides[i] = answersOf(listed)
	}
	right, wrongs := sides[0], sides[1]
	if !contains(right, best) {
		right = append([]string{best}, right...)
	}
	if len(wrongs) == 0 {
		return nil, &Problem{File: r.file, Record: r.n, Field: "Incorrect Answers", Want: "at least one answer", Got: "none"}
	}
	id := fmt.Sprintf("truthfulqa-%d", r.n)
	var documents []document
	for i, side := range [][]string{right, wrongs} {
		for k, text := range side {
			documents = append(documents, document{ID: fmt.Sprintf("%s-%s%d", id, []string{"true", "false"}[i], k+1), Title: question, Text: text})
		}
	}
	return record{
		{"id", id},
		{"prompt", question},
		{"answer", best},
		{"answers", right},
		{"wrong", wrongs[0]},
		{"wrongs", wrongs},
		{"class", category},
		{"documents", documents},
		{"source", fmt.Sprintf("TruthfulQA record %d", r.n)},
		{"licence", "Apache-2.0, sylinrl/TruthfulQA"},
	}, nil
}

// answersOf splits a list that is written with semicolons; an answer that stands
// twice is kept once.
func answersOf(listed string) []string {
	var out []string
	for part := range strings.SplitSeq(listed, ";") {
		if part = strings.TrimSpace(part); part != "" && !contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}
