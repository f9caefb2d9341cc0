package imports

import "fmt"

// strategyQA reads yes/no questions with the facts that answer them: each fact
// is a document, and the opposite answer is the wrong one.
func strategyQA(from folder, _ Options) (*Output, error) {
	return tasksFile(from.rows(readArray, strategyTask, "dev.json", "train.json"))
}

func strategyTask(r row) (record, error) {
	id, err := r.text("qid", false)
	if err != nil {
		return nil, err
	}
	question, err := r.text("question", false)
	if err != nil {
		return nil, err
	}
	term, err := r.text("term", true)
	if err != nil {
		return nil, err
	}
	holds, ok := r.fields["answer"].(bool)
	if !ok {
		return nil, r.problem("answer", "true or false", r.fields["answer"])
	}
	facts, err := r.texts("facts")
	if err != nil {
		return nil, err
	}
	steps, err := r.texts("decomposition")
	if err != nil {
		return nil, err
	}
	answer, wrong := "no", "yes"
	if holds {
		answer, wrong = wrong, answer
	}
	var documents []document
	for i, fact := range facts {
		documents = append(documents, document{ID: fmt.Sprintf("%s-%d", id, i+1), Title: term, Text: fact})
	}
	return record{
		{"id", id},
		{"prompt", question},
		{"answer", answer},
		{"wrong", wrong},
		{"wrongs", []string{wrong}},
		{"class", fmt.Sprintf("steps-%d", len(steps))},
		{"documents", documents},
		{"steps", steps},
		{"source", "StrategyQA " + id},
		{"licence", "MIT, eladsegal/strategyqa"},
	}, nil
}
