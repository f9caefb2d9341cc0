package query

import (
	"strings"

	"parley/interp/build"
	"parley/interp/load"
	"parley/lang/ast"
	"parley/lang/lex"
)

// further are the words that an item can go on with behind a value, by the word that
// it begins with and, where that has several meanings, by its place.
var further = map[string][]string{
	"use": {"as"}, "file attack": {"at"}, "tasks": {"where", "limit", "sample", "seed"}, "turns": {"limit"},
	"repeat": {"until"}, "for": {"in"}, "require": {"else"}, "tool": {"reads", "writes"}, "allow": {"by", "when"},
	"append": {"with", "when"}, "prepend": {"with", "when"}, "replace": {"with", "when"}, "rewrite": {"with", "when"}, "insert": {"with", "when"},
	"remove": {"when"}, "drop": {"when"}, "delay": {"by", "when"}, "add": {"like"},
	"tools": {"limit", "then"}, "replies": {"try", "else"}, "where": {"try", "else"},
	"rate": {"per", "by", "given", "lower", "higher"}, "grade": {"per", "by", "given", "lower", "higher"}, "mean": {"per", "by", "given", "lower", "higher"},
	"median": {"per", "by", "given", "lower", "higher"}, "sum": {"per", "by", "given", "lower", "higher"}, "value": {"by", "lower", "higher"},
	"scenario attack": {"on"}, "defense": {"on"}, "model": {"for"}, "baseline": {"corpus"}, "sweep": {"for", "in"}, "before": {"when"}, "after": {"when"},
	"script": {"in"}, "reply": {"when"}, "call": {"when"}, "experiment score": {"across"},
}

// furtherWords offers the words that an item goes on with.
func (a *asker) furtherWords(rank int) {
	first := a.text(0)
	list, ok := further[string(a.spot.in)+" "+first]
	if !ok {
		list = further[first]
	}
	for _, w := range list {
		if !a.said(w) {
			a.add(WordItem, rank, w, "", "")
		}
	}
	if a.afterWord("lower", "higher") {
		a.words("is better")
	}
}

// goesOn offers what the item before the cursor can go on with, where the cursor
// stands on its last line.
func (a *asker) goesOn() {
	tokens := a.f.layout().Tokens
	for _, it := range a.spot.body.Items {
		if it.To <= it.From || it.To > len(tokens) || tokens[it.To-1].End > a.at {
			continue
		}
		between := a.f.main.Source.Text[tokens[it.To-1].End:a.at]
		if strings.Contains(between, "\n") || strings.TrimSpace(between) != "" {
			continue
		}
		a.before = tokens[it.From:it.To]
		a.furtherWords(-1)
	}
}

// clause completes behind the first word of an item.
func (a *asker) clause() {
	if a.refClause() || a.placeClause() {
		return
	}
	if a.spot.expr != nil {
		a.expression()
		return
	}
	if a.afterValue() {
		a.furtherWords(0)
		return
	}
	a.expression()
}

// refKinds are the items that name declarations, by place and first word.
func refKind(in lex.Place, first string) load.Kind {
	switch in {
	case lex.InScenario:
		switch first {
		case "team", "baseline":
			return load.Team
		case "workspace":
			return load.Workspace
		case "attack":
			return load.Attack
		case "defense":
			return load.Defense
		case "verify":
			return load.Verify
		case "score":
			return load.Score
		case "judge":
			return load.Judge
		case "tasks":
			return load.Tasks
		}
	case lex.InExperiment, lex.InTest:
		switch first {
		case "scenario":
			return load.Scenario
		case "attack":
			return load.Attack
		case "defense":
			return load.Defense
		case "tasks":
			return load.Tasks
		}
	}
	return ""
}

// refClause completes the name of a declaration and its arguments.
func (a *asker) refClause() bool {
	first := a.text(0)
	kind := refKind(a.spot.in, first)
	if a.spot.in == lex.InExperiment && first == "sweep" && a.said("in") {
		kind = load.Kind(a.text(1))
		if kind != load.Team && kind != load.Attack && kind != load.Defense {
			return false
		}
		if a.text(-1) == "[" {
			a.refs(kind)
			return true
		}
	}
	if kind == "" {
		return false
	}
	if _, path, open, rest := a.inside(); open == "(" {
		return a.arguments(kind, path, rest)
	}
	if a.afterWord("on", "corpus") {
		a.symbols(0, a.all(Agent))
		a.sets()
		return true
	}
	if a.said("on", "where", "limit", "sample", "seed", "corpus") {
		return false
	}
	if len(a.before) == 1 || a.text(-1) == "," || a.text(-1) == "." || a.afterWord("any") {
		a.refs(kind)
		if first == "defense" {
			a.words("none")
		}
		return true
	}
	return false
}

// refs are the declarations of a kind: of the file, and of the import before the dot.
func (a *asker) refs(kind load.Kind) {
	if chain := a.chain(); len(chain) > 0 {
		if m := imported(a.f.main, chain[len(chain)-1]); m != nil {
			a.declarations(m, kind, "", 0)
		}
		return
	}
	a.declarations(a.f.main, kind, "", 0)
	for _, imp := range a.f.main.Imports() {
		if imp.Module != nil {
			a.declarations(imp.Module, kind, imp.Name+".", 1)
		}
	}
}

