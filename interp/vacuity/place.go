package vacuity

import (
	"strconv"
	"strings"
)

// placed is one name for a place in the library: it is embedded as std/…, and its
// own tests read it as the files of a folder stdlib.
func placed(at string) string {
	if rest, ok := strings.CutPrefix(at, "stdlib/"); ok {
		return "std/" + rest
	}
	return at
}

// placeLess orders file:line:column by file, then by number.
func placeLess(a, b string) bool {
	f, l, c := placeParts(a)
	g, m, d := placeParts(b)
	switch {
	case f != g:
		return f < g
	case l != m:
		return l < m
	}
	return c < d
}

func placeParts(at string) (file string, line, column int) {
	parts := strings.Split(at, ":")
	if len(parts) < 3 {
		return at, 0, 0
	}
	line, _ = strconv.Atoi(parts[len(parts)-2])
	column, _ = strconv.Atoi(parts[len(parts)-1])
	return strings.Join(parts[:len(parts)-2], ":"), line, column
}
