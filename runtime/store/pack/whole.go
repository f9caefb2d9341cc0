package pack

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
)

// Marshal writes what v points at together with its schema, so that the bytes
// stand alone. Extra types are as in New.
func Marshal(v any, extra ...any) ([]byte, error) {
	c, err := New(nil, extra, v)
	if err != nil {
		return nil, err
	}
	body, err := c.Encoder().Encode(v)
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(c.Schema())
	if err != nil {
		return nil, fmt.Errorf("pack: write the schema: %w", err)
	}
	out := binary.AppendUvarint(nil, uint64(len(head)))
	return append(append(out, head...), body...), nil
}

// Unmarshal reads what Marshal wrote into what v points at, which must be zero.
func Unmarshal(b []byte, v any, extra ...any) error {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return ErrCorrupt
	}
	var known Schema
	if err := json.Unmarshal(b[w:w+int(n)], &known); err != nil {
		return ErrCorrupt
	}
	c, err := New(known, extra, v)
	if err != nil {
		return err
	}
	return c.Decoder().Decode(string(b[w+int(n):]), v)
}
