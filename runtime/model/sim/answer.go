package sim

import (
	"strings"

	"parley/runtime/shape"
)

// answerLine begins the line in which a reply without a form names its answer.
const answerLine = "Answer: "

// answerNames are the fields that hold a reply's answer, the first one first.
var answerNames = [...]string{"answer", "final_answer", "final", "choice", "vote", "verdict"}

func answerRank(name string) int {
	for i, n := range answerNames {
		if n == name {
			return i
		}
	}
	return -1
}

// answerOf finds the answer in what an agent said.
func answerOf(body string) (string, bool) {
	if i := strings.IndexFunc(body, func(r rune) bool { return r != ' ' && r != '\n' }); i >= 0 && body[i] == '{' {
		answer, ok, _ := answerIn(body, i)
		return answer, ok
	}
	if i := strings.LastIndex(body, answerLine); i >= 0 && (i == 0 || body[i-1] == '\n') {
		line, _, _ := strings.Cut(body[i+len(answerLine):], "\n")
		return line, line != ""
	}
	return "", false
}

// answerIn scans the JSON object that begins at s[i] without building it. It
// returns the answer as text and where the object ends; 0 if it does not.
func answerIn(s string, i int) (answer string, ok bool, end int) {
	best := len(answerNames)
	for i++; ; i++ {
		i = skipSpace(s, i)
		if i < len(s) && s[i] == '}' {
			return answer, ok, i + 1
		}
		key, next := skipString(s, i)
		if next == 0 {
			return "", false, 0
		}
		i = skipSpace(s, next)
		if i >= len(s) || s[i] != ':' {
			return "", false, 0
		}
		from := skipSpace(s, i+1)
		if i = skipValue(s, from); i == 0 {
			return "", false, 0
		}
		if rank := answerRank(key); rank >= 0 && rank < best {
			if text, readable := scalar(s[from:i]); readable {
				answer, ok, best = text, true, rank
			}
		}
		i = skipSpace(s, i)
		switch {
		case i < len(s) && s[i] == ',':
		case i < len(s) && s[i] == '}':
			return answer, ok, i + 1
		default:
			return "", false, 0
		}
	}
}

// scalar reads a JSON text, number or truth value as text.
func scalar(raw string) (string, bool) {
	if raw == "" || raw == "null" || raw[0] == '{' || raw[0] == '[' {
		return "", false
	}
	if raw[0] != '"' {
		return raw, true
	}
	if inner := raw[1 : len(raw)-1]; !strings.Contains(inner, `\`) {
		return inner, inner != ""
	}
	v, err := shape.Parse(raw)
	text, ok := v.(string)
	return text, err == nil && ok && text != ""
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the inside of the JSON string at s[i] and the place behind
// it; 0 if there is none.
func skipString(s string, i int) (inside string, next int) {
	if i >= len(s) || s[i] != '"' {
		return "", 0
	}
	for k := i + 1; k < len(s); {
		n := strings.IndexByte(s[k:], '"')
		if n < 0 {
			return "", 0
		}
		slash := strings.IndexByte(s[k:k+n], '\\')
		if slash < 0 {
			return s[i+1 : k+n], k + n + 1
		}
		k += slash + 2
	}
	return "", 0
}

// skipValue returns the place behind the JSON value at s[i]; 0 if it does not
// end. What is inside of lists and records is only counted.
func skipValue(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			if _, i = skipString(s, i); i == 0 {
				return 0
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return 0
}
