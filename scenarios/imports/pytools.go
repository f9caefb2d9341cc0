package imports

import (
	"strings"
)

// pyFunc is a function of a Python source, as far as a tool needs it.
type pyFunc struct {
	name, about, class string
	params             []pyParam
	returns            []textPart // where it returns one text that is written out
}

// pyParam is an argument, with its type in Parley's words.
type pyParam struct {
	name, kind, about string
	optional          bool
}

// textPart is a piece of a text: words, or the value of an argument.
type textPart struct{ text, param string }

// pySource is what a Python file says of tools: functions, who has which, and
// which are there for attacks.
type pySource struct {
	funcs   []pyFunc
	owners  map[string][]string // under a key of a table, what its value names
	attacks []string
}

// readPython reads a source.
func readPython(src string) (pySource, error) {
	lines, err := pyLines(src)
	out := pySource{owners: map[string][]string{}}
	if err != nil {
		return out, err
	}
	class, classAt := "", -1
	for i := 0; i < len(lines); {
		line := lines[i]
		if line.indent <= classAt {
			class, classAt = "", -1
		}
		i++
		switch t := line.tokens; {
		case t[0].word("class") && len(t) > 1 && t[1].kind == pyName:
			class, classAt = t[1].text, line.indent
		case isDef(t):
			body := i
			for i < len(lines) && lines[i].indent > line.indent {
				i++
			}
			if f, ok := readDef(t, lines[body:i]); ok {
				f.class = class
				out.funcs = append(out.funcs, f)
			}
		default:
			out.table(t)
		}
	}
	return out, nil
}

func isDef(t []pyToken) bool {
	return t[0].word("def") || t[0].word("async") && len(t) > 1 && t[1].word("def")
}

// readDef reads a function: its head, and of its body the comment and the first
// text that it returns.
func readDef(head []pyToken, body []pyLine) (pyFunc, bool) {
	if head[0].word("async") {
		head = head[1:]
	}
	if len(head) < 4 || head[1].kind != pyName || !head[2].is("(") {
		return pyFunc{}, false
	}
	end := closing(head, 2)
	if end < 0 {
		return pyFunc{}, false
	}
	f := pyFunc{name: head[1].text}
	for _, p := range splitAt(head[3:end], ",") {
		if param, ok := readParam(p); ok {
			f.params = append(f.params, param)
		}
	}
	for i := end + 1; i < len(head); i++ {
		if head[i].is(":") && i+1 < len(head) {
			body = append([]pyLine{{tokens: head[i+1:]}}, body...)
			break
		}
	}
	if len(body) > 0 && onlyTexts(body[0].tokens) {
		for _, t := range body[0].tokens {
			f.about += t.text
		}
		f.about = strings.Join(strings.Fields(f.about), " ")
	}
	for _, line := range body {
		if t := line.tokens; t[0].word("return") {
			f.returns = returned(t[1:], f.params)
			break
		}
	}
	return f, true
}

