package build

import (
	"reflect"

	"parley/runtime"
)

// eachSource visits the source of every expression in a part of a plan.
func eachSource(part any, visit func(src string)) { walkPlan(reflect.ValueOf(part), visit) }

var (
	exprType = reflect.TypeOf(runtime.Expr{})
	edgeType = reflect.TypeOf(runtime.Edge{})
)

func walkPlan(v reflect.Value, visit func(string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walkPlan(v.Elem(), visit)
		}
	case reflect.Struct:
		if v.Type() == exprType {
			if src := v.Field(0).String(); src != "" {
				visit(src)
			}
			return
		}
		for i := range v.NumField() {
			walkPlan(v.Field(i), visit)
		}
	case reflect.Slice:
		if v.Type().Elem() == edgeType {
			return // a million of them hold no expression
		}
		switch v.Type().Elem().Kind() {
		case reflect.Struct, reflect.Pointer, reflect.Slice:
			for i := range v.Len() {
				walkPlan(v.Index(i), visit)
			}
		}
	case reflect.Map:
		if v.Type().Elem() != exprType {
			return
		}
		for it := v.MapRange(); it.Next(); {
			visit(it.Value().Interface().(runtime.Expr).Src)
		}
	}
}
