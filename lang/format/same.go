package format

import (
	"reflect"
	"strings"

	"parley/lang/ast"
)

func trimmed(comment string) string { return strings.TrimRight(comment, " \t\r") }

// sameTree reports whether two files say the same: everything but places, and
// of expressions what they are cooked to.
func sameTree(a, b *ast.File) bool {
	return sameValue(reflect.ValueOf(a), reflect.ValueOf(b))
}

var (
	spanType = reflect.TypeFor[ast.Span]()
	exprType = reflect.TypeFor[ast.Expr]()
	fileType = reflect.TypeFor[ast.File]()
)

func sameValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return a.Elem().Type() == b.Elem().Type() && sameValue(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameValue(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		return sameStruct(a, b)
	}
	return a.Equal(b)
}

func sameStruct(a, b reflect.Value) bool {
	switch a.Type() {
	case spanType:
		return true
	case exprType:
		return a.FieldByName("Cooked").String() == b.FieldByName("Cooked").String()
	}
	for i := range a.NumField() {
		if a.Type() == fileType && a.Type().Field(i).Name == "Comments" {
			continue
		}
		if !sameValue(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}
