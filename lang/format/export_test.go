package format

import "parley/lang"

// LayOut lays a right text out once, unchecked.
var LayOut = layOut

// Same reports whether two texts say the same.
func Same(a, b string) bool {
	one, _ := lang.Parse("x", []byte(a))
	other, _ := lang.Parse("x", []byte(b))
	return sameFile(one, other)
}
