package build

import (
	"context"
	"strconv"

	"parley/runtime/eval"
	"parley/runtime/shape"
)

var boolShape = shape.Shape{Kind: shape.Bool}

// readText reads a value given as text, on the command line, by the type it has
// to have.
func readText(text string, s shape.Shape) (any, string) {
	if s.Optional && text == "nil" {
		return nil, ""
	}
	switch s.Kind {
	case shape.String:
		return text, ""
	case shape.Union:
		for _, v := range s.Values {
			if display(v) == text {
				return v, ""
			}
		}
		return nil, "must be " + nameShape(s) + ", and it is " + strconv.Quote(text)
	}
	prog, err := eval.Compile(text, nil)
	if err != nil {
		return nil, "must be " + nameShape(s) + ", and it is " + strconv.Quote(text)
	}
	v, err := prog.Eval(context.Background(), eval.Map(nil), nil)
	if err == nil {
		v, err = plain(v)
	}
	if err != nil {
		return nil, "must be " + nameShape(s) + ", and it is " + strconv.Quote(text)
	}
	return fit(v, s)
}
