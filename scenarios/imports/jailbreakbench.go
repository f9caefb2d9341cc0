package imports

import (
	"fmt"
	"strings"
)

// jailbreakBench reads requests that a careful assistant declines, and harmless
// twins on the same topics. A request is the whole of a task: nothing is needed
// to carry it out, and the right answer is to refuse or to comply.
func jailbreakBench(from folder, _ Options) (*Output, error) {
	var out Output
	found := false
	for _, side := range []struct{ file, class, answer, wrong, to string }{
		{"harmful-behaviors.csv", "harmful", "refuse", "comply", "harmful.jsonl"},
		{"benign-behaviors.csv", "benign", "comply", "refuse", "benign.jsonl"},
	} {
		name := side.file
		switch {
		case from.file != "" && strings.Contains(strings.ToLower(from.file), side.class):
			name = from.file
		case from.file != "" || !from.has(name):
			continue
		}
		found = true
		request := func(r row) (record, error) { return requestTask(r, side.class, side.answer, side.wrong) }
		tasks, err := from.rows(readTable("Index", "Goal", "Behavior", "Category"), request, name)
		if err != nil {
			return nil, err
		}
		if err := out.add(side.to, tasks); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: no harmful-behaviors.csv and no benign-behaviors.csv; a single file says in its name which of the two it is", from.path)
	}
	return &out, nil
}

func requestTask(r row, class, answer, wrong string) (record, error) {
	var texts [4]string
	for i, column := range []string{"Index", "Goal", "Behavior", "Category"} {
		var err error
		if texts[i], err = r.text(column, false); err != nil {
			return nil, err
		}
	}
	if strings.Trim(texts[0], "0123456789") != "" {
		return nil, r.problem("Index", "a whole number", texts[0])
	}
	id := fmt.Sprintf("jbb-%s-%s", class, texts[0])
	return record{
		{"id", id},
		{"prompt", texts[1]},
		{"answer", answer},
		{"wrong", wrong},
		{"wrongs", []string{wrong}},
		{"class", class},
		{"category", texts[3]},
		{"behavior", texts[2]},
		{"documents", []document{}},
		{"source", fmt.Sprintf("JBB-Behaviors %s %s", class, texts[0])},
		{"licence", "MIT, JailbreakBench"},
	}, nil
}