func (a *asker) declarations(m *load.Module, kind load.Kind, prefix string, rank int) {
	ix := a.r.n.byName[m.Name]
	if ix == nil {
		return
	}
	for _, d := range m.File.Decls {
		if sym := ix.decls[d]; sym != nil && sym.Kind == Kind(kind) {
			doc := sym.Doc
			if doc == "" {
				doc = aboutOf(sym)
			}
			a.add(ItemKind(kind), rank, prefix+sym.Name, sym.Form, doc)
		}
	}
}

// arguments completes the arguments of a reference: names of parameters, then values.
func (a *asker) arguments(kind load.Kind, path []string, rest []lex.Token) bool {
	var names []*ast.Ident
	for _, p := range path {
		names = append(names, &ast.Ident{Name: p})
	}
	d := a.r.n.target(a.f.main, kind, names)
	if d == nil {
		return false
	}
	s := a.r.n.decls[d].spaces[d]
	begins := len(rest) == 0 || rest[len(rest)-1].Text == ","
	if begins {
		given := map[string]bool{}
		for i := range rest {
			if i+1 < len(rest) && rest[i+1].Text == ":" {
				given[rest[i].Text] = true
			}
		}
		for _, p := range s[Parameter] {
			if !given[p.Name] {
				a.add(ItemKind(Parameter), 0, p.Name+": ", p.Form, p.Doc)
			}
		}
		return true
	}
	if rest[len(rest)-1].Text == ":" && len(rest) > 1 {
		if p := s.find(rest[len(rest)-2].Text, Parameter); p != nil && p.typ != nil {
			a.values(p.typ)
		}
	}
	a.expression()
	return true
}

// values are what a written type allows, where that is few.
func (a *asker) values(t *ast.Type) {
	switch {
	case t.Kind == ast.TypeUnion:
		for _, l := range t.Literals {
			a.add(WordItem, 0, l.Text, "", "")
		}
	case t.Kind == ast.TypeName && t.Name.Name == "bool":
		a.words("true", "false")
	case namesAgents(t):
		a.sets()
		for _, d := range a.f.main.File.Decls {
			if d.AgentSet != nil {
				for _, s := range a.r.ix.spaces[d][Agent] {
					a.symbol(1, s)
				}
			}
		}
	}
}

// sets are the sets of agents in reach.
func (a *asker) sets() {
	a.declarations(a.f.main, load.AgentSet, "", 1)
	for _, imp := range a.f.main.Imports() {
		if imp.Module != nil {
			a.declarations(imp.Module, load.AgentSet, imp.Name+".", 2)
		}
	}
}

// models are the models of the file.
func (a *asker) models() {
	a.declarations(a.f.main, load.Model, "", 0)
	for _, s := range a.r.space()[Parameter] {
		a.symbol(1, s)
	}
}

// recordFields are the fields of a written record.
func (a *asker) recordFields(t *ast.Type) {
	for t != nil && (t.Kind == ast.TypeOpt || t.Kind == ast.TypeList) {
		t = t.Elem
	}
	if t == nil {
		return
	}
	for _, f := range t.Fields {
		detail := ""
		if f.Type != nil {
			detail = oneLine(a.f.main.Source.Text[min(f.Start, len(a.f.main.Source.Text)):min(f.End, len(a.f.main.Source.Text))])
		}
		a.add(FieldItem, 0, f.Name.Name, detail, "")
	}
}

// slotsOf completes the slot of a patch by the operation and the attack's level.
func (a *asker) slotsOf() {
	op, level := a.text(0), a.levelOf()
	fits := func(s build.SlotName, at string) bool {
		if !contains(s.Operations, op) {
			return false
		}
		if s.Level == "" {
			return at == "" || at == "L1" || at == "L2"
		}
		return at == "" || s.Level == at
	}
	if name, _, open, _ := a.inside(); open == "(" {
		switch name {
		case "hole":
			a.symbols(0, a.all(Hole))
		case "tool":
			a.symbols(0, a.all(Tool))
		case "edge":
			a.symbols(0, a.all(Agent))
		default:
			a.expression()
		}
		return
	}
	if a.text(-1) == "." {
		a.slotPaths(fits, level)
		return
	}
	for _, s := range build.SlotNames() {
		if !fits(s, level) {
			continue
		}
		label := s.Head
		switch {
		case s.Head == "hole":
			label = "hole"
		case s.Path != "":
			label = s.Head + "." + s.Path
		}
		if s.Head == "tool" || s.Head == "edge" {
			label = s.Head
		}
		a.add(SlotItem, 0, label, slotDetail(s), "")
	}
	for _, s := range a.all(Agent) {
		if level != "L3" {
			a.symbol(1, s)
		}
	}
}

func slotDetail(s build.SlotName) string {
	level := s.Level
	if level == "" {
		level = "L1 of an orchestrator, L2 of others"
	}
	return strings.Join(s.Operations, ", ") + " (" + level + ")"
}

// slotPaths completes behind the dot of a slot.
func (a *asker) slotPaths(fits func(build.SlotName, string) bool, level string) {
	head := a.text(-2)
	if head == ")" {
		head = a.text(1)
	}
	if head == "output" {
		for _, s := range append(a.all(Label), a.all(Agent)...) {
			for _, t := range s.replies {
				a.recordFields(t)
			}
		}
		return
	}
	agents := head != "task" && head != "tool" && head != "edge"
	for _, s := range build.SlotNames() {
		if s.Path != "" && fits(s, level) && (s.Head == head || agents && s.Head == "agent") {
			a.add(SlotItem, 0, s.Path, slotDetail(s), "")
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
