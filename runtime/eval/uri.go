package eval

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// uriCode compiles uri("lit", x, …): what the author wrote stands as it is, what
// was put in is percent-encoded, then `.` and `..` are resolved.
func uriCode(arguments []ast.Node, parts []code) code {
	literal := make([]bool, len(arguments))
	for i, a := range arguments {
		_, literal[i] = a.(*ast.StringNode)
	}
	return func(f *frame) any {
		f.charge(1)
		args, missing := values(f, parts, false)
		if missing != nil {
			return missing
		}
		var b strings.Builder
		for i, a := range args {
			s := f.render(a).String()
			if !literal[i] {
				s = encode(s)
			}
			b.WriteString(s)
		}
		f.text(b.Len())
		return marked(resolve(b.String()), args)
	}
}

// encode writes every byte but letters, digits, - . _ ~ and / as %XX, so that
// what was put in can neither be a wildcard nor begin another scheme.
func encode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

// resolve removes `.` and `..` from the path behind the scheme. A `..` that
// would climb above the root stays, encoded, so that no rule on what lies below
// the root covers it.
func resolve(uri string) string {
	scheme, path := "", uri
	if i := strings.IndexByte(uri, ':'); i >= 0 {
		scheme, path = uri[:i+1], uri[i+1:]
	}
	root := ""
	for _, r := range []string{"//", "/"} {
		if strings.HasPrefix(path, r) {
			root = r
			break
		}
	}
	var out []string
	climbed := 0
	for _, part := range strings.Split(path, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && len(out) > climbed:
			out = out[:len(out)-1]
		case part == "..":
			out = append(out, "%2E%2E")
			climbed++
		default:
			out = append(out, part)
		}
	}
	joined := strings.Join(out, "/")
	if strings.HasSuffix(path, "/") && joined != "" {
		joined += "/"
	}
	return scheme + root + joined
}
