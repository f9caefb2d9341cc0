package query

import (
	"sort"

	"parley/interp/load"
	"parley/lang/ast"
)

// resolver finds what the names of one declaration mean.
type resolver struct {
	n  *names
	m  *load.Module
	ix *index
	d  *ast.Decl
	// out are the occurrences found so far.
	out []Occurrence
}

// scope are the names bound around an expression, innermost first.
type scope struct {
	outer *scope
	sym   *Symbol
	value thing
	tool  *ast.Tool // whose body this is
	step  []*Symbol // whose reply `reply` is
}

func (s *scope) with(sym *Symbol, value thing) *scope {
	return &scope{outer: s, sym: sym, value: value}
}

func (s *scope) find(name string) *Symbol {
	for ; s != nil; s = s.outer {
		if s.sym != nil && s.sym.Name == name {
			return s.sym
		}
	}
	return nil
}

// held is what a bound name holds, where that is known.
func (s *scope) held(name string) (thing, bool) {
	for ; s != nil; s = s.outer {
		if s.sym != nil && s.sym.Name == name {
			return s.value, len(s.value.syms) > 0 || s.value.holds != ""
		}
	}
	return thing{}, false
}

// arguments are the parameters of the tool around, by name.
func (s *scope) arguments(name string) []*Symbol {
	if sym := s.find(name); sym != nil && sym.Kind == Parameter {
		return []*Symbol{sym}
	}
	return nil
}

// speaking are the steps whose reply is looked at.
func (s *scope) speaking() []*Symbol {
	for ; s != nil; s = s.outer {
		if s.step != nil {
			return s.step
		}
	}
	return nil
}

// occurrences are all names of a file that something is known of, in order.
func (n *names) occurrences(m *load.Module) []Occurrence {
	if out, done := n.found[m]; done {
		return out
	}
	out := n.imports(m)
	for _, d := range m.File.Decls {
		out = append(out, n.within(m, d)...)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.Start < out[j].Span.Start })
	n.found[m] = out
	return out
}

// imports are the names that a file gives its imports.
func (n *names) imports(m *load.Module) []Occurrence {
	var out []Occurrence
	for _, sym := range n.byName[m.Name].uses {
		if sym.Span != sym.Whole {
			out = append(out, Occurrence{Span: sym.Span, Symbols: []*Symbol{sym}, Def: true})
		}
	}
	return out
}

// within are the names in one declaration.
func (n *names) within(m *load.Module, d *ast.Decl) []Occurrence {
	r := &resolver{n: n, m: m, ix: n.byName[m.Name], d: d}
	if sym := r.ix.decls[d]; sym != nil {
		r.define(sym)
	}
	r.node(d, nil)
	return r.out
}

func (r *resolver) add(o Occurrence) {
	if o.Span.End > o.Span.Start {
		r.out = append(r.out, o)
	}
}

func (r *resolver) define(sym *Symbol) {
	if sym != nil {
		r.add(Occurrence{Span: sym.Span, Symbols: []*Symbol{sym}, Def: true})
	}
}

// own is the symbol that a name of this declaration declares: the first of its
// kind, which others of the same name are taken for.
func (r *resolver) own(kind Kind, name *ast.Ident) {
	if name == nil {
		return
	}
	if sym := r.space().find(name.Name, kind); sym != nil {
		r.add(Occurrence{Span: name.Span, Symbols: []*Symbol{sym}, Def: sym.Span == name.Span})
	}
}

func (r *resolver) space() space { return r.ix.spaces[r.d] }

// spaceOf are the names within a declaration.
func (r *resolver) spaceOf(sym *Symbol) space {
	if ix := r.n.byName[sym.File]; ix != nil && sym.decl != nil {
		return ix.spaces[sym.decl]
	}
	return nil
}

// free are the kinds that a name by itself can be of, nearest first.
var free = []Kind{Agent, Label, Predicate, Estimate}

