package query

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"parley/interp/typing"
)

// Limits on how much of a type is written out.
const (
	maxDepth  = 2
	maxFields = 14
	maxValues = 8
)

// Written writes a type as the language does: [{ answer: string }], "a" | "b", int?.
func Written(t typing.Type) string { return written(t, 0) }

func written(t typing.Type, depth int) string {
	text := plainType(t, depth)
	if t.Optional && t.Kind != typing.Nil {
		if strings.Contains(text, " | ") {
			text = "(" + text + ")"
		}
		text += "?"
	}
	return text
}

func plainType(t typing.Type, depth int) string {
	switch t.Kind {
	case typing.Open, typing.Unknown, "":
		return "any"
	case typing.Nil:
		return "nil"
	case typing.Group:
		if t.Size > 0 {
			return fmt.Sprintf("agents (%d)", t.Size)
		}
		return "agents"
	case typing.Agent:
		return "agent"
	case typing.List:
		if t.Elem == nil {
			return "[any]"
		}
		return "[" + written(*t.Elem, depth) + "]"
	case typing.Table:
		if t.Elem == nil {
			return "{ text: any }"
		}
		return "{ text: " + written(*t.Elem, depth+1) + " }"
	case typing.Record:
		return writtenRecord(t, depth)
	}
	if len(t.Values) > 0 {
		return writtenValues(t)
	}
	if t.Name != "" && t.Kind == typing.String {
		return t.Name + " name"
	}
	return string(t.Kind)
}

func writtenValues(t typing.Type) string {
	var parts []string
	for i, v := range t.Values {
		if i == maxValues {
			parts = append(parts, "…")
			break
		}
		if s, ok := v.(string); ok {
			parts = append(parts, strconv.Quote(s))
		} else {
			parts = append(parts, fmt.Sprint(v))
		}
	}
	return strings.Join(parts, " | ")
}

func writtenRecord(t typing.Type, depth int) string {
	if t.Name != "" && depth > 0 || depth >= maxDepth {
		if t.Name == "" {
			return "{ … }"
		}
		return t.Name
	}
	var names []string
	for n := range t.Fields {
		names = append(names, n)
	}
	sort.Strings(names)
	var parts []string
	for i, n := range names {
		if i == maxFields {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, n+": "+written(t.Fields[n], depth+1))
	}
	text := "{ " + strings.Join(parts, ", ") + " }"
	if len(parts) == 0 {
		text = "{ }"
	}
	if t.Name != "" {
		return t.Name + " " + text
	}
	return text
}
