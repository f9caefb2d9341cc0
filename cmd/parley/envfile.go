package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

const envFileName = "env-file"

// envFileFlag declares --env-file; invoke reads it before the command runs.
func envFileFlag(f *pflag.FlagSet) {
	f.String(envFileName, "", "read NAME=value lines from this file; what the environment already has stays")
}

// withEnvFile adds the file's variables to the host's environment. No file is
// looked for where none is named: a shared folder must not choose whom a key
// goes to.
func withEnvFile(f *pflag.FlagSet, h host) (host, error) {
	fl := f.Lookup(envFileName)
	if fl == nil || fl.Value.String() == "" {
		return h, nil
	}
	path := fl.Value.String()
	file, err := os.Open(path)
	if err != nil {
		return h, fmt.Errorf("--env-file %s: %s", path, reason(err))
	}
	defer file.Close() // read only
	const most = 1 << 20
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && len(text) > most {
		err = errors.New("it is larger than a megabyte")
	}
	if err != nil {
		return h, fmt.Errorf("--env-file %s: %s", path, reason(err))
	}
	added, err := parseEnv(string(text))
	if err != nil {
		return h, fmt.Errorf("--env-file %s: %w", path, err)
	}
	return overlay(h, added), nil
}

// overlay lets added variables stand where the environment has none.
func overlay(h host, added [][2]string) host {
	getenv, environ := h.getenv, h.environ
	values := map[string]string{}
	for _, v := range added {
		values[v[0]] = v[1]
	}
	h.getenv = func(name string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return values[name]
	}
	h.environ = func() []string {
		var list []string
		for name, v := range values {
			if getenv(name) == "" {
				list = append(list, name+"="+v)
			}
		}
		if environ != nil {
			for _, line := range environ() {
				if _, v, _ := strings.Cut(line, "="); v != "" {
					list = append(list, line)
				}
			}
		}
		return list
	}
	return h
}

// parseEnv reads NAME=value lines, with `export` before and quotes around as
// people write them. Nothing is interpolated. Errors name the line and never
// show what stands in it.
func parseEnv(text string) ([][2]string, error) {
	var out [][2]string
	for i, line := range strings.Split(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "export "); ok {
			line = strings.TrimSpace(rest)
		}
		name, value, ok := strings.Cut(line, "=")
		name = strings.TrimSpace(name)
		if !ok || !isVariable(name) {
			return nil, fmt.Errorf("line %d is not NAME=value", i+1)
		}
		value, err := envValue(strings.TrimSpace(value))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, [2]string{name, value})
	}
	return out, nil
}

func isVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

var errQuote = errors.New("a quotation mark is not closed, or something stands behind the closing one")

// envValue takes off quotes, in double ones also \n, \t, \" and \\, and a comment
// behind a value without quotes.
func envValue(s string) (string, error) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		if i := strings.Index(s, " #"); i >= 0 {
			s = strings.TrimSpace(s[:i])
		}
		return s, nil
	}
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote:
			rest := strings.TrimSpace(s[i+1:])
			if rest != "" && rest[0] != '#' {
				return "", errQuote
			}
			return b.String(), nil
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case '"', '\\':
				b.WriteByte(s[i])
			default:
				b.WriteByte('\\')
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", errQuote
}
