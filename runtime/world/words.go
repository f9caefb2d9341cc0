package world

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words splits a text into the terms that retrieval counts: runs of letters,
// marks and digits, lower-cased. There is no stemming and no list of stop words,
// so what is found can be told from the texts alone.
func Words(text string) []string {
	var words []string
	eachWord(text, func(w string) { words = append(words, w) })
	return words
}

func eachWord(text string, take func(string)) {
	start, lower := -1, true
	for i := 0; i < len(text); {
		c := text[i]
		size := 1
		inside := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if c >= 'A' && c <= 'Z' {
			inside = true
			lower = false
		} else if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			inside = r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
			lower = lower && !inside
		}
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			take(lowered(text[start:i], lower))
			start, lower = -1, true
		case !inside:
			lower = true
		}
		i += size
	}
	if start >= 0 {
		take(lowered(text[start:], lower))
	}
}

func lowered(word string, already bool) string {
	if already {
		return word
	}
	return strings.ToLower(word)
}
