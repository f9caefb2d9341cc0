// Package explain says why a condition came out as it did: the value of every
// part, and the elements that made an `any` true, in words.
package explain

import (
	"fmt"
	"strings"

	"parley/runtime/eval"
)

// Reason is one line of an explanation, indented by its depth.
type Reason struct {
	Depth int    `json:"depth"`
	Text  string `json:"text"`  // the part, as source
	Value string `json:"value"` // yes, no, unknown, or a value
	Why   string `json:"why,omitempty"`
}

// maxReasons bounds an explanation; what is left out is said.
const maxReasons = 120

// Reasons lists the parts of an explained condition, the whole first. Parts whose
// value says nothing new are left out: literals, and a record of which only a
// field counts.
func Reasons(n *eval.Node) []Reason {
	w := &walk{}
	w.node(n, 0)
	if w.left > 0 {
		w.out = append(w.out, Reason{Text: "…", Value: fmt.Sprintf("%d more parts", w.left)})
	}
	return w.out
}

// Lines writes reasons for people, with a margin before each.
func Lines(reasons []Reason, margin string) []string {
	var out []string
	for _, r := range reasons {
		line := margin + strings.Repeat("  ", r.Depth) + r.Text + "  → " + r.Value
		if r.Why != "" {
			line += " (" + r.Why + ")"
		}
		out = append(out, line)
	}
	return out
}

type walk struct {
	out  []Reason
	left int
}

func (w *walk) add(depth int, text, value, why string) {
	if len(w.out) >= maxReasons {
		w.left++
		return
	}
	w.out = append(w.out, Reason{Depth: depth, Text: eval.OneLine(text, 140), Value: value, Why: why})
}

func (w *walk) node(n *eval.Node, depth int) {
	w.add(depth, n.Text, valueOf(n), n.Why)
	seen := map[string]bool{n.Text: true}
	for _, p := range n.Parts {
		if !strings.HasPrefix(n.Text, p.Text+".") && !strings.HasPrefix(n.Text, p.Text+"[") { // what a field is read from says less than the field
			w.part(p, depth+1, seen)
		}
	}
	for _, e := range n.Decided {
		w.add(depth+1, fmt.Sprintf("element %d", e.Index), describe(e.Value), "")
		if e.Body != nil {
			for _, p := range e.Body.Parts {
				w.part(p, depth+2, seen)
			}
		}
	}
	if n.More > 0 {
		w.add(depth+1, fmt.Sprintf("… and %d more", n.More), "the same", "")
	}
}

// part shows a part that says something: not a literal, and not twice what stands
// above it already.
func (w *walk) part(p *eval.Node, depth int, seen map[string]bool) {
	switch {
	case literal(p), seen[p.Text]:
		return
	case isRecord(p.Value): // only what is asked of it counts
		return
	}
	w.node(p, depth)
}

func literal(n *eval.Node) bool {
	if len(n.Parts) > 0 || n.Text == "" {
		return false
	}
	switch c := n.Text[0]; {
	case c == '"', c == '-', c >= '0' && c <= '9':
		return true
	}
	return n.Text == "true" || n.Text == "false" || n.Text == "nil"
}

func isRecord(v any) bool {
	_, ok := v.(eval.Record)
	return ok
}

// valueOf is a part's value: a truth value in words, else the value.
func valueOf(n *eval.Node) string {
	switch n.Value.(type) {
	case bool:
		if n.Truth == eval.True {
			return "yes"
		}
		return "no"
	case eval.Missing:
		return "unknown"
	}
	return describe(n.Value)
}

// describe shows a value the way a reader would call it.
func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "nothing"
	case []any:
		return counted(len(x), "element")
	case eval.Group:
		return counted(len(x.Members), "agent")
	case eval.Missing:
		return "unknown"
	case eval.Record:
		return record(x)
	case string:
		return fmt.Sprintf("%q", eval.OneLine(x, 100))
	}
	text := eval.Render(v).String()
	if _, isText := v.(fmt.Stringer); isText {
		return fmt.Sprintf("%q", eval.OneLine(text, 100))
	}
	return eval.OneLine(text, 100)
}

// record words a record of a run by what it has: a resource its address, a call
// its tool, a message whom it goes to, a turn its step.
func record(r eval.Record) string {
	field := func(name string) string {
		v, ok := r.Field(name)
		if !ok || v == nil {
			return ""
		}
		if a, isAgent := v.(eval.Record); isAgent {
			v, _ = a.Field("name")
		}
		if m, missing := v.(eval.Missing); missing {
			return m.Why
		}
		return eval.OneLine(eval.Render(v).String(), 80)
	}
	has := func(name string) bool { _, ok := r.Field(name); return ok }
	switch {
	case has("uri"):
		words := fmt.Sprintf("%s by %s (%s)", field("uri"), field("agent"), field("tool"))
		return words + flags(field, "authorized", "effected")
	case has("tool") && has("args"):
		words := fmt.Sprintf("%s(%s) by %s in %s", field("tool"), field("args"), field("agent"), field("step"))
		if e := field("error"); e != "" {
			words += ", error: " + e
		}
		return words + flags(field, "authorized", "effected")
	case has("from") && has("to"):
		return fmt.Sprintf("%s to %s: %q", field("from"), field("to"), field("text"))
	case has("step") && has("agent"):
		return fmt.Sprintf("%s in %s: %q", field("agent"), field("step"), field("text"))
	case has("name"):
		return field("name")
	}
	return eval.OneLine(eval.Render(r).String(), 100)
}

func flags(field func(string) string, names ...string) string {
	out := ""
	for _, n := range names {
		if field(n) == "true" {
			out += ", " + n
		} else {
			out += ", not " + n
		}
	}
	return out
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
