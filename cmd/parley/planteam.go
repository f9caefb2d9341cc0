package main

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
)

// printTeam shows who is there, who hears whom and who speaks when.
func printTeam(w io.Writer, p *runtime.Program) {
	fmt.Fprintln(w, "  agents:")
	for _, line := range agentLines(p) {
		fmt.Fprintln(w, "    "+line)
	}
	fmt.Fprintln(w, "  who hears whom:")
	if len(p.Edges) == 0 {
		fmt.Fprintln(w, "    nobody hears anybody")
	}
	for _, line := range edgeLines(p) {
		fmt.Fprintln(w, "    "+line)
	}
	fmt.Fprintln(w, "  who speaks when:")
	printStmts(w, p.Turns, "    ")
	for _, t := range p.Tools {
		if steps(t.Body) {
			fmt.Fprintf(w, "    in the tool %s:\n", diag.Safe(t.Name))
			printStmts(w, t.Body, "      ")
		}
	}
	if p.TurnLimit > 0 {
		fmt.Fprintf(w, "    at most %d turns\n", p.TurnLimit)
	}
	fmt.Fprintf(w, "  answer: %s\n", shorten(p.Answer.Src, 90))
}

// agentLines shows a group whose members are alike as one line.
func agentLines(p *runtime.Program) []string {
	var out []string
	for i := 0; i < len(p.Agents); i++ {
		a := p.Agents[i]
		name, words := a.Name, attrWords(p, a.Attrs, true)
		for strings.HasSuffix(a.Name, "]") && i+1 < len(p.Agents) && p.Agents[i+1].Group == a.Group && slices.Equal(attrWords(p, p.Agents[i+1].Attrs, true), words) {
			i++
			name = fmt.Sprintf("%s[%d..%d]", a.Group, a.Index, p.Agents[i].Index)
		}
		out = append(out, fmt.Sprintf("%-16s %s", diag.Safe(name), strings.Join(words, ", ")))
	}
	return out
}

func attrWords(p *runtime.Program, at runtime.Attrs, whole bool) []string {
	var words []string
	if m, ok := p.Models[at.Model]; ok && whole {
		name := modelName(m)
		for key, other := range p.Models { // two simulators: told apart by what they are
			if key != at.Model && modelName(other) == name {
				name = at.Model
				break
			}
		}
		words = append(words, "model "+oneLine(name))
	}
	if at.Temperature != nil {
		words = append(words, fmt.Sprintf("temperature %g", *at.Temperature))
	}
	if at.Tools != nil {
		t := "tools " + first(oneLine(strings.Join(at.Tools.Names, " ")), "none")
		if at.Tools.Limit > 0 && len(at.Tools.Names) > 0 {
			t += fmt.Sprintf(" (limit %d then %s)", at.Tools.Limit, at.Tools.Then)
		}
		words = append(words, t)
	}
	if at.Replies != nil {
		var fields []string
		for _, f := range at.Replies.Fields {
			fields = append(fields, f.Name)
		}
		words = append(words, "replies {"+strings.Join(fields, ", ")+"}")
	}
	if at.Shares != "" {
		words = append(words, "shares "+at.Shares)
	}
	if r := at.Remembers; r != nil && !r.All {
		words = append(words, fmt.Sprintf("remembers last %d", r.Last))
	}
	if at.Aside {
		words = append(words, "aside")
	}
	if !at.Handoff.Absent() {
		words = append(words, "handoff "+shorten(at.Handoff.Src, 40))
	}
	if !at.Where.Absent() {
		words = append(words, fmt.Sprintf("where %s try %d", shorten(at.Where.Src, 40), at.Try))
	}
	if !whole && !at.Prompt.Absent() {
		words = append(words, "prompt "+`"`+shorten(eval.Written(at.Prompt.Src), 60)+`"`)
	}
	return words
}

