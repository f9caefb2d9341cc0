package load

import (
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// Bounds on data files: they come from elsewhere and are not trusted.
const (
	MaxData      = 64 << 20 // bytes of one file
	MaxRecords   = 1_000_000
	MaxDataDepth = 64
	MaxDataNodes = 5_000_000
)

// Record is one record of a data file.
type Record struct {
	N      int // its number in the file, from 1
	Fields map[string]any
}

// Data reads a file of records by its ending: .json, .jsonl, .csv, .yaml, .yml.
// The path is seen from the module that names it; what is read stays inside the
// module's own tree. Errors are sentences that name the record.
func (p *Program) Data(from *Module, name string) (records []Record, file string, err error) {
	raw, file, err := p.read(from, name)
	if err != nil {
		return nil, file, err
	}
	if kept, ok := p.Files.Cache.records(file, raw); ok {
		return kept, file, nil
	}
	switch strings.ToLower(path.Ext(file)) {
	case ".json":
		records, err = readJSON(raw)
	case ".jsonl", ".ndjson":
		records, err = readJSONLines(raw)
	case ".csv":
		records, err = readCSV(raw)
	case ".yaml", ".yml":
		records, err = readYAML(raw)
	default:
		return nil, file, fmt.Errorf("%q is in no format that is read here: .json, .jsonl, .csv, .yaml", name)
	}
	if err != nil {
		return nil, file, err
	}
	p.Files.Cache.keep(file, raw, records)
	return records, file, nil
}

func (p *Program) read(from *Module, name string) (raw []byte, file string, err error) {
	files, dir, std := p.Files.Root, path.Dir(from.Name), from.Std
	switch {
	case std:
		files, dir = p.Files.Std, path.Dir(strings.TrimPrefix(from.Name, stdPrefix))
	case strings.HasPrefix(name, stdPrefix):
		files, dir, std, name = p.Files.Std, "", true, strings.TrimPrefix(name, stdPrefix)
	}
	clean, why := resolve(files, dir, name)
	if why != "" {
		return nil, name, fmt.Errorf("cannot read %q: %s", name, why)
	}
	raw, readErr := readCapped(files, clean, MaxData)
	if readErr != nil {
		return nil, clean, sentence(readFailure(name, readErr))
	}
	raw = trimByteOrderMark(raw)
	if !utf8.Valid(raw) {
		return nil, clean, fmt.Errorf("the file is not UTF-8 text: line %d", badLine(raw))
	}
	return raw, stdIf(std) + clean, nil
}

// sentence is an error that is already worded for people.
type sentence string

// Error returns the sentence.
func (s sentence) Error() string { return string(s) }

func trimByteOrderMark(raw []byte) []byte {
	if len(raw) >= 3 && raw[0] == 0xEF && raw[1] == 0xBB && raw[2] == 0xBF {
		return raw[3:]
	}
	return raw
}

// badLine is the first line that holds bytes outside UTF-8.
func badLine(raw []byte) int {
	line := 1
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		raw = raw[size:]
	}
	return line
}

// budget bounds how much a hostile file can unfold into.
type budget struct{ nodes int }

func (b *budget) take(depth int) error {
	b.nodes++
	if depth > MaxDataDepth {
		return fmt.Errorf("it is nested deeper than %d levels", MaxDataDepth)
	}
	if b.nodes > MaxDataNodes {
		return fmt.Errorf("it holds more than %d values", MaxDataNodes)
	}
	return nil
}

func inRecord(n int, err error) error { return fmt.Errorf("record %d: %w", n, err) }

func notRecord(n int, v any) error {
	return fmt.Errorf("record %d is %s, not a record of fields", n, describe(v))
}

func describe(v any) string {
	switch v.(type) {
	case nil:
		return "empty"
	case bool:
		return "true or false"
	case int, float64:
		return "a number"
	case string:
		return "text"
	case []any:
		return "a list"
	}
	return "a record"
}

// list takes what a whole file holds: a list of records, or a record whose only
// list stands under `tasks`.
func list(whole any) ([]Record, error) {
	if m, ok := whole.(map[string]any); ok {
		inner, has := m["tasks"]
		if !has {
			return nil, fmt.Errorf(`the file holds one record; a list of records, or one under "tasks", was expected`)
		}
		whole = inner
	}
	items, ok := whole.([]any)
	if !ok {
		return nil, fmt.Errorf("the file holds %s; a list of records was expected", describe(whole))
	}
	if len(items) > MaxRecords {
		return nil, fmt.Errorf("the file has more than %d records", MaxRecords)
	}
	records := make([]Record, len(items))
	for i, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, notRecord(i+1, item)
		}
		records[i] = Record{N: i + 1, Fields: fields}
	}
	return records, nil
}
