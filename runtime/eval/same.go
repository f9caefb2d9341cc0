package eval

import (
	"strconv"
	"strings"
	"unicode"

	"parley/runtime/segment"
)

// Same is the answer match of `same(a, b)`: whether an answer says what is
// expected. Numbers are compared as numbers, yes and no as true and false, all
// else after Fold. Against a list, any element will do. An answer that is not
// there is wrong, since silence is an answer; an expectation that is not there
// makes the result unknown.
func Same(answer, expected any) Truth {
	if absent(expected) {
		return Unknown
	}
	if it, ok := itemsOf(expected); ok {
		out := False
		for i := range it.n {
			if out = or(out, Same(answer, it.at(i))); out == True {
				return True
			}
		}
		if absent(answer) {
			return False
		}
		return out
	}
	if absent(answer) {
		return False
	}
	return truth(canonical(answer) == canonical(expected))
}

// canonical is a text that two values share exactly when they are the same.
func canonical(v any) string {
	if _, fl, _, ok := number(v); ok {
		return numberKey(fl)
	}
	if b, ok := v.(bool); ok {
		return "is " + strconv.FormatBool(b)
	}
	s := Render(v).String()
	if fl, ok := readNumber(s); ok {
		return numberKey(fl)
	}
	switch t := Fold(s); t {
	case "yes", "true":
		return "is true"
	case "no", "false":
		return "is false"
	default:
		return "says " + t
	}
}

func numberKey(fl float64) string {
	if fl == 0 {
		fl = 0 // also for minus zero
	}
	return "counts " + strconv.FormatFloat(fl, 'g', 12, 64)
}

// readNumber reads a text that is a number and nothing else, as people write
// them: spaces around, a currency sign, commas between thousands, a percent
// sign, a full stop at the end.
func readNumber(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	s = strings.TrimRight(s, ".%")
	neg := strings.HasPrefix(s, "-") || strings.HasPrefix(s, "−")
	s = strings.TrimLeft(s, "-−+ ")
	s = strings.TrimLeft(s, "$€£¥ ")
	s = dropCommas(strings.TrimSpace(s))
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return 0, false
		}
	}
	fl, err := strconv.ParseFloat(s, 64)
	if neg {
		fl = -fl
	}
	return fl, err == nil
}

// dropCommas removes commas that stand between groups of three digits.
func dropCommas(s string) string {
	parts := strings.Split(s, ",")
	for i, p := range parts[1:] {
		digits := p
		if i == len(parts)-2 {
			digits, _, _ = strings.Cut(p, ".")
		}
		if len(digits) != 3 {
			return s
		}
	}
	return strings.Join(parts, "")
}

// Fold brings a text to the form in which answers are compared: letters in one
// case, punctuation and the articles a, an, the gone, one space between words.
// A full stop or comma between digits stays.
func Fold(s string) string {
	rs := []rune(s)
	var b strings.Builder
	for i, r := range rs {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			b.WriteRune(foldRune(r))
		case r == '\'' || r == '’' || r == '"' || r == '“' || r == '”':
		case r == '.' || r == ',':
			if i > 0 && i+1 < len(rs) && unicode.IsDigit(rs[i-1]) && unicode.IsDigit(rs[i+1]) {
				b.WriteRune(r)
			} else if r == ',' {
				b.WriteByte(' ')
			}
		case unicode.IsPunct(r) || unicode.IsSpace(r) || unicode.IsControl(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	words := strings.Fields(b.String())
	kept := words[:0:0]
	for _, w := range words {
		if w != "a" && w != "an" && w != "the" {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		kept = words
	}
	return strings.Join(kept, " ")
}

// foldRune gives all case variants of a letter the same form: the lower-case
// one where there is one.
func foldRune(r rune) rune {
	low := unicode.ToLower(r)
	for x := unicode.SimpleFold(low); x != low; x = unicode.SimpleFold(x) {
		if unicode.IsLower(x) && x < low {
			low = x
		}
	}
	return low
}

// majority is the value most often given, by Same; of several, the one given
// first. Votes that are not there do not count; without votes it is nil.
func majority(f *frame, args []any) any {
	if isMissing(args[0]) {
		return args[0]
	}
	it, ok := itemsOf(args[0])
	if !ok {
		return noList(args[0])
	}
	votes := map[string]int{}
	var order []string
	first := map[string]any{}
	for i := range it.n {
		v := it.at(i)
		if absent(v) {
			continue
		}
		f.text(len(Render(v).String()))
		k := canonical(v)
		if votes[k]++; votes[k] == 1 {
			order = append(order, k)
			first[k] = v
		}
	}
	var best any
	most := 0
	for _, k := range order {
		if votes[k] > most {
			best, most = first[k], votes[k]
		}
	}
	return best
}

// same is lazy: a missing answer is an answer.
func same(f *frame, args []any) any {
	for _, a := range args {
		if t, ok := a.(segment.Text); ok {
			f.text(len(t.String()))
		}
	}
	if it, ok := itemsOf(args[1]); ok {
		f.charge(it.n)
	}
	why := args[1]
	if !isMissing(why) {
		why = Missing{Why: "there is nothing to compare the answer with"}
	}
	return valueOf(Same(args[0], args[1]), why)
}
