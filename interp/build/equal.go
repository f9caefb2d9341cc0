package build

import (
	"reflect"

	"parley/runtime/shape"
)

// sameShape reports whether two shapes describe the same values.
func sameShape(a, b shape.Shape) bool { return reflect.DeepEqual(a, b) }
