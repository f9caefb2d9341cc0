package load

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// readCSV reads a file whose first line names the columns. All values are text:
// a mapping turns them into numbers where they are meant as such.
func readCSV(raw []byte) ([]Record, error) {
	r := csv.NewReader(bytes.NewReader(raw))
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the file is empty")
	}
	if err != nil {
		return nil, csvFailure("the first line", err)
	}
	header = append([]string(nil), header...)
	seen := map[string]bool{}
	for i, name := range header {
		if name == "" {
			return nil, fmt.Errorf("column %d has no name in the first line", i+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("two columns are named %q", name)
		}
		seen[name] = true
	}
	var records []Record
	for {
		row, err := r.Read()
		n := len(records) + 1
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return nil, csvFailure(fmt.Sprintf("record %d", n), err)
		}
		if n > MaxRecords {
			return nil, fmt.Errorf("the file has more than %d records", MaxRecords)
		}
		if len(row) != len(header) {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("record %d (line %d) has %d values; the first line names %d columns", n, line, len(row), len(header))
		}
		fields := make(map[string]any, len(row))
		for i, v := range row {
			fields[header[i]] = v
		}
		records = append(records, Record{N: n, Fields: fields})
	}
}

func csvFailure(where string, err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return fmt.Errorf("%s cannot be read", where)
	}
	switch {
	case errors.Is(parse.Err, csv.ErrQuote):
		return fmt.Errorf(`%s (line %d): a quote (") stands where none belongs or is not closed`, where, parse.Line)
	case errors.Is(parse.Err, csv.ErrBareQuote):
		return fmt.Errorf(`%s (line %d): a quote (") stands inside a value that is not quoted`, where, parse.Line)
	}
	return fmt.Errorf("%s (line %d) is not CSV", where, parse.Line)
}
