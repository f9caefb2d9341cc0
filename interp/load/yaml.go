package load

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// readYAML reads a list of records, or one under `tasks`. Timestamps stay the
// text they were written as; tags and merge keys of applications are refused.
func readYAML(raw []byte) ([]Record, error) {
	var doc, next yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	switch err := dec.Decode(&doc); {
	case err == io.EOF || err == nil && len(doc.Content) == 0:
		return nil, fmt.Errorf("the file is empty")
	case err != nil:
		return nil, fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	switch err := dec.Decode(&next); {
	case err == nil && len(next.Content) > 0:
		return nil, fmt.Errorf("line %d: a second document begins; only files of one are read", next.Content[0].Line)
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	plain, err := plainYAML(doc.Content[0], &budget{}, 0)
	if err != nil {
		return nil, err
	}
	return list(plain)
}

func plainYAML(n *yaml.Node, b *budget, depth int) (any, error) {
	if err := b.take(depth); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.AliasNode:
		return plainYAML(n.Alias, b, depth+1)
	case yaml.SequenceNode:
		items := make([]any, len(n.Content))
		for i, c := range n.Content {
			v, err := plainYAML(c, b, depth+1)
			if err != nil {
				return nil, err
			}
			items[i] = v
		}
		return items, nil
	case yaml.MappingNode:
		fields := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("line %d: a field's name must be text", key.Line)
			}
			if key.Tag == "!!merge" {
				return nil, fmt.Errorf("line %d: merge keys (<<) are not read", key.Line)
			}
			if _, twice := fields[key.Value]; twice {
				return nil, fmt.Errorf("line %d: the field %q stands twice", key.Line, key.Value)
			}
			v, err := plainYAML(n.Content[i+1], b, depth+1)
			if err != nil {
				return nil, err
			}
			fields[key.Value] = v
		}
		return fields, nil
	}
	return scalarYAML(n)
}

func scalarYAML(n *yaml.Node) (any, error) {
	switch n.Tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int":
		i, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 0)
		if err != nil {
			return nil, fmt.Errorf("line %d: the number %s is out of range", n.Line, n.Value)
		}
		return int(i), nil
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil {
			return nil, fmt.Errorf("line %d: the number %s cannot be read", n.Line, n.Value)
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("line %d: %s is no number that can be worked with", n.Line, n.Value)
		}
		return f, nil
	case "!!str", "!!timestamp", "!!binary":
		return n.Value, nil
	}
	return nil, fmt.Errorf("line %d: the tag %s is not read", n.Line, n.Tag)
}
