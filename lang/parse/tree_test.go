package parse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/lang"
	"parley/lang/ast"
)

// The trees of the files under testdata/whole, as outlines.
func TestTrees(t *testing.T) {
	files, err := filepath.Glob("testdata/whole/*.parley")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file, found := lang.Parse(filepath.Base(path), text)
			if len(found) > 0 {
				t.Error(found)
			}
			var out strings.Builder
			outline(&out, "", reflect.ValueOf(file))
			golden(t, strings.TrimSuffix(path, ".parley")+".tree", out.String())
		})
	}
}

// outline writes what is filled of a node: names as they are, expressions as
// they are cooked, everything else further in.
func outline(w *strings.Builder, indent string, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		if field.IsZero() || name == "Span" || name == "Comments" {
			continue
		}
		if field.Kind() == reflect.Slice {
			for j := range field.Len() {
				item(w, indent, name, field.Index(j))
			}
			continue
		}
		item(w, indent, name, field)
	}
}

func item(w *strings.Builder, indent, name string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case *ast.Ident:
		fmt.Fprintf(w, "%s%s %s\n", indent, name, x.Name)
	case *ast.Expr:
		fmt.Fprintf(w, "%s%s = %s\n", indent, name, x.Cooked)
	case *int:
		fmt.Fprintf(w, "%s%s %d\n", indent, name, *x)
	default:
		if v.Kind() != reflect.Pointer {
			fmt.Fprintf(w, "%s%s %q\n", indent, name, fmt.Sprint(x))
			return
		}
		fmt.Fprintf(w, "%s%s\n", indent, name)
		outline(w, indent+"  ", v)
	}
}
