package main

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"parley/lang/diag"
	"parley/runtime"
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
		name := a.Name
		for a.Group != "" && i+1 < len(p.Agents) && p.Agents[i+1].Group == a.Group {
			i++
			name = fmt.Sprintf("%s[1..%d]", a.Group, p.Agents[i].Index)
		}
		out = append(out, fmt.Sprintf("%-16s %s", diag.Safe(name), strings.Join(attrWords(p, a.Attrs, true), ", ")))
	}
	return out
}

func attrWords(p *runtime.Program, at runtime.Attrs, whole bool) []string {
	var words []string
	if m, ok := p.Models[at.Model]; ok && whole {
		words = append(words, "model "+oneLine(modelName(m)))
	}
	if at.Temperature != nil {
		words = append(words, fmt.Sprintf("temperature %g", *at.Temperature))
	}
	if at.Tools != nil {
		t := "tools " + oneLine(strings.Join(at.Tools.Names, " "))
		if at.Tools.Limit > 0 {
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
	if !at.Where.Absent() {
		words = append(words, fmt.Sprintf("where %s try %d", shorten(at.Where.Src, 40), at.Try))
	}
	if !whole && !at.Prompt.Absent() {
		words = append(words, "prompt "+`"`+shorten(asWritten(at.Prompt.Src), 60)+`"`)
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
			fmt.Fprintf(w, "%s%s %s\n", margin, s.Kind, shorten(strings.TrimSpace(s.Name+" "+s.Who.Src+" "+s.Expr.Src), 70))
		}
	}
}

// printPatches shows what the attack changes.
func printPatches(w io.Writer, p *runtime.Program) {
	if len(p.Patches) == 0 {
		fmt.Fprintln(w, "  no attack")
		return
	}
	fmt.Fprintln(w, "  patches:")
	for _, x := range p.Patches {
		where := string(x.Slot)
		if x.Name != "" {
			where += "." + x.Name
		}
		if len(x.Agents) > 0 {
			where += " of " + strings.Join(x.Agents, ", ")
		}
		line := fmt.Sprintf("%s %s %s: %s", x.Level, x.Op, where, shorten(asWritten(x.Value.Src), 70))
		if !x.When.Absent() {
			line += " when " + shorten(x.When.Src, 50)
		}
		fmt.Fprintln(w, "    "+oneLine(line))
	}
}
