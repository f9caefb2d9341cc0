package build

import (
	"reflect"

	"parley/lang/ast"
)

// eachExpr visits every expression under a part of the syntax tree.
func eachExpr(node any, visit func(*ast.Expr)) { walkTree(reflect.ValueOf(node), visit) }

// eachType visits every type that is a name.
func eachType(node any, visit func(*ast.Type)) {
	walkTree(reflect.ValueOf(node), func(t *ast.Type) {
		if t.Kind == ast.TypeName {
			visit(t)
		}
	})
}

// walkTree visits every T under a part of the syntax tree.
func walkTree[T any](v reflect.Value, visit func(*T)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if x, ok := v.Interface().(*T); ok {
			visit(x)
		}
		if _, leaf := v.Interface().(*ast.Expr); leaf {
			return
		}
		walkTree(v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			if k := v.Field(i).Kind(); k == reflect.Pointer || k == reflect.Slice || k == reflect.Struct {
				walkTree(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		if k := v.Type().Elem().Kind(); k != reflect.Pointer && k != reflect.Struct {
			return
		}
		for i := range v.Len() {
			walkTree(v.Index(i), visit)
		}
	}
}

// flatten takes the static choices of a declaration's body.
func flatten[T any](c *Compiler, sc scope, members []*T, choice func(*T) *ast.If[T]) []*T {
	var out []*T
	for _, m := range members {
		branch := choice(m)
		if branch == nil {
			out = append(out, m)
			continue
		}
		v, ok := c.constantAs(sc, branch.Cond, boolShape, "a condition outside turns and tools")
		if !ok {
			continue
		}
		if v.(bool) {
			out = append(out, flatten(c, sc, branch.Then, choice)...)
		} else {
			out = append(out, flatten(c, sc, branch.Else, choice)...)
		}
	}
	return out
}
