package build

import (
	"reflect"

	"parley/lang/ast"
)

// eachExpr visits every expression under a part of the syntax tree.
func eachExpr(node any, visit func(*ast.Expr)) { walkTree(reflect.ValueOf(node), visit) }

func walkTree(v reflect.Value, visit func(*ast.Expr)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if e, ok := v.Interface().(*ast.Expr); ok {
			visit(e)
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
