package interp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"parley/interp/score"
	"parley/runtime"
	"parley/runtime/store"
)

// Recalled is the suite that a stored run was made of, as it was then: nothing is
// read of its file, which may have changed since. It has no scores over scenarios.
func Recalled(m store.Meta, cells []store.Cell) (*Suite, error) {
	s := &Suite{Name: m.Name, File: m.File}
	for i, c := range cells {
		cell := &Cell{Plan: &runtime.Plan{}, Spec: &score.Spec{}}
		for _, part := range []struct {
			what string
			text []byte
			into any
		}{{"labels", []byte(c.Labels), &cell.Labels}, {"plan", c.Plan, cell.Plan}, {"scores", c.Spec, cell.Spec}} {
			if err := recall(part.text, part.into); err != nil {
				return nil, fmt.Errorf("the %s of the run's configuration %d cannot be read: %w", part.what, i+1, err)
			}
		}
		s.Cells = append(s.Cells, cell)
	}
	return s, nil
}

// recall reads JSON so that whole numbers stay whole: keys tell them from others.
func recall(text []byte, into any) error {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	return settle(reflect.ValueOf(into))
}

// settle makes an int or a float64 of every json.Number that an interface holds.
func settle(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return settle(v.Elem())
		}
	case reflect.Interface:
		return settleHeld(v)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				if err := settle(v.Field(i)); err != nil {
					return err
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := settle(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			held := reflect.New(v.Type().Elem()).Elem() // members of a map cannot be set in place
			held.Set(v.MapIndex(k))
			if err := settle(held); err != nil {
				return err
			}
			v.SetMapIndex(k, held)
		}
	}
	return nil
}

func settleHeld(v reflect.Value) error {
	switch x := v.Interface().(type) {
	case json.Number:
		n, err := number(x)
		if err != nil {
			return err
		}
		v.Set(reflect.ValueOf(n))
	case []any, map[string]any:
		return settle(reflect.ValueOf(x))
	}
	return nil
}

func number(n json.Number) (any, error) {
	if strings.ContainsAny(n.String(), ".eE") {
		return n.Float64()
	}
	i, err := n.Int64()
	return int(i), err
}
