package sim

import "strings"

// stopWord is the word in capitals that the request asks to be said when all is
// done; empty: none. It stands in a sentence of a system prompt, or of a prompt that
// is nobody else's words, that also says when: when something is done, finished,
// complete or solved.
func (v *view) stopWord() string {
	for i := range v.req.Messages {
		m := &v.req.Messages[i]
		if m.Role != "system" && (m.Role != "user" || fromAgent(m.Name)) {
			continue
		}
		text := m.Content
		for at := 0; ; {
			word, from := capitals(text, at)
			if word == "" {
				break
			}
			if sentence := sentenceAt(text, from); asksToStop(strings.ToLower(sentence)) {
				return word
			}
			at = from + len(word)
		}
	}
	return ""
}

// capitals finds the next word of four capital letters or more.
func capitals(s string, at int) (word string, from int) {
	for i := at; i < len(s); i++ {
		if !isCapital(s[i]) || i > 0 && nameByte(s[i-1], false) {
			continue
		}
		end := i
		for end < len(s) && (isCapital(s[end]) || s[end] == '_') {
			end++
		}
		if end-i >= 4 && (end == len(s) || !nameByte(s[end], false)) {
			return s[i:end], i
		}
		i = end
	}
	return "", 0
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// sentenceAt is the sentence around a place of a text.
func sentenceAt(s string, at int) string {
	const ends = ".!?\n"
	from, to := strings.LastIndexAny(s[:at], ends)+1, len(s)
	if i := strings.IndexAny(s[at:], ends); i >= 0 {
		to = at + i
	}
	return s[from:to]
}

func asksToStop(sentence string) bool {
	return hasWord(sentence, "say ", "reply ", "respond ", "answer ", "write ", "end ") &&
		hasWord(sentence, " done", "finished", "complete", "solved")
}
