package world

import (
	"fmt"
	"strings"
)

// A resource is named by a URI, scheme:path. What was interpolated into one is
// escaped, so that data can neither name another scheme, nor act as a wildcard,
// nor climb out of a folder unseen; Clean brings the whole into its one form, so
// that equal resources have equal URIs.

// Escape percent-encodes text that is put into a URI. ASCII letters and digits,
// `-._~@+=,` and `/` stay; every other byte is encoded, `%`, `*` and `:`
// included, so an encoded slash in data stays an encoded slash.
func Escape(text string) string { return escape(text, false) }

// escape encodes a text. In a written one `*` and `:` keep their meaning, and
// valid %XX stands for the encoded byte.
func escape(text string, written bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		size := 1
		if written {
			if code, ok := encoded(text[i:]); ok {
				c, size = code, 3
			}
		}
		switch {
		case size == 1 && (plainByte(c) || written && (c == '*' || c == ':')):
			b.WriteByte(c)
		case size == 3 && plainByte(c) && c != '/' && c != '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
		i += size - 1
	}
	return b.String()
}

func plainByte(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("-._~@+=,/", c) >= 0
}

// encoded reads %XX.
func encoded(text string) (byte, bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, upper(text[1])), strings.IndexByte(hexDigits, upper(text[2]))
	if high < 0 || low < 0 {
		return 0, false
	}
	return byte(high<<4 | low), true
}

const hexDigits = "0123456789ABCDEF"

func upper(c byte) byte {
	if c >= 'a' && c <= 'f' {
		return c - 'a' + 'A'
	}
	return c
}

// Clean returns the one form of a URI whose interpolated parts are escaped. In
// the schemes whose paths are folders (file, page, mail) empty and `.` parts are
// dropped and `..` is resolved. A `..` above the root stays, encoded: it names
// nothing, and no rule on what lies below the root covers it. In all other
// schemes a path is a name and not a way, so a `..` that data brought must not
// make it the name of something else; there a part of dots is encoded.
func Clean(uri string) (string, error) {
	scheme, path, ok := strings.Cut(uri, ":")
	if !ok || !validScheme(scheme) {
		return "", fmt.Errorf("a resource is written scheme:path, as in file:notes.txt; got %q", uri)
	}
	if !plain(path) {
		path = escape(path, true)
	}
	if folders(scheme) {
		path = CleanPath(path)
	}
	if strings.Contains(path, ".") {
		parts := strings.Split(path, "/")
		for i, part := range parts {
			if part == "." || part == ".." {
				parts[i] = strings.ReplaceAll(part, ".", "%2E")
			}
		}
		path = strings.Join(parts, "/")
	}
	return scheme + ":" + path, nil
}

func plain(text string) bool {
	for i := range len(text) {
		if !plainByte(text[i]) {
			return false
		}
	}
	return true
}

// CleanPath drops empty and `.` parts of a path and resolves `..`; above the
// root `..` stays. Files are found under their clean path, so that a file and
// the resource that a call names are the same thing.
func CleanPath(path string) string {
	if !strings.Contains(path, ".") && !strings.Contains(path, "//") &&
		!strings.HasPrefix(path, "/") && !strings.HasSuffix(path, "/") {
		return path
	}
	var kept []string
	for part := range strings.SplitSeq(path, "/") {
		switch {
		case part == "" || part == ".":
		case part == ".." && len(kept) > 0 && kept[len(kept)-1] != "..":
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "/")
}

func folders(scheme string) bool {
	return scheme == "file" || scheme == "page" || scheme == "mail"
}

func validScheme(scheme string) bool {
	for i := range len(scheme) {
		c := scheme[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			continue
		}
		if i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_' || c == '+' || c == '.') {
			continue
		}
		return false
	}
	return scheme != ""
}

// Unescape returns the text that an escaped URI or path stands for.
func Unescape(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if c, ok := encoded(text[i:]); ok {
			b = append(b, c)
			i += 2
			continue
		}
		b = append(b, text[i])
	}
	return string(b)
}

// Match reports whether a clean URI falls under a rule's pattern. A `*` in the
// pattern stands for any run of characters but `/`; a `*` in the URI is no
// wildcard, and being data it is encoded anyway.
func Match(pattern, uri string) bool {
	star, back := -1, 0
	p, u := 0, 0
	for u < len(uri) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, back = p, u
			p++
		case p < len(pattern) && pattern[p] == uri[u]:
			p++
			u++
		case star >= 0 && uri[back] != '/':
			back++
			p, u = star+1, back
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
