package build

import (
	"parley/interp/typing"
	"parley/runtime/shape"
)

// typ is the type of what a name holds in an expression. Types are built from
// the declarations of one plan, so they never disagree with what the engine gives.
type typ = typing.Type

var (
	openType   = typing.OpenType
	intType    = typing.IntType
	numberType = typing.NumberType
	boolType   = typing.BoolType
	textType   = typing.StringType
	agentType  = typing.AgentType
	filesType  = typing.TableOf(typing.StringType)
)

func listOf(elem typ) typ         { return typing.ListOf(elem) }
func optional(t typ) typ          { return t.Maybe() }
func either(a, b typ) typ         { return typing.Either(a, b) }
func isList(t typ) bool           { return t.Kind == typing.List || t.Kind == typing.Group }
func shapeType(s shape.Shape) typ { return typing.FromShape(s) }

func recordOf(name string, fields map[string]typ) typ { return typing.RecordOf(name, fields) }

// elemOf is the type of a list's elements.
func elemOf(t typ) typ {
	switch {
	case t.Kind == typing.Group:
		return agentType
	case t.Elem != nil:
		return *t.Elem
	}
	return openType
}

// settable is the type of a name that is bound to a value of type t and may be
// set to another: what starts as nil may become anything.
func settable(t typ) typ {
	switch {
	case t.Kind == typing.Nil:
		return openType
	case t.Name == "" && t.Values != nil:
		t.Values = nil
	}
	return t
}

// mailIn is a mail of the world.
var mailIn = recordOf("mail", map[string]typ{"id": textType, "from": textType, "subject": textType, "body": textType})

var documentType = recordOf("document", map[string]typ{"id": optional(textType), "title": optional(textType), "text": textType})
