package query

import (
	"parley/interp/load"
	"parley/lang/ast"
)

// Kind says what a symbol is.
type Kind string

// The kinds of symbols. Declarations have their own kinds, which are load's.
const (
	Alias     Kind = "import"
	Parameter Kind = "parameter"
	Agent     Kind = "agent"
	Label     Kind = "step"
	Tool      Kind = "tool"
	State     Kind = "state"
	Hole      Kind = "hole"
	Predicate Kind = "predicate"
	Estimate  Kind = "estimate" // a score
	TaskField Kind = "task field"
	Reply     Kind = "field of a reply"
	Variable  Kind = "variable"
)

// Symbol is something that a file gives a name.
type Symbol struct {
	Kind Kind
	Name string
	File string
	Span ast.Span // the name where it is declared
	// Whole is all of what declares it.
	Whole ast.Span
	Doc   string // the comment above it
	Form  string // how it is declared, on one line
	Std   bool   // declared in the standard library

	replies []*ast.Type // of a label: what its step replies; of an agent, in every step
	typ     *ast.Type   // of a parameter or a field
	who     *ast.Expr   // of a label: who speaks
	tool    *ast.Tool   // of a tool
	decl    *ast.Decl   // of a declaration
	module  *load.Module
}

// id tells symbols apart, also those of two readings of one file.
type id struct {
	file  string
	start int
	kind  Kind
}

func (s *Symbol) id() id { return id{s.File, s.Span.Start, s.Kind} }

// Occurrence is one place at which symbols are named: several where a name of an
// attack or a measure means agents or steps of the teams it is used with.
type Occurrence struct {
	Span    ast.Span
	Symbols []*Symbol
	Def     bool
	// Quoted says that the name stands as the text of a string.
	Quoted bool
}

// space is a set of names of one declaration, by kind.
type space map[Kind]map[string]*Symbol

func (s space) add(sym *Symbol) {
	if s[sym.Kind] == nil {
		s[sym.Kind] = map[string]*Symbol{}
	}
	if s[sym.Kind][sym.Name] == nil {
		s[sym.Kind][sym.Name] = sym
	}
}

func (s space) find(name string, kinds ...Kind) *Symbol {
	for _, k := range kinds {
		if sym := s[k][name]; sym != nil {
			return sym
		}
	}
	return nil
}
