package imports

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"unicode/utf8"
)

// Bounds on what is read.
const (
	maxFile    = 64 << 20  // bytes of one file
	maxRecords = 1_000_000 // of one file
	maxText    = 256 << 10 // bytes of one field, which is the most a Parley text holds
	maxItems   = 10_000    // elements of one list
)

// readFile reads a bounded file of UTF-8 text, without a byte-order mark.
func readFile(from fs.FS, name string) ([]byte, error) {
	f, err := from.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, why(err))
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if e := f.Close(); err == nil {
		err = e
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %s", name, why(err))
	case len(data) > maxFile:
		return nil, &Problem{File: name, Want: "at most 64 MiB", Got: "more"}
	case !utf8.Valid(data):
		return nil, &Problem{File: name, Want: "text in UTF-8", Got: "other bytes"}
	}
	return bytes.TrimPrefix(data, []byte("\uFEFF")), nil
}

// row is one record of a file, with what messages need.
type row struct {
	file   string
	n      int // from 1
	fields map[string]any
}

func (r row) problem(field, want string, got any) error {
	return &Problem{File: r.file, Record: r.n, Field: field, Want: want, Got: kind(got)}
}

// text is a field that must be a text; an empty one is refused unless it may be.
func (r row) text(name string, mayBeEmpty bool) (string, error) {
	s, ok := r.fields[name].(string)
	if !ok {
		return "", r.problem(name, "a text", r.fields[name])
	}
	if len(s) > maxText {
		return "", &Problem{File: r.file, Record: r.n, Field: name, Want: "at most 256 KiB of text", Got: "more"}
	}
	if !mayBeEmpty && strings.TrimSpace(s) == "" {
		return "", &Problem{File: r.file, Record: r.n, Field: name, Want: "a text that is not empty", Got: "an empty one"}
	}
	return s, nil
}

// texts is a field that must be a list of texts.
func (r row) texts(name string) ([]string, error) {
	list, ok := r.fields[name].([]any)
	if !ok {
		return nil, r.problem(name, "a list of texts", r.fields[name])
	}
	if len(list) > maxItems {
		return nil, &Problem{File: r.file, Record: r.n, Field: name, Want: "at most 10,000 texts", Got: "more"}
	}
	out := make([]string, 0, len(list))
	for _, v := range list {
		s, ok := v.(string)
		if !ok || len(s) > maxText {
			return nil, r.problem(name, "a list of texts of at most 256 KiB", v)
		}
		out = append(out, s)
	}
	return out, nil
}

// has reports whether a field is there and says something.
func (r row) has(name string) bool { return r.fields[name] != nil }

// readArray reads a JSON array of records.
func readArray(from fs.FS, name string) ([]row, error) {
	data, err := readFile(from, name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, &Problem{File: name, Want: "a JSON list of records", Got: "something else"}
	}
	var rows []row
	for d.More() {
		if rows, err = addRow(rows, name, d); err != nil {
			return nil, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, &Problem{File: name, Record: len(rows), Want: "the list to be closed", Got: "the end of the file"}
	}
	return someRows(rows, name)
}

// readLines reads JSON lines.
func readLines(from fs.FS, name string) ([]row, error) {
	data, err := readFile(from, name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var rows []row
	for d.More() {
		if rows, err = addRow(rows, name, d); err != nil {
			return nil, err
		}
	}
	return someRows(rows, name)
}

func addRow(rows []row, name string, d *json.Decoder) ([]row, error) {
	r := row{file: name, n: len(rows) + 1}
	if r.n > maxRecords {
		return nil, &Problem{File: name, Want: "at most a million records", Got: "more"}
	}
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, &Problem{File: name, Record: r.n, Want: "a JSON record", Got: jsonTrouble(err)}
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, &Problem{File: name, Record: r.n, Want: "a JSON record", Got: kind(v)}
	}
	r.fields = fields
	return append(rows, r), nil
}

func jsonTrouble(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("something else at byte %d", syntax.Offset)
	}
	return "the end of the file"
}

func someRows(rows []row, name string) ([]row, error) {
	if len(rows) == 0 {
		return nil, &Problem{File: name, Want: "at least one record", Got: "none"}
	}
	return rows, nil
}

// readTable reads CSV whose first line names the columns, these among them.
func readTable(columns ...string) func(fs.FS, string) ([]row, error) {
	return func(from fs.FS, name string) ([]row, error) { return readCSV(from, name, columns) }
}

func readCSV(from fs.FS, name string, columns []string) ([]row, error) {
	data, err := readFile(from, name)
	if err != nil {
		return nil, err
	}
	c := csv.NewReader(bytes.NewReader(data))
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err != nil {
		return nil, &Problem{File: name, Want: "a line that names the columns", Got: "none"}
	}
	for _, want := range columns {
		if !contains(header, want) {
			return nil, &Problem{File: name, Field: want, Want: "a column of this name", Got: "the columns " + short(strings.Join(header, ", "))}
		}
	}
	var rows []row
	for {
		line, err := c.Read()
		if errors.Is(err, io.EOF) {
			return someRows(rows, name)
		}
		r := row{file: name, n: len(rows) + 1, fields: map[string]any{}}
		switch {
		case err != nil:
			return nil, &Problem{File: name, Record: r.n, Want: "a line of CSV", Got: "quotes that do not close or stand where none may"}
		case r.n > maxRecords:
			return nil, &Problem{File: name, Want: "at most a million records", Got: "more"}
		case len(line) != len(header):
			return nil, &Problem{File: name, Record: r.n, Want: fmt.Sprintf("%d columns", len(header)), Got: fmt.Sprint(len(line))}
		}
		for i, column := range header {
			r.fields[column] = line[i]
		}
		rows = append(rows, r)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
