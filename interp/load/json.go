package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readJSON reads a whole document: a list of records, or one under "tasks".
func readJSON(raw []byte) ([]Record, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var whole any
	if err := dec.Decode(&whole); err != nil {
		return nil, jsonFailure(raw, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("line %d: something follows the end of the document; one record a line is the format .jsonl", lineAt(raw, dec.InputOffset()))
	}
	if name, at := twice(raw); name != "" {
		return nil, fmt.Errorf("line %d: the field %q stands twice in one record", lineAt(raw, at), name)
	}
	plain, err := plainJSON(whole, &budget{}, 0)
	if err != nil {
		return nil, err
	}
	return list(plain)
}

// readJSONLines reads one record a line; empty lines are passed over.
func readJSONLines(raw []byte) ([]Record, error) {
	var records []Record
	b := &budget{}
	for i, line := range bytes.Split(raw, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		n := len(records) + 1
		if n > MaxRecords {
			return nil, fmt.Errorf("the file has more than %d records", MaxRecords)
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("record %d (line %d): %s", n, i+1, jsonReason(err))
		}
		if _, err := dec.Token(); err != io.EOF {
			return nil, fmt.Errorf("record %d (line %d): more than one value stands in the line", n, i+1)
		}
		if name, _ := twice(line); name != "" {
			return nil, fmt.Errorf("record %d (line %d): the field %q stands twice", n, i+1, name)
		}
		plain, err := plainJSON(v, b, 0)
		if err != nil {
			return nil, inRecord(n, err)
		}
		fields, ok := plain.(map[string]any)
		if !ok {
			return nil, notRecord(n, plain)
		}
		records = append(records, Record{N: n, Fields: fields})
	}
	return records, nil
}

// plainJSON turns decoded JSON into the values of expressions: whole numbers
// become int, others float64.
func plainJSON(v any, b *budget, depth int) (any, error) {
	if err := b.take(depth); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case json.Number:
		return number(x.String())
	case []any:
		for i := range x {
			plain, err := plainJSON(x[i], b, depth+1)
			if err != nil {
				return nil, err
			}
			x[i] = plain
		}
		return x, nil
	case map[string]any:
		for k := range x {
			plain, err := plainJSON(x[k], b, depth+1)
			if err != nil {
				return nil, err
			}
			x[k] = plain
		}
		return x, nil
	}
	return v, nil
}

// twice finds a field that one record has twice, of which decoding would keep the
// last without a word. raw is valid JSON.
func twice(raw []byte) (name string, at int64) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	type level struct {
		seen map[string]bool // nil in a list
		key  bool            // a name is due
	}
	var levels []level
	for {
		t, err := dec.Token()
		if err != nil {
			return "", 0
		}
		if n := len(levels); n > 0 && levels[n-1].key {
			if key, ok := t.(string); ok {
				if levels[n-1].seen[key] {
					return key, dec.InputOffset()
				}
				levels[n-1].seen[key] = true
				levels[n-1].key = false
				continue
			}
		}
		switch t {
		case json.Delim('{'):
			levels = append(levels, level{map[string]bool{}, true})
			continue
		case json.Delim('['):
			levels = append(levels, level{})
			continue
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
		}
		if n := len(levels); n > 0 && levels[n-1].seen != nil {
			levels[n-1].key = true // the value is complete
		}
	}
}

func number(s string) (any, error) {
	if !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.Atoi(s); err == nil {
			return i, nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %s is out of range", s)
	}
	return f, nil
}

func jsonFailure(raw []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: %s", lineAt(raw, syntax.Offset), jsonReason(err))
	}
	return fmt.Errorf("line %d: %s", lineAt(raw, int64(len(raw))), jsonReason(err))
}

// jsonReason words a decoding error for people.
func jsonReason(err error) string {
	if errors.Is(err, io.EOF) {
		return "the file is empty"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "unexpected end") {
		return "the JSON ends too early"
	}
	if strings.Contains(err.Error(), "max depth") {
		return "it is nested too deeply"
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if rest, found := strings.CutPrefix(err.Error(), "invalid character "); found {
			return "not JSON: unexpected " + rest
		}
	}
	return "not JSON"
}

func lineAt(raw []byte, offset int64) int {
	if offset > int64(len(raw)) {
		offset = int64(len(raw))
	}
	return bytes.Count(raw[:offset], []byte("\n")) + 1
}
