package imports

import (
	"encoding/json"
	"fmt"
	"strings"
)

// sealQA reads questions whose search results conflict or do not help. Which
// fields a copy has differs; question and answer must be there, the rest is
// taken where it is. The set says no wrong answer, so `wrong` is nil.
func sealQA(from folder, _ Options) (*Output, error) {
	return tasksFile(from.rows(readLines, sealTask, "seal-0.jsonl", "seal-hard.jsonl", "longseal.jsonl", "seal_0.jsonl", "seal_hard.jsonl"))
}

func sealTask(r row) (record, error) {
	question, err := r.text("question", false)
	if err != nil {
		return nil, err
	}
	answer, err := r.text("answer", false)
	if err != nil {
		return nil, err
	}
	id := fmt.Sprintf("sealqa-%d", r.n)
	if r.has("id") {
		if id, err = r.text("id", false); err != nil {
			return nil, err
		}
	}
	plain := map[string]string{}
	for _, name := range []string{"freshness", "topic"} {
		if r.has(name) {
			if plain[name], err = r.text(name, true); err != nil {
				return nil, err
			}
		}
	}
	lists := map[string][]string{}
	for _, name := range []string{"urls", "question_types"} {
		if r.has(name) {
			if lists[name], err = r.texts(name); err != nil {
				return nil, err
			}
		}
	}
	documents, err := sealDocuments(r, id)
	if err != nil {
		return nil, err
	}
	return record{
		{"id", id},
		{"prompt", question},
		{"answer", answer},
		{"wrong", nil},
		{"wrongs", []string{}},
		{"class", plain["freshness"]},
		{"topic", plain["topic"]},
		{"year", yearOf(r.fields["effective_year"])},
		{"kinds", lists["question_types"]},
		{"urls", lists["urls"]},
		{"documents", documents},
		{"source", fmt.Sprintf("SealQA record %d", r.n)},
		{"licence", "see the copy's own licence; vtllms/sealqa"},
	}, nil
}

// sealDocuments takes documents, or search results where they are listed: texts,
// or records with a text under one of the usual names.
func sealDocuments(r row, id string) ([]document, error) {
	name := "documents"
	if !r.has(name) {
		name = "search_results"
	}
	list, ok := r.fields[name].([]any)
	if !ok {
		if _, label := r.fields[name].(string); label || !r.has(name) {
			return nil, nil // a label such as "conflicting", or nothing
		}
		return nil, r.problem(name, "a list of documents", r.fields[name])
	}
	if len(list) > maxItems {
		return nil, &Problem{File: r.file, Record: r.n, Field: name, Want: "at most 10,000 documents", Got: "more"}
	}
	var out []document
	for i, v := range list {
		d := document{ID: fmt.Sprintf("%s-%d", id, i+1)}
		switch v := v.(type) {
		case string:
			d.Text = v
		case map[string]any:
			d.Title = firstText(v, "title", "url")
			d.Text = firstText(v, "text", "content", "snippet", "body")
		}
		if strings.TrimSpace(d.Text) == "" || len(d.Text) > maxText {
			return nil, r.problem(name, "documents with a text of at most 256 KiB", v)
		}
		out = append(out, d)
	}
	return out, nil
}

func firstText(fields map[string]any, names ...string) string {
	for _, n := range names {
		if s, ok := fields[n].(string); ok && s != "" {
			return s
		}
	}
	return ""
}

// yearOf writes a year, which copies give as a number or as a text.
func yearOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
