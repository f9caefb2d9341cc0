package pack

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sort"
	"unsafe"
)

// Values of no static type begin with a tag.
const (
	tagNil byte = iota
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText
	tagList
	tagMap
	tagExtra
	tagAgain // the number of an earlier list or map
)

// dynamic writes the values that expressions know, and the codec's extra types.
func (e *Encoder) dynamic(v reflect.Value) error {
	if v.IsNil() {
		e.body = append(e.body, tagNil)
		return nil
	}
	return e.any(v.Interface())
}

func (e *Encoder) any(v any) error {
	switch x := v.(type) {
	case nil:
		e.body = append(e.body, tagNil)
	case bool:
		if x {
			e.body = append(e.body, tagTrue)
		} else {
			e.body = append(e.body, tagFalse)
		}
	case int:
		e.body = binary.AppendVarint(append(e.body, tagInt), int64(x))
	case float64:
		e.body = binary.BigEndian.AppendUint64(append(e.body, tagFloat), math.Float64bits(x))
	case string:
		e.body = append(e.body, tagText)
		e.text(x)
	case []any:
		return e.anyList(x)
	case map[string]any:
		return e.anyMap(x)
	default:
		return e.other(reflect.ValueOf(v))
	}
	return nil
}

// other writes an extra type as it is, and what is a plain value but for the
// name of its type as that plain value.
func (e *Encoder) other(v reflect.Value) error {
	if n, ok := e.c.nodes[v.Type()]; ok && n.extra > 0 {
		e.body = binary.AppendUvarint(append(e.body, tagExtra), uint64(n.extra-1))
		return e.value(n, v)
	}
	switch v.Kind() {
	case reflect.Bool:
		return e.any(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return e.any(int(v.Int()))
	case reflect.Float32:
		return e.any(v.Float())
	case reflect.String:
		return e.any(v.String())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Interface()
		}
		e.alive = append(e.alive, list)
		return e.anyList(list)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			break
		}
		m := make(map[string]any, v.Len())
		for it := v.MapRange(); it.Next(); {
			m[it.Key().String()] = it.Value().Interface()
		}
		e.alive = append(e.alive, m)
		return e.anyMap(m)
	}
	return e.foreign(v.Interface())
}

// foreign writes a value that belongs to a program and not to a trace, such as
// an agent: as the codec's Plain has it, else as its JSON form.
func (e *Encoder) foreign(v any) error {
	if e.depth++; e.depth > maxDepth {
		return fmt.Errorf("a value is nested more than %d deep", maxDepth)
	}
	defer func() { e.depth-- }()
	if e.c.Plain != nil {
		if p, ok := e.c.Plain(v); ok {
			return e.any(p)
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("pack: a %T cannot be written: %w", v, err)
	}
	var plain any
	if err := json.Unmarshal(b, &plain); err != nil {
		return fmt.Errorf("pack: a %T cannot be written: %w", v, err)
	}
	e.alive = append(e.alive, plain)
	return e.any(plain)
}

func (e *Encoder) anyList(list []any) error {
	here := place{at: unsafe.Pointer(unsafe.SliceData(list)), len: len(list)}
	return e.once(here, len(list), func() error {
		e.body = binary.AppendUvarint(append(e.body, tagList), uint64(len(list)))
		for _, m := range list {
			if err := e.any(m); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e *Encoder) anyMap(m map[string]any) error {
	here := place{at: reflect.ValueOf(m).UnsafePointer()}
	return e.once(here, len(m), func() error {
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		sort.Strings(names)
		e.body = binary.AppendUvarint(append(e.body, tagMap), uint64(len(m)))
		for _, n := range names {
			e.text(n)
			if err := e.any(m[n]); err != nil {
				return err
			}
		}
		return nil
	})
}

// once writes a list or map, or points at where it was written before. Empty
// ones take no number.
func (e *Encoder) once(here place, size int, write func() error) error {
	if i, ok := e.shared[here]; ok {
		e.body = binary.AppendUvarint(append(e.body, tagAgain), i)
		return nil
	}
	if e.depth++; e.depth > maxDepth {
		return fmt.Errorf("a value is nested more than %d deep", maxDepth)
	}
	defer func() { e.depth-- }()
	if err := write(); err != nil {
		return err
	}
	if size > 0 {
		e.shared[here] = uint64(len(e.shared))
	}
	return nil
}

// dynamic reads what Encoder.any wrote.
func (d *Decoder) dynamic() any {
	if d.depth++; d.depth > maxDepth {
		d.fail(ErrCorrupt)
	}
	defer func() { d.depth-- }()
	if d.err != nil {
		return nil
	}
	switch d.byte() {
	case tagNil:
		return nil
	case tagFalse:
		return false
	case tagTrue:
		return true
	case tagInt:
		return int(d.int())
	case tagFloat:
		return d.float()
	case tagText:
		return d.text()
	case tagList:
		n := d.count()
		list := make([]any, 0, min(n, smallStep))
		for i := 0; i < n && d.err == nil; i++ {
			list = append(list, d.dynamic())
		}
		return d.keep(list, n)
	case tagMap:
		n := d.count()
		m := make(map[string]any, min(n, smallStep))
		for i := 0; i < n && d.err == nil; i++ {
			name := d.text()
			m[name] = d.dynamic()
		}
		return d.keep(m, n)
	case tagAgain:
		i := d.uint()
		if i >= uint64(len(d.shared)) {
			d.fail(ErrCorrupt)
			return nil
		}
		return d.shared[i]
	case tagExtra:
		i := d.uint()
		if i >= uint64(len(d.c.extra)) {
			d.fail(ErrNewer)
			return nil
		}
		v := reflect.New(d.c.extra[i].typ).Elem()
		d.value(d.c.extra[i], v)
		return v.Interface()
	}
	d.fail(ErrCorrupt)
	return nil
}

// keep numbers a list or map as Encoder.once does.
func (d *Decoder) keep(v any, size int) any {
	if size > 0 {
		d.shared = append(d.shared, v)
	}
	return v
}
