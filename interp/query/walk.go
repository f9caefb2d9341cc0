package query

import (
	"reflect"

	"parley/lang/ast"
)

// walk visits the nodes of a syntax tree, outermost first, as long as visit says
// so of the node around them.
func walk(node any, visit func(node any) bool) { walkValue(reflect.ValueOf(node), visit) }

func walkValue(v reflect.Value, visit func(any) bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || !visit(v.Interface()) {
			return
		}
		if _, leaf := v.Interface().(*ast.Expr); leaf {
			return
		}
		walkValue(v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			switch v.Field(i).Kind() {
			case reflect.Pointer, reflect.Struct, reflect.Slice:
				walkValue(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		switch v.Type().Elem().Kind() {
		case reflect.Pointer, reflect.Struct:
		default:
			return
		}
		if stmts, ok := v.Interface().([]*ast.Stmt); ok && len(stmts) > 0 && !visit(block(stmts)) {
			return
		}
		for i := range v.Len() {
			walkValue(v.Index(i), visit)
		}
	}
}

// block is a list of statements, for which walk asks before it goes in.
type block []*ast.Stmt

// children visits what a node holds, without the node itself.
func children(node any, visit func(node any) bool) {
	v := reflect.ValueOf(node)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		walkValue(v.Elem(), visit)
	}
}
