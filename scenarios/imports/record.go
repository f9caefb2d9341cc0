package imports

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// field is one field of a record that is written, in the order it is shown.
type field struct {
	name  string
	value any // string, bool, int, nil, []string, []document, []call
}

// record is one task, case or goal. All records of a file have the same fields.
type record []field

// document is one text of a task's own corpus.
type document struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// call is one tool call. Arguments are JSON text, since a field whose form
// changes from call to call has no type in Parley.
type call struct {
	Tool string `json:"tool"`
	Args string `json:"args"`
}

// Output is what an import gives: files by name, in the order they are named.
type Output struct{ Files []File }

// File is one file of an output. Names come from this package; what data brings
// to one is letters, digits and _. A slash parts folders.
type File struct {
	Name    string
	Data    []byte
	Records int // of a task file; 0 for other files
}

// add writes records as JSON lines.
func (o *Output) add(name string, records []record) error {
	var b bytes.Buffer
	for i, r := range records {
		if err := r.write(&b); err != nil {
			return fmt.Errorf("%s: record %d cannot be written: %w", name, i+1, err)
		}
	}
	o.Files = append(o.Files, File{Name: name, Data: b.Bytes(), Records: len(records)})
	return nil
}

func (r record) write(b *bytes.Buffer) error {
	b.WriteByte('{')
	for i, f := range r {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := writeJSON(b, f.name); err != nil {
			return err
		}
		b.WriteString(": ")
		if err := writeJSON(b, f.value); err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	b.WriteString("}\n")
	return nil
}

// writeJSON writes one value without the escapes that web pages need.
func writeJSON(b *bytes.Buffer, v any) error {
	switch list := v.(type) {
	case []string:
		if list == nil {
			v = []string{}
		}
	case []document:
		if list == nil {
			v = []document{}
		}
	case []rowCall:
		if list == nil {
			v = []rowCall{}
		}
	case []call:
		if list == nil {
			v = []call{}
		}
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode ends with a line break
	return nil
}
