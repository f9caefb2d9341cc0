package lex

import (
	"strconv"
	"strings"

	"parley/lang/diag"
)

// number reads a number or a duration. What runs on into letters that are no
// unit is one illegal token, not a number and a word.
func (s *scanner) number() Token {
	start := s.at
	if digits, prefix := radix(s.text[s.at:]); prefix > 0 {
		s.at += prefix
		s.run(digits)
		if s.at == start+prefix || s.letterHere() {
			return s.badNumber(start)
		}
		return s.token(Number, start)
	}
	s.run("0123456789_")
	if s.at < len(s.text) && s.text[s.at] == '.' && !strings.HasPrefix(s.text[s.at:], "..") && s.digitAt(s.at+1) {
		s.at++
		s.run("0123456789_")
	}
	if s.at < len(s.text) && (s.text[s.at] == 'e' || s.text[s.at] == 'E') {
		i := s.at + 1
		if i < len(s.text) && (s.text[i] == '+' || s.text[i] == '-') {
			i++
		}
		if s.digitAt(i) {
			s.at = i
			s.run("0123456789_")
		}
	}
	if !s.letterHere() {
		return s.token(Number, start)
	}
	unit := s.at
	s.word()
	if _, ok := units[s.text[unit:s.at]]; ok {
		return s.token(Duration, start)
	}
	s.at = unit
	return s.badNumber(start)
}

// radix recognises 0x, 0o and 0b.
func radix(text string) (digits string, prefix int) {
	if len(text) < 2 || text[0] != '0' {
		return "", 0
	}
	switch text[1] {
	case 'x', 'X':
		return "0123456789abcdefABCDEF_", 2
	case 'o', 'O':
		return "01234567_", 2
	case 'b', 'B':
		return "01_", 2
	}
	return "", 0
}

func (s *scanner) run(digits string) {
	for s.at < len(s.text) && strings.IndexByte(digits, s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *scanner) letterHere() bool {
	return s.at < len(s.text) && (isLetter(s.text[s.at]) || isDigit(s.text[s.at]))
}

func (s *scanner) badNumber(start int) Token {
	s.word()
	text := s.text[start:s.at]
	hint := "durations are written 500ms, 30s, 2m or 1h, one unit each; names begin with a letter"
	s.report(diag.BadNumber, start, s.at, "`"+text+"` is neither a number nor a duration", hint)
	return s.token(Illegal, start)
}

// units are the durations' units in seconds.
var units = map[string]float64{"ms": 0.001, "s": 1, "m": 60, "h": 3600}

// Seconds returns a duration's length in seconds as a number literal.
func Seconds(duration string) string {
	unit := strings.TrimLeft(duration, "0123456789_.eE+-")
	number := strings.ReplaceAll(strings.TrimSuffix(duration, unit), "_", "")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	if unit == "ms" {
		return strconv.FormatFloat(value/1000, 'f', -1, 64)
	}
	return strconv.FormatFloat(value*units[unit], 'f', -1, 64)
}
