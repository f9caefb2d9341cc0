package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/interp/picture"
	"parley/runtime"
)

var update = flag.Bool("update", false, "write the golden files")

// team makes a program of one lead and n nodes.
func team(n int, edges ...runtime.Edge) *runtime.Program {
	p := &runtime.Program{Agents: []runtime.Agent{{Name: "lead", Role: "orchestrator", About: `Says <"go">.`}}, Edges: edges, TurnLimit: 9}
	for i := 1; i <= n; i++ {
		p.Agents = append(p.Agents, runtime.Agent{Name: fmt.Sprintf("node[%d]", i), Group: "node", Index: i})
	}
	step := func(label, who string, each bool) runtime.Stmt {
		return runtime.Stmt{Kind: runtime.StepStmt, Name: label, Who: runtime.Expr{Src: who}, Each: each, Many: each}
	}
	p.Turns = []runtime.Stmt{
		step("ask", "lead", false),
		{Kind: runtime.RepeatStmt, Expr: runtime.Expr{Src: "3"}, Until: runtime.Expr{Src: `mentions(talk, "<stop>")`}, Body: []runtime.Stmt{
			step("talk", "node", true),
			{Kind: runtime.IfStmt, Expr: runtime.Expr{Src: "len(talk) > 1"}, Body: []runtime.Stmt{step("sum", "lead", false)}, Elses: []runtime.Stmt{{Kind: runtime.StopStmt, Expr: runtime.Expr{Src: `"alone"`}}}},
		}},
	}
	return p
}

func both(a, b string) []runtime.Edge { return []runtime.Edge{{From: a, To: b}, {From: b, To: a}} }

func node(i int) string { return fmt.Sprintf("node[%d]", i) }

// complete joins all nodes to one another and to the lead.
func complete(n int) []runtime.Edge {
	var out []runtime.Edge
	for i := 1; i <= n; i++ {
		out = append(out, both("lead", node(i))...)
		for k := 1; k < i; k++ {
			out = append(out, both(node(k), node(i))...)
		}
	}
	return out
}

func ring(n int) []runtime.Edge {
	var out []runtime.Edge
	for i := 1; i <= n; i++ {
		out = append(out, both(node(i), node(i%n+1))...)
	}
	return out
}

func TestGolden(t *testing.T) {
	cases := map[string]*runtime.Program{
		"four":    team(3, append(complete(2), runtime.Edge{From: "node[3]", To: "lead"})...),
		"thirty":  team(30, complete(30)...),
		"ring":    team(30, ring(30)...),
		"attack":  struck(team(12, complete(12)...), "node[1]", "node[2]"),
		"called":  calling(team(2, runtime.Edge{From: "node[1]", To: "lead"})),
		"oneedge": team(2, runtime.Edge{From: "lead", To: "node[1]"}),
	}
	writers := map[string]func(*picture.Picture, io.Writer) error{
		"txt": (*picture.Picture).Text, "mmd": (*picture.Picture).Mermaid, "svg": (*picture.Picture).SVG,
	}
	for name, p := range cases {
		for ext, write := range writers {
			t.Run(name+"."+ext, func(t *testing.T) {
				var b bytes.Buffer
				if err := write(picture.Of("team "+name, p), &b); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"."+ext, b.Bytes())
			})
		}
	}
}

// calling gives a program a tool in whose body a node has a turn, and one in whose
// body nobody has.
func calling(p *runtime.Program) *runtime.Program {
	asked := runtime.Stmt{Kind: runtime.StepStmt, Name: "assist", Who: runtime.Expr{Src: "node[n]"}}
	answer := runtime.Stmt{Kind: runtime.ReturnStmt, Expr: runtime.Expr{Src: "assist.text"}}
	p.Tools = []runtime.Tool{{Name: "delegate", Body: []runtime.Stmt{asked, answer}}, {Name: "look", Body: []runtime.Stmt{answer}}}
	return p
}

func struck(p *runtime.Program, names ...string) *runtime.Program {
	p.Patches = []runtime.Patch{{Agents: names}}
	return p
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s", file, got)
	}
}

// What is alike is drawn once, what an attack names apart from the rest, and
// members of a ring, whose neighbours differ, each for themselves.
func TestNodes(t *testing.T) {
	cases := []struct {
		name string
		p    *runtime.Program
		want string
	}{
		{"few agents each", team(3, complete(3)...), "lead node[1] node[2] node[3]"},
		{"many alike as one", team(30, complete(30)...), "lead node[1..30]+"},
		{"silent ones too", team(20), "lead node[1..20]"},
		{"attacked apart", struck(team(12, complete(12)...), "node[1]", "node[2]"), "lead node[1..2]+! node[3..12]+"},
		{"neighbours differ", team(9, ring(9)...), "lead node[1] node[2] node[3] node[4] node[5] node[6] node[7] node[8] node[9]"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var words []string
			for _, n := range picture.Of("t", c.p).Nodes {
				word := n.Name
				if n.Inside {
					word += "+"
				}
				if n.Struck {
					word += "!"
				}
				words = append(words, word)
			}
			if got := strings.Join(words, " "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Every drawing is well-formed XML, and every number in it is one.
func TestDrawingsAreWellFormed(t *testing.T) {
	for n := 0; n <= 40; n++ {
		for _, edges := range [][]runtime.Edge{nil, complete(n), ring(n), tree(n)} {
			var b bytes.Buffer
			if err := picture.Of("a & b", team(n, edges...)).SVG(&b); err != nil {
				t.Fatal(err)
			}
			if text := b.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Fatalf("%d nodes: a coordinate is no number:\n%s", n, text)
			}
			d := xml.NewDecoder(&b)
			for {
				_, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%d nodes: %v", n, err)
				}
			}
		}
	}
}

func tree(n int) []runtime.Edge {
	var out []runtime.Edge
	for i := 2; i <= n; i++ {
		out = append(out, both(node(i/2), node(i))...)
	}
	return out
}
