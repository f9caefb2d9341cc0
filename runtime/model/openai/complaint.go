package openai

import (
	"fmt"
	"strings"

	"parley/runtime/model/rawjson"
)

// complaint reads an error body of any known form: its status, if it names one,
// and what it says.
func complaint(v rawjson.Value) (status int, message string) {
	c := readComplaint(v)
	return c.status, c.String()
}

// said is what an error body says.
type said struct {
	status                      int
	message, code, kind, params string
}

func (s said) String() string {
	text := excerpt(s.message)
	if s.code != "" && !strings.Contains(text, s.code) {
		text = strings.TrimSpace(fmt.Sprintf("%s (%s)", text, excerpt(s.code)))
	}
	return text
}

// readComplaint takes an object under `error`, a text there, the flat form of
// old vLLM, and FastAPI's `detail`.
func readComplaint(v rawjson.Value) said {
	var s said
	e := v.Get("error")
	switch {
	case e.String():
		s.message, _ = e.Text()
		e = v
	case !e.Object():
		e = v
	}
	if s.message == "" {
		s.message = words(e.Get("message"), 4)
	}
	if detail := e.Get("detail"); s.message == "" && !detail.Empty() {
		s.message = words(detail, 4)
		s.params = placeOf(detail)
	}
	s.kind, _ = e.Get("type").Text()
	if param, ok := e.Get("param").Text(); ok {
		s.params = param
	}
	code := e.Get("code")
	if n, ok := code.Number(); ok {
		s.status = int(n)
	} else {
		s.code, _ = code.Text()
	}
	return s
}

// placeOf is the member of the request that FastAPI complains of: the last name
// of the first complaint's place.
func placeOf(detail rawjson.Value) (name string) {
	for first := range detail.Elements() {
		for step := range first.Get("loc").Elements() {
			if text, ok := step.Text(); ok {
				name = text
			}
		}
		break
	}
	return name
}

// words are a value's texts, whatever its form, down to some depth.
func words(v rawjson.Value, depth int) string {
	if text, ok := v.Text(); ok || depth == 0 {
		return text
	}
	var list []string
	for e := range v.Elements() {
		list = append(list, words(e, depth-1))
	}
	for _, m := range v.Members() {
		list = append(list, words(m, depth-1))
	}
	return strings.TrimSpace(strings.Join(list, " "))
}

// excerpt is a text short enough for a message, in one line.
func excerpt(s string) string {
	return clip(strings.Join(strings.Fields(s), " "), 300)
}

func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
