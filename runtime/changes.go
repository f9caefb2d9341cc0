package runtime

import (
	"fmt"
	"strconv"
)

// changedAt returns a copy of v in which the place that keys lead to is replaced
// by x, or has x added to its list. What is not on the way is shared, so a state
// can be kept as it was by keeping the old value.
func changedAt(v any, keys []any, x any, appending bool, where string) (any, error) {
	if len(keys) == 0 {
		if !appending {
			return x, nil
		}
		list, ok := v.([]any)
		if !ok && v != nil {
			return nil, fmt.Errorf("%s is not a list, so nothing can be appended to it", where)
		}
		return append(list[:len(list):len(list)], x), nil
	}
	switch v := v.(type) {
	case map[string]any:
		name, ok := keys[0].(string)
		if !ok {
			return nil, fmt.Errorf("%s has fields by name", where)
		}
		old := v[name]
		changed, err := changedAt(old, keys[1:], x, appending, where+"."+name)
		if err != nil {
			return nil, err
		}
		out := make(map[string]any, len(v)+1)
		for n, y := range v {
			out[n] = y
		}
		out[name] = changed
		return out, nil
	case []any:
		i, ok := keys[0].(int)
		if ok && i < 0 {
			i += len(v)
		}
		if !ok || i < 0 || i >= len(v) {
			return nil, fmt.Errorf("%s has no element %v", where, keys[0])
		}
		changed, err := changedAt(v[i], keys[1:], x, appending, where+"["+strconv.Itoa(i)+"]")
		if err != nil {
			return nil, err
		}
		out := append([]any(nil), v...)
		out[i] = changed
		return out, nil
	}
	return nil, fmt.Errorf("%s has nothing inside it that could be changed", where)
}
