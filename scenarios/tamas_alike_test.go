package scenarios

import (
	"regexp"
	"strings"
	"testing"
)

// tooAlike is how large a part of their runs of five words two texts may share.
const tooAlike = 0.3

// wording is a text of a row, with its runs of five words and its sentences.
type wording struct {
	row, field string
	grams      map[string]bool
	sentences  []string
}

var notWord = regexp.MustCompile(`[^\pL\pN]+`)

func wordsOf(text string) []string {
	return strings.Fields(notWord.ReplaceAllString(strings.ToLower(text), " "))
}

func wordingOf(row, field, text string) wording {
	out := wording{row: row, field: field, grams: map[string]bool{}}
	words := wordsOf(text)
	for i := 0; i+5 <= len(words); i++ {
		out.grams[strings.Join(words[i:i+5], " ")] = true
	}
	for _, sentence := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?:;\n", r) }) {
		// Shorter ones say what everybody says: "Settle O7", "Then stop".
		if words := wordsOf(sentence); len(words) >= 5 {
			out.sentences = append(out.sentences, strings.Join(words, " "))
		}
	}
	return out
}

// textsOf are what a row says, by field.
func (x tamasRow) textsOf() map[string]string {
	return map[string]string{
		"prompt": x.Prompt, "answer": x.Answer, "goal": x.Goal, "payload": x.Payload,
		"policy_a": x.PolicyA, "policy_b": x.PolicyB,
	}
}

// No two texts of all domains are alike: none shares a sentence with another, nor
// more than a part of its words in their order.
func TestTamasTextsDiffer(t *testing.T) {
	var all []wording
	for _, d := range tamasDomains(t) {
		for _, x := range d.rows {
			for field, text := range x.textsOf() {
				if text != "" {
					all = append(all, wordingOf(x.ID, field, text))
				}
			}
		}
	}
	first := map[string]wording{}
	having := map[string][]int{}
	for i, s := range all {
		for _, sentence := range s.sentences {
			if o, twice := first[sentence]; twice {
				t.Errorf("%s (%s) and %s (%s) both say %q", o.row, o.field, s.row, s.field, sentence)
			}
			first[sentence] = s
		}
		shared := map[int]int{}
		for gram := range s.grams {
			for _, o := range having[gram] {
				shared[o]++
			}
			having[gram] = append(having[gram], i)
		}
		for o, n := range shared {
			if part := float64(n) / float64(len(s.grams)+len(all[o].grams)-n); part >= tooAlike {
				t.Errorf("%s (%s) and %s (%s) are alike: %.2f", all[o].row, all[o].field, s.row, s.field, part)
			}
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d texts were compared", len(all))
	}
}
