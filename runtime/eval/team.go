package eval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// teamFuncs are the functions on answers, agents, turns and messages that need
// nothing but their arguments.
var teamFuncs = map[string]native{
	"same":     {min: 2, max: 2, lazy: true, call: same},
	"majority": {min: 1, max: 1, lazy: true, call: majority},
	"names":    {min: 1, max: 1, call: names},
	"mentions": {min: 2, max: 2, call: mentions},
	"latest":   {min: 1, max: 1, call: latest},
}

// names writes the names of agents, with commas between them.
func names(f *frame, args []any) any {
	it, ok := itemsOf(args[0])
	if !ok {
		it = items{list: []any{args[0]}, n: 1}
	}
	out := make([]string, it.n)
	for i := range it.n {
		e := it.at(i)
		n, ok := nameOf(e)
		if !ok {
			if isMissing(e) {
				return e
			}
			return Missing{Why: fmt.Sprintf("%s has no name", kindOf(e))}
		}
		f.text(len(n) + 16)
		out[i] = n
	}
	return strings.Join(out, ", ")
}

// mentions reports whether a word stands in a text, in a turn or a message, in
// what a tool call brought, or in any of a list of them: as a word of its own, in either case.
func mentions(f *frame, args []any) any {
	word, ok := textOf(args[1])
	if !ok {
		if word, ok = nameOf(args[1]); !ok {
			return Missing{Why: fmt.Sprintf("%s stands where a word is due", kindOf(args[1]))}
		}
	}
	it, ok := itemsOf(args[0])
	if !ok {
		it = items{list: []any{args[0]}, n: 1}
	}
	var unknown any
	for i := range it.n {
		e := it.at(i)
		if r, ok := e.(Record); ok {
			e = wordsOf(r)
		}
		s, ok := textOf(e)
		switch {
		case ok:
			f.text(len(s))
			if hasWord(strings.ToLower(s), strings.ToLower(word)) {
				return true
			}
		case isMissing(e):
			unknown = e
		default:
			unknown = Missing{Why: fmt.Sprintf("%s has no text", kindOf(e))}
		}
	}
	if unknown != nil {
		return unknown
	}
	return false
}

// wordsOf is what a turn or a message says, and what a tool call brought: its
// result, or its error.
func wordsOf(r Record) any {
	if text, ok := r.Field("text"); ok {
		return text
	}
	result, ok := r.Field("result")
	if !ok {
		return Missing{Why: "there is no text"}
	}
	if why, _ := r.Field("error"); why != nil && why != "" {
		return why
	}
	return Render(result)
}

func hasWord(s, word string) bool {
	if word == "" {
		return false
	}
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(word)
		before, _ := utf8.DecodeLastRuneInString(s[:start])
		after, _ := utf8.DecodeRuneInString(s[end:])
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if !(inWord(first) && inWord(before)) && !(inWord(last) && inWord(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[start:])
		from = start + size
	}
}

// latest keeps the newest message of each sender, in the order in which the
// senders were first heard.
func latest(f *frame, args []any) any {
	it, ok := itemsOf(args[0])
	if !ok {
		return noList(args[0])
	}
	f.charge(it.n)
	place := map[string]int{}
	out := []any{}
	for i := range it.n {
		e := it.at(i)
		who, why := sender(e)
		if why != nil {
			return why
		}
		if at, heard := place[who]; heard {
			out[at] = e
			continue
		}
		place[who] = len(out)
		out = append(out, e)
	}
	return out
}

// sender names who sent a message, or who took a turn.
func sender(v any) (name string, why any) {
	r, ok := v.(Record)
	if !ok {
		if isMissing(v) {
			return "", v
		}
		return "", Missing{Why: fmt.Sprintf("%s is not a message", kindOf(v))}
	}
	for _, field := range []string{"from", "agent"} {
		who, ok := r.Field(field)
		if !ok {
			continue
		}
		if name, ok = nameOf(who); !ok {
			name = short(who)
		}
		return name, nil
	}
	return "", Missing{Why: "a message has no sender"}
}
