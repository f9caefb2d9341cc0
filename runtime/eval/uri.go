package eval

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// uriCode compiles uri("lit", x, …): what the author wrote stands as it is, what
// was put in is percent-encoded. Whether `..` climbs depends on the scheme, so it
// is left to those who compare resources.
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
		return marked(b.String(), args)
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