// lookup finds what a name means: in the scope, in the declaration, or in what it
// is used with. Without kinds it is a name by itself.
func (r *resolver) lookup(sc *scope, name string, kinds ...Kind) []*Symbol {
	alone := len(kinds) == 0
	if alone {
		if sym := sc.find(name); sym != nil {
			return []*Symbol{sym}
		}
		kinds = free
		if sym := r.space().find(name, Parameter); sym != nil {
			return []*Symbol{sym}
		}
	}
	if sym := r.space().find(name, kinds...); sym != nil {
		return []*Symbol{sym}
	}
	var out []*Symbol
	for _, s := range r.n.contexts[r.d] {
		if sym := s.find(name, kinds...); sym != nil {
			out = append(out, sym)
		}
	}
	if len(out) > 0 || !alone {
		return distinct(out)
	}
	for _, kind := range []load.Kind{load.AgentSet, load.Scenario, load.Tasks} {
		if kind == load.Scenario && r.d.Experiment == nil {
			continue
		}
		if d := r.n.target(r.m, kind, []*ast.Ident{{Name: name}}); d != nil {
			return []*Symbol{r.n.decls[d].decls[d]}
		}
	}
	if sym := r.ix.uses[name]; sym != nil {
		return []*Symbol{sym}
	}
	return nil
}

func distinct(list []*Symbol) []*Symbol {
	seen := map[id]bool{}
	var out []*Symbol
	for _, s := range list {
		if !seen[s.id()] {
			seen[s.id()] = true
			out = append(out, s)
		}
	}
	return out
}

// speakersOf are labels and, for what a step leaves to its agents, those.
func (r *resolver) speakersOf(labels []*Symbol) []*Symbol {
	out := append([]*Symbol(nil), labels...)
	for _, l := range labels {
		if len(l.replies) > 0 || l.who == nil {
			continue
		}
		for _, path := range pathsOf(l.who) {
			ix := r.n.byName[l.File]
			for d, s := range ix.spaces {
				if s[Label][l.Name] != l {
					continue
				}
				if a := s.find(path[0].Name, Agent); a != nil {
					out = append(out, a)
				}
				for _, other := range r.n.contexts[d] {
					if a := other.find(path[0].Name, Agent); a != nil {
						out = append(out, a)
					}
				}
			}
		}
	}
	return out
}

func (r *resolver) typesOf(syms []*Symbol) []placed {
	var out []placed
	for _, s := range syms {
		if s.typ != nil {
			out = append(out, placed{s.typ, r.n.byName[s.File]})
		}
	}
	return out
}

// declared is a declaration of the file, or of an import that is named first.
func (r *resolver) declared(kind load.Kind, path ...string) []*Symbol {
	var names []*ast.Ident
	for _, p := range path {
		names = append(names, &ast.Ident{Name: p})
	}
	if d := r.n.target(r.m, kind, names); d != nil {
		return []*Symbol{r.n.decls[d].decls[d]}
	}
	return nil
}

// throughAlias finds a set of agents, or tasks, of an import.
func (r *resolver) throughAlias(alias *Symbol, name string) []*Symbol {
	for _, kind := range []load.Kind{load.AgentSet, load.Tasks} {
		if d := r.n.target(r.m, kind, []*ast.Ident{{Name: alias.Name}, {Name: name}}); d != nil {
			return []*Symbol{r.n.decls[d].decls[d]}
		}
	}
	return nil
}

// scoresOf are the scores of a scenario by name, in it or in the sets it names.
func (r *resolver) scoresOf(scenario *Symbol, name string) []*Symbol {
	var out []*Symbol
	if sym := r.spaceOf(scenario).find(name, Estimate, Predicate); sym != nil {
		out = append(out, sym)
	}
	for _, s := range r.n.contexts[scenario.decl] {
		if sym := s.find(name, Estimate); sym != nil {
			out = append(out, sym)
		}
	}
	return distinct(out)
}
