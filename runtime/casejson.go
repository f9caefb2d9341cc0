package runtime

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// MarshalJSON writes whole floats with a point, so that a stored plan tells 3.0
// from 3 as keys do.
func (c Case) MarshalJSON() ([]byte, error) {
	type bare Case
	b := bare(c)
	b.Fields, _ = pointed(c.Fields).(map[string]any)
	return json.Marshal(b)
}

func pointed(v any) any {
	switch x := v.(type) {
	case float64:
		text := strconv.FormatFloat(x, 'g', -1, 64)
		if math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(text, ".e") {
			return x
		}
		return json.Number(text + ".0")
	case []any:
		if x == nil {
			return x
		}
		out := make([]any, len(x))
		for i, m := range x {
			out[i] = pointed(m)
		}
		return out
	case map[string]any:
		if x == nil {
			return x
		}
		out := make(map[string]any, len(x))
		for k, m := range x {
			out[k] = pointed(m)
		}
		return out
	}
	return v
}
