package imports

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// saidCall is a tool call as a task writes it: tool(arg, 'x', name=3).
type saidCall struct {
	agent, tool string // agent is empty where none stands before the tool
	args        []saidArg
}

// saidArg is an argument: a JSON value. A value without quotes is a text as it
// stands.
type saidArg struct {
	name  string // empty where the place names it
	value any
}

var (
	callHead = regexp.MustCompile(`^\s*(?:([A-Za-z_][A-Za-z0-9_ ]*)\.)?([A-Za-z_][A-Za-z0-9_]*)\s*(\(|$)`)
	argName  = regexp.MustCompile(`^\s*([A-Za-z_][A-Za-z0-9_]*)\s*=([^=]|$)`)
)

// readSaid reads a call. An error says what is wrong with it.
func readSaid(s string) (saidCall, error) {
	m := callHead.FindStringSubmatch(s)
	if m == nil {
		return saidCall{}, fmt.Errorf("a tool's name and its arguments in brackets")
	}
	c := saidCall{agent: strings.TrimSpace(m[1]), tool: m[2]}
	if m[3] == "" {
		return c, nil
	}
	rest := s[len(m[0]):]
	for {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if strings.HasPrefix(rest, ")") {
			if strings.Trim(rest[1:], " \t\r\n.;") != "" {
				return c, fmt.Errorf("nothing behind the call")
			}
			return c, nil
		}
		var a saidArg
		if n := argName.FindStringSubmatchIndex(rest); n != nil {
			a.name, rest = rest[n[2]:n[3]], rest[strings.IndexByte(rest, '=')+1:]
		}
		var err error
		if a.value, rest, err = argValue(rest); err != nil {
			return c, err
		}
		if c.args = append(c.args, a); len(c.args) > maxParams {
			return c, fmt.Errorf("at most %d arguments", maxParams)
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		switch {
		case strings.HasPrefix(rest, ","):
			rest = rest[1:]
		case !strings.HasPrefix(rest, ")"):
			return c, fmt.Errorf("a call whose bracket closes")
		}
	}
}

// argValue reads one argument: a literal, if a comma or the end follows it, else
// the bare words up to there.
func argValue(s string) (any, string, error) {
	lit := literal{src: s}
	if lit.value(0) == nil {
		lit.space()
		if rest := s[lit.at:]; strings.HasPrefix(rest, ",") || strings.HasPrefix(rest, ")") {
			d := json.NewDecoder(&lit.out)
			d.UseNumber()
			var v any
			return v, rest, d.Decode(&v)
		}
	}
	depth := 0
	for i, r := range s {
		switch {
		case strings.ContainsRune("([{", r):
			depth++
		case depth > 0 && strings.ContainsRune(")]}", r):
			depth--
		case depth == 0 && (r == ',' || r == ')'):
			return strings.TrimSpace(s[:i]), s[i:], nil
		}
	}
	return nil, s, fmt.Errorf("a call whose bracket closes")
}

// fits reports whether a value can be of a type as it stands, or after reading
// a text as a number.
func fits(v any, kind string) bool {
	_, ok := asKind(v, kind)
	return ok
}

// asKind is the value in a parameter's type.
func asKind(v any, kind string) (any, bool) {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch {
	case v == nil:
		return nil, false
	case kind == "string":
		return plainText(v), true
	case kind == "bool":
		if isText && (text == "true" || text == "false") {
			return text == "true", true
		}
		b, ok := v.(bool)
		return b, ok
	case kind == "int" || kind == "number":
		if isText {
			number, isNumber = json.Number(strings.TrimSpace(text)), true
		}
		if n, err := strconv.ParseInt(number.String(), 10, 52); isNumber && err == nil {
			return json.Number(strconv.FormatInt(n, 10)), true
		}
		f, err := strconv.ParseFloat(number.String(), 64)
		if !isNumber || kind == "int" || err != nil || !json.Valid([]byte(number)) || f > 1e300 || f < -1e300 {
			return nil, false
		}
		return number, true
	case strings.HasPrefix(kind, "["):
		list, ok := v.([]any)
		if !ok || len(list) > maxItems {
			return nil, false
		}
		out := make([]any, len(list))
		for i, x := range list {
			if out[i], ok = asKind(x, strings.Trim(kind, "[]")); !ok {
				return nil, false
			}
		}
		return out, true
	}
	return text, isText && contains(strings.Split(kind, " | "), quoted(text))
}

// plainText is a value as a text: a text itself, anything else as JSON.
func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
