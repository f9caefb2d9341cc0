package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"parley/lang/diag"
)

// Problem says what is wrong with one place of the data.
type Problem struct {
	File   string
	Record int    // from 1; 0 where the file as a whole is meant
	Field  string // empty where the record as a whole is meant
	Want   string // what was expected there
	Got    string
}

// Error is one sentence: where, what was expected, what stands there.
func (p *Problem) Error() string {
	var where []string
	if p.Record > 0 {
		where = append(where, fmt.Sprintf("record %d", p.Record))
	}
	if p.Field != "" {
		where = append(where, fmt.Sprintf("field %q", short(p.Field)))
	}
	at := p.File
	if len(where) > 0 {
		at += ": " + strings.Join(where, ", ")
	}
	if p.Got == "" {
		return fmt.Sprintf("%s: expected %s", at, p.Want)
	}
	return fmt.Sprintf("%s: expected %s, got %s", at, p.Want, p.Got)
}

// kind names what a decoded value is, for messages.
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return fmt.Sprintf("the text %q", short(v))
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return "the number " + short(v.String())
	case []any:
		return "a list"
	case map[string]any:
		return "a record"
	}
	return "something else"
}

// short keeps a message readable whatever the data holds.
func short(s string) string {
	s = diag.Safe(s)
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// why is what went wrong with a file, without its path.
func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file"
	case errors.Is(err, fs.ErrPermission):
		return "it may not be read"
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
