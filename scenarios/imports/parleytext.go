package imports

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// quoted writes a text as a Parley string that means exactly this text: nothing
// in it can end the string or be taken for an expression.
func quoted(s string) string { return `"` + inString(s) + `"` }

// inString is what stands between the quotes. A dollar before a brace, or at the
// end, where one may follow, is written by its number.
func inString(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '$' && (i+1 == len(runes) || runes[i+1] == '{'):
			b.WriteString(`\u0024`)
		case r < 0x10000 && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// template writes a text in which {name} stands for a hole of the workspace.
// Braces that name no hole stay what they are.
func template(s string, holes map[string]bool) string {
	var b strings.Builder
	b.WriteByte('"')
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(s, -1) {
		name := s[m[2]:m[3]]
		if !holes[name] {
			continue
		}
		b.WriteString(inString(s[at:m[0]]))
		b.WriteString("${hole." + name + "}")
		at = m[1]
	}
	b.WriteString(inString(s[at:]))
	b.WriteByte('"')
	return b.String()
}

var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_]*)\}`)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// mayName reports whether a name that data brought can stand in a .parley file.
func mayName(name string) bool {
	switch name {
	case "and", "or", "not", "in", "matches", "contains", "startsWith", "endsWith", "let", "if", "true", "false", "nil":
		return false
	}
	return identifier.MatchString(name)
}

// comment makes a text that data brought one harmless line behind //.
func comment(s string) string {
	clean := func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}
	s = strings.Join(strings.Fields(strings.Map(clean, s)), " ")
	if r := []rune(s); len(r) > 160 {
		s = string(r[:160]) + "…"
	}
	return s
}

// list writes texts as a Parley list.
func list(texts []string) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = quoted(t)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