// edgeLines gathers edges by sender, groups named as such.
func edgeLines(p *runtime.Program) []string {
	group := map[string]string{}
	size := map[string]int{}
	for _, g := range p.Groups {
		size[g.Name] = len(g.Members)
		for _, m := range g.Members {
			group[m] = g.Name
		}
	}
	type pair struct{ from, to string }
	seen := map[pair]map[runtime.Edge]bool{}
	var order []pair
	for _, e := range p.Edges {
		k := pair{first(group[e.From], e.From), first(group[e.To], e.To)}
		if seen[k] == nil {
			seen[k] = map[runtime.Edge]bool{}
			order = append(order, k)
		}
		seen[k][e] = true
	}
	var out []string
	for _, k := range order {
		full := max(size[k.from], 1) * max(size[k.to], 1)
		if k.from == k.to && size[k.from] > 0 {
			full = size[k.from] * (size[k.from] - 1)
		}
		if len(seen[k]) == full {
			out = append(out, fmt.Sprintf("%s -> %s", diag.Safe(k.from), diag.Safe(k.to)))
			continue
		}
		var edges []string
		for e := range seen[k] {
			edges = append(edges, e.From+" -> "+e.To)
		}
		sort.Strings(edges)
		out = append(out, diag.Safe(strings.Join(edges, ", ")))
	}
	return out
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// printStmts shows the turn program as an outline.
func printStmts(w io.Writer, list []runtime.Stmt, margin string) {
	for _, s := range list {
		switch s.Kind {
		case runtime.StepStmt:
			who := shorten(s.Who.Src, 40)
			if s.Each {
				who = "each " + who
			}
			fmt.Fprintf(w, "%s%s: %s  %s\n", margin, s.Name, who, strings.Join(attrWords(&runtime.Program{}, s.Attrs, false), ", "))
		case runtime.RepeatStmt:
			line := "repeat"
			if !s.Expr.Absent() {
				line += " " + shorten(s.Expr.Src, 40)
			}
			if !s.Until.Absent() {
				line += " until " + shorten(s.Until.Src, 60)
			}
			fmt.Fprintln(w, margin+line)
			printStmts(w, s.Body, margin+"  ")
		case runtime.ForStmt:
			fmt.Fprintf(w, "%sfor %s in %s\n", margin, s.Name, shorten(s.Expr.Src, 60))
			printStmts(w, s.Body, margin+"  ")
		case runtime.IfStmt:
			fmt.Fprintf(w, "%sif %s\n", margin, shorten(s.Expr.Src, 60))
			printStmts(w, s.Body, margin+"  ")
			if len(s.Elses) > 0 {
				fmt.Fprintln(w, margin+"else")
				printStmts(w, s.Elses, margin+"  ")
			}
		default:
			fmt.Fprintf(w, "%s%s\n", margin, shorten(plainStmt(s), 78))
		}
	}
}

// steps reports whether a tool's body lets agents speak.
func steps(list []runtime.Stmt) bool {
	for i := range list {
		if list[i].Kind == runtime.StepStmt || steps(list[i].Body) || steps(list[i].Elses) {
			return true
		}
	}
	return false
}

// plainStmt is a statement of one line, as it is written.
func plainStmt(s runtime.Stmt) string {
	value := eval.Written(s.Expr.Src)
	switch s.Kind {
	case runtime.LetStmt:
		return "let " + s.Name + " = " + value
	case runtime.SetStmt, runtime.AppendStmt:
		var path strings.Builder
		for i, key := range s.Target {
			if i == 0 {
				path.WriteString(key.Src)
			} else {
				path.WriteString("[" + key.Src + "]")
			}
		}
		return string(s.Kind) + " " + path.String() + " = " + value
	}
	return strings.Join(strings.Fields(string(s.Kind)+" "+s.Name+" "+s.Who.Src+" "+value), " ")
}

// printPatches shows what the attack changes.
func printPatches(w io.Writer, p *runtime.Program) {
	if len(p.Patches) == 0 {
		fmt.Fprintln(w, "  no attack")
		return
	}
	fmt.Fprintln(w, "  patches:")
	for _, x := range p.Patches {
		line := x.Level + " " + x.Op + " " + slotOf(&x)
		switch {
		case x.Op == "delay":
			line += fmt.Sprintf(" by %d %s", x.Delay, x.Unit)
		case x.Call != nil:
			line += ": call " + x.Call.Tool
		case x.Model != "":
			line += " with " + x.Model + ": " + shorten(eval.Written(x.Value.Src), 70)
		case !x.Value.Absent():
			line += ": " + shorten(eval.Written(x.Value.Src), 70)
		}
		if !x.When.Absent() {
			line += " when " + shorten(x.When.Src, 50)
		}
		fmt.Fprintln(w, "    "+oneLine(line))
	}
}

// slotOf names a patch's slot, and whose it is.
func slotOf(x *runtime.Patch) string {
	name := string(x.Slot)
	switch {
	case x.Slot == runtime.SlotResource:
		return "resource(" + shorten(eval.Written(x.URI.Src), 50) + ")"
	case x.Slot == runtime.SlotEdge:
		return fmt.Sprintf("edge(%s -> %s).message%s", x.Edges[0].From, x.Edges[0].To, more(len(x.Edges)-1))
	case x.Slot == runtime.SlotDescription || x.Slot == runtime.SlotResult:
		return strings.Replace(name, "tool", "tool("+x.Name+")", 1)
	case x.Op == "add":
		return name + " " + x.Name
	case x.Name != "":
		name += "." + x.Name
	}
	if len(x.Agents) > 0 {
		name += " of " + strings.Join(x.Agents, ", ")
	}
	return name
}

func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