// closing is where the bracket that opens at a place closes; -1 if it does not.
func closing(t []pyToken, open int) int {
	depth := 0
	for i := open; i < len(t); i++ {
		switch {
		case t[i].is("(") || t[i].is("[") || t[i].is("{"):
			depth++
		case t[i].is(")") || t[i].is("]") || t[i].is("}"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitAt cuts at a sign that stands in no bracket. Empty pieces are left out.
func splitAt(t []pyToken, sign string) [][]pyToken {
	var out [][]pyToken
	start, depth := 0, 0
	cut := func(end int) {
		if end > start {
			out = append(out, t[start:end])
		}
		start = end + 1
	}
	for i, x := range t {
		switch {
		case x.is("(") || x.is("[") || x.is("{"):
			depth++
		case x.is(")") || x.is("]") || x.is("}"):
			depth--
		case depth == 0 && x.is(sign):
			cut(i)
		}
	}
	cut(len(t))
	return out
}

// readParam reads one argument. What a caller cannot name (self, the stars and
// what they collect) is none.
func readParam(t []pyToken) (pyParam, bool) {
	if t[0].kind != pyName || t[0].word("self") || t[0].word("cls") {
		return pyParam{}, false
	}
	p := pyParam{name: t[0].text, kind: "string"}
	sides := splitAt(t[1:], "=")
	p.optional = len(sides) > 1 || len(sides) == 1 && t[1].is("=")
	if len(sides) > 0 && sides[0][0].is(":") {
		kind := readType(sides[0][1:], 0)
		p.kind, p.about, p.optional = kind.name, kind.about, p.optional || kind.optional
	}
	return p, true
}

// pyType is a type in Parley's words.
type pyType struct {
	name, about string
	optional    bool
}

// readType reads an annotation. What has no counterpart is a text.
func readType(t []pyToken, depth int) pyType {
	out := pyType{name: "string"}
	if len(t) == 0 || depth > maxNested {
		return out
	}
	if sides := splitAt(t, "|"); len(sides) > 1 {
		var rest [][]pyToken
		for _, s := range sides {
			if len(s) == 1 && s[0].word("None") {
				out.optional = true
			} else {
				rest = append(rest, s)
			}
		}
		if len(rest) == 1 {
			out.name = readType(rest[0], depth+1).name
		}
		return out
	}
	base, inner := "", []pyToken(nil)
	for i, x := range t {
		if x.kind == pyName || x.kind == pyText {
			base = x.text
		} else if x.is("[") {
			if end := closing(t, i); end > i {
				inner = t[i+1 : end]
			}
			break
		}
	}
	parts := splitAt(inner, ",")
	switch strings.ToLower(base) {
	case "int":
		out.name = "int"
	case "float", "decimal":
		out.name = "number"
	case "bool":
		out.name = "bool"
	case "optional":
		out.name, out.optional = readType(inner, depth+1).name, true
	case "annotated":
		if len(parts) > 0 {
			out = readType(parts[0], depth+1)
			for _, p := range parts[1:] {
				if p[0].kind == pyText {
					out.about = p[0].text
				}
			}
		}
	case "literal":
		out.name = union(inner)
	case "list", "sequence", "iterable", "set", "tuple":
		out.name = "[string]"
		if len(parts) > 0 {
			if of := readType(parts[0], depth+1); !strings.ContainsAny(of.name, "[|") {
				out.name = "[" + of.name + "]"
			}
		}
	}
	return out
}

// union is the type of a few texts; a plain text where there are others.
func union(t []pyToken) string {
	var words []string
	for _, p := range splitAt(t, ",") {
		if len(p) != 1 || p[0].kind != pyText {
			return "string"
		}
		if w := quoted(p[0].text); !contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "string"
	}
	return strings.Join(words, " | ")
}

func onlyTexts(t []pyToken) bool {
	for _, x := range t {
		if x.kind != pyText {
			return false
		}
	}
	return len(t) > 0
}

// returned is the text that a return names, where it is written out. In one with
// an f before it, arguments in braces stand for their values.
func returned(t []pyToken, params []pyParam) []textPart {
	for len(t) > 1 && t[0].is("(") && closing(t, 0) == len(t)-1 {
		t = t[1 : len(t)-1]
	}
	if !onlyTexts(t) {
		return nil
	}
	var out []textPart
	for _, x := range t {
		if !x.format {
			out = append(out, textPart{text: x.text})
			continue
		}
		rest := x.text
		for rest != "" {
			var part textPart
			part, rest = formatted(rest, params)
			out = append(out, part)
		}
	}
	return out
}

// formatted takes the first piece of a text with braces.
func formatted(s string, params []pyParam) (textPart, string) {
	at := strings.IndexAny(s, "{}")
	switch {
	case at < 0:
		return textPart{text: s}, ""
	case at > 0:
		return textPart{text: s[:at]}, s[at:]
	case len(s) > 1 && s[0] == s[1]:
		return textPart{text: s[:1]}, s[2:]
	}
	end := strings.IndexByte(s, '}')
	if s[0] == '}' || end < 0 {
		return textPart{text: s[:1]}, s[1:]
	}
	name, _, _ := strings.Cut(s[1:end], ":")
	name, _, _ = strings.Cut(name, "!")
	for _, p := range params {
		if p.name == strings.TrimSpace(name) {
			return textPart{param: p.name}, s[end+1:]
		}
	}
	return textPart{text: s[:end+1]}, s[end+1:]
}

// table reads an assignment that lists functions: under the names of agents, or
// as those of attacks.
func (s *pySource) table(t []pyToken) {
	if t[0].kind != pyName {
		return
	}
	eq := 1
	for eq < len(t) && !t[eq].is("=") {
		eq++
	}
	if eq+1 >= len(t) {
		return
	}
	value := t[eq+1:]
	end := closing(value, 0)
	if end != len(value)-1 {
		return
	}
	inside := value[1:end]
	if name := strings.ToLower(t[0].text); strings.Contains(name, "attack") || strings.Contains(name, "malicious") || strings.Contains(name, "adversarial") || strings.Contains(name, "harmful") {
		s.attacks = append(s.attacks, namedIn(inside)...)
		return
	}
	if !value[0].is("{") {
		return
	}
	for _, entry := range splitAt(inside, ",") {
		if len(entry) > 2 && entry[0].kind == pyText && entry[1].is(":") {
			s.owners[entry[0].text] = append(s.owners[entry[0].text], namedIn(entry[2:])...)
		}
	}
}

// namedIn are the names and texts of a value.
func namedIn(t []pyToken) []string {
	var out []string
	for _, x := range t {
		if x.kind == pyName || x.kind == pyText {
			out = append(out, x.text)
		}
	}
	return out
}
