package load

import (
	"fmt"

	"parley/lang/diag"
)

// Suggest words a hint with the near name, or answers "" where none is near.
func Suggest(name string, known []string) string {
	near := diag.Nearest(name, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", near)
}
