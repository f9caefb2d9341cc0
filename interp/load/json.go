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
