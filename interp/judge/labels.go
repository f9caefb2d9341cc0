package judge

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Label is what a person said of a run. What does not name the run is empty, or -1.
type Label struct {
	Line          int // in the file, from 1
	Trial         string
	Configuration int // from 1
	Row           int
	Repeat        int // from 1
	Arm, Case     string
	Class         string
}

// labelColumns name runs; the class stands under the name of the verdict's field.
var labelColumns = []string{"trial", "configuration", "arm", "row", "case", "repeat"}

// ReadLabels reads a CSV file with a head, or lines of JSON records. field is the
// verdict's field that people judged too.
func ReadLabels(name string, data []byte, field string) ([]Label, error) {
	var out []Label
	each := labelCSV
	if strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json") {
		each = labelLines
	}
	err := each(bytes.TrimPrefix(data, []byte("\uFEFF")), func(line int, values map[string]string) error {
		l := Label{Line: line, Configuration: -1, Row: -1, Repeat: -1}
		for column, v := range values {
			if v == "" {
				continue
			}
			var err error
			switch column {
			case "trial":
				l.Trial = v
			case "arm":
				l.Arm = v
			case "case":
				l.Case = v
			case "configuration":
				l.Configuration, err = strconv.Atoi(v)
			case "row":
				l.Row, err = strconv.Atoi(v)
			case "repeat":
				l.Repeat, err = strconv.Atoi(v)
			case field:
				l.Class = v
			}
			if err != nil {
				return fmt.Errorf("line %d: %s is a whole number, and this is %q", line, column, v)
			}
		}
		if l.Class == "" {
			return nil // not labelled yet
		}
		out = append(out, l)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("no line has a value for %q", field)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out, nil
}

func labelCSV(data []byte, each func(int, map[string]string) error) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the file is empty")
	}
	if err != nil {
		return err
	}
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
	}
	if !slices.ContainsFunc(head, func(h string) bool { return slices.Contains(labelColumns, h) }) {
		return fmt.Errorf("no column names the run: one of %s", strings.Join(labelColumns, ", "))
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := r.FieldPos(0)
		values := map[string]string{}
		for i, v := range record {
			if i < len(head) {
				values[head[i]] = strings.TrimSpace(v)
			}
		}
		if err := each(line, values); err != nil {
			return err
		}
	}
}

func labelLines(data []byte, each func(int, map[string]string) error) error {
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<20)
	for line := 1; s.Scan(); line++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		record := map[string]any{}
		d := json.NewDecoder(bytes.NewReader(s.Bytes()))
		d.UseNumber()
		if err := d.Decode(&record); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		values := map[string]string{}
		for k, v := range record {
			if v != nil {
				values[k] = fmt.Sprint(v)
			}
		}
		if err := each(line, values); err != nil {
			return err
		}
	}
	return s.Err()
}
