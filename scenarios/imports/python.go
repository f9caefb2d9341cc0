package imports

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxNested bounds how deep literals and mappings may nest.
const maxNested = 32

// literalJSON rewrites a Python literal (texts in either quotes, numbers, True,
// False, None, lists, tuples and dicts) as JSON, keys in the order they stand.
func literalJSON(src string) (string, error) {
	p := literal{src: src}
	if err := p.value(0); err != nil {
		return "", err
	}
	p.space()
	if p.at < len(p.src) {
		return "", p.wants("the end")
	}
	return p.out.String(), nil
}

type literal struct {
	src string
	at  int
	out bytes.Buffer
}

func (p *literal) wants(what string) error {
	if p.at >= len(p.src) {
		return fmt.Errorf("%s is missing at the end", what)
	}
	return fmt.Errorf("%s is expected at byte %d", what, p.at+1)
}

func (p *literal) space() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// take moves over a word or sign if it stands next.
func (p *literal) take(s string) bool {
	p.space()
	if !strings.HasPrefix(p.src[p.at:], s) {
		return false
	}
	p.at += len(s)
	return true
}

func (p *literal) value(depth int) error {
	if depth > maxNested {
		return fmt.Errorf("it nests deeper than %d", maxNested)
	}
	p.space()
	if p.at >= len(p.src) {
		return p.wants("a value")
	}
	switch c := p.src[p.at]; {
	case c == '\'' || c == '"':
		s, err := p.text()
		if err != nil {
			return err
		}
		return writeJSON(&p.out, s)
	case p.take("["):
		return p.list("]", depth)
	case p.take("("):
		return p.list(")", depth)
	case p.take("{"):
		return p.dict(depth)
	case c == '-' || c >= '0' && c <= '9' || c == '.':
		return p.number()
	}
	for word, json := range map[string]string{"True": "true", "False": "false", "None": "null"} {
		if p.take(word) {
			p.out.WriteString(json)
			return nil
		}
	}
	return p.wants("a value")
}

func (p *literal) list(end string, depth int) error {
	p.out.WriteByte('[')
	for n := 0; !p.take(end); n++ {
		if n > 0 {
			if !p.take(",") {
				return p.wants("a comma")
			}
			if p.take(end) {
				break
			}
			p.out.WriteByte(',')
		}
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
	p.out.WriteByte(']')
	return nil
}

func (p *literal) dict(depth int) error {
	p.out.WriteByte('{')
	for n := 0; !p.take("}"); n++ {
		if n > 0 {
			if !p.take(",") {
				return p.wants("a comma")
			}
			if p.take("}") {
				break
			}
			p.out.WriteByte(',')
		}
		p.space()
		if p.at >= len(p.src) || p.src[p.at] != '\'' && p.src[p.at] != '"' {
			return p.wants("a key in quotes")
		}
		key, err := p.text()
		if err != nil {
			return err
		}
		if err := writeJSON(&p.out, key); err != nil {
			return err
		}
		if !p.take(":") {
			return p.wants("a colon")
		}
		p.out.WriteByte(':')
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
	p.out.WriteByte('}')
	return nil
}

func (p *literal) number() error {
	start := p.at
	for p.at < len(p.src) && strings.IndexByte("+-.0123456789eE", p.src[p.at]) >= 0 {
		p.at++
	}
	f, err := strconv.ParseFloat(p.src[start:p.at], 64)
	if err != nil {
		p.at = start
		return p.wants("a number")
	}
	return writeJSON(&p.out, f)
}

// text reads a quoted text with its escapes.
func (p *literal) text() (string, error) {
	quote := p.src[p.at]
	p.at++
	var b strings.Builder
	for p.at < len(p.src) {
		c := p.src[p.at]
		p.at++
		switch c {
		case quote:
			return b.String(), nil
		case '\\':
			if err := p.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", p.wants("a closing quote")
}

func (p *literal) escape(b *strings.Builder) error {
	if p.at >= len(p.src) {
		return p.wants("an escape")
	}
	c := p.src[p.at]
	p.at++
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case digits > 0:
		if p.at+digits > len(p.src) {
			return p.wants("an escape")
		}
		n, err := strconv.ParseUint(p.src[p.at:p.at+digits], 16, 32)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return p.wants("an escape")
		}
		p.at += digits
		b.WriteRune(rune(n))
	case strings.IndexByte("ntr", c) >= 0:
		b.WriteByte(map[byte]byte{'n': '\n', 't': '\t', 'r': '\r'}[c])
	case c == '\n':
	case c == '\\' || c == '\'' || c == '"':
		b.WriteByte(c)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return nil
}
