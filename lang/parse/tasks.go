package parse

import (
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/lang/lex"
)

type tasksNode struct {
	place
	Path  *text       `parser:"'tasks' ( @@"`
	Map   *block      `parser:"  @@?"`
	Names []*pathNode `parser:"| @@ ( ',' @@ )* )"`
	Picks []*pickNode `parser:"@@*"`
}

// pathNode is a name, perhaps of an imported file.
type pathNode struct {
	place
	Path []*word `parser:"@@ ( '.' @@ )*"`
}

type namedTasksNode struct {
	place
	Name  word        `parser:"'tasks' @@"`
	Path  text        `parser:"@@"`
	Map   *block      `parser:"@@?"`
	Picks []*pickNode `parser:"@@*"`
}

type pickNode struct {
	place
	Where   *expression `parser:"( 'where' @@"`
	Session *expression `parser:"| 'session' @@"`
	Limit   *expression `parser:"| 'limit' @@"`
	Sample  *expression `parser:"| 'sample' @@"`
	Seed    *expression `parser:"  ( 'seed' @@ )? )"`
}

type taskNode struct {
	place
	Name word  `parser:"'task' @@"`
	Body block `parser:"@@"`
}

type taskRecordNode struct {
	place
	Record block `parser:"'task' @@"`
}

var (
	tasksClauses = grammarOf[tasksNode]()
	namedTaskses = grammarOf[namedTasksNode]()
	tasksOfFile  = grammarOf[taskNode]()
	taskRecords  = grammarOf[taskRecordNode]()
)

// tasks reads the clause of a scenario or an experiment.
func (p *parser) tasks(b *body, at, to int) (*ast.Tasks, int) {
	if p.tokens[at+1].Is("{") {
		p.report(diag.Later, p.tokens[at].Span(), "a list of tasks in place is not part of this version",
			"name a data file, or tasks declared with `task name { … }`: tasks a, b")
		return nil, stuck
	}
	n, next := take(p, b, tasksClauses, at, to)
	if n == nil {
		return nil, next
	}
	t := &ast.Tasks{Span: p.spanOf(n.place)}
	for _, name := range n.Names {
		path := p.idents(name.Path)
		t.Names = append(t.Names, path[len(path)-1])
		t.Paths = append(t.Paths, &ast.Ref{Span: p.spanOf(name.place), Path: path})
	}
	if n.Path != nil {
		t.Path = p.plainExpr(*n.Path)
	}
	p.mapping(t, n.Map, n.Picks)
	return t, next
}

// namedTasks reads the declaration of a file.
func (p *parser) namedTasks(b *body, at, to int) (*ast.Tasks, int) {
	n, next := take(p, b, namedTaskses, at, to)
	if n == nil {
		return nil, next
	}
	t := &ast.Tasks{Span: p.spanOf(n.place), Name: p.ident(n.Name), Path: p.plainExpr(n.Path)}
	p.mapping(t, n.Map, n.Picks)
	return t, next
}

func (p *parser) mapping(t *ast.Tasks, fields *block, picks []*pickNode) {
	if fields != nil {
		t.Map = p.bindings(*fields, "a mapping")
	}
	order := 0
	for _, n := range picks {
		for i, pick := range []struct {
			word string
			from *expression
			into **ast.Expr
		}{{"where", n.Where, &t.Where}, {"session", n.Session, &t.Session}, {"limit", n.Limit, &t.Limit}, {"sample", n.Sample, &t.Sample}, {"seed", n.Seed, &t.Seed}} {
			if pick.from == nil {
				continue
			}
			if *pick.into != nil {
				p.report(diag.Duplicate, p.tokens[n.from()].Span(), "`"+pick.word+"` is said twice of these tasks", "one of the two has to go")
			}
			if i < order {
				p.report(diag.WrongPlace, p.tokens[n.from()].Span(), "`"+pick.word+"` stands too late here",
					"the order is `where`, `session`, `limit`, `sample`: it is the order in which tasks are chosen")
			}
			order = i
			*pick.into = p.expr(*pick.from)
		}
	}
}

// task reads `task name { … }`: any word with an expression is a field.
func (p *parser) task(b *body, at, to int) (*ast.Task, int) {
	n, next := take(p, b, tasksOfFile, at, to)
	if n == nil {
		return nil, next
	}
	t := &ast.Task{Span: p.spanOf(n.place), Name: p.ident(n.Name)}
	p.taskBody(t, n.Body)
	return t, next
}

func (p *parser) taskBody(t *ast.Task, bl block) {
	seen := map[string]bool{}
	b := &body{in: lex.InTask, title: titles[lex.InTask], formOfShape: `a field is written: prompt "…"`}
	b.shape = func(at int) bool {
		_, keyword := lex.Lookup(lex.InTask, p.tokens[at].Text)
		return !keyword
	}
	from, to := p.inner(bl)
	b.item = func(at int, word string) int {
		switch word {
		case "allow":
			a, next := p.allow(b, at, to)
			if a != nil {
				t.Allow = append(t.Allow, a)
			}
			return next
		case "verify":
			n, next := take(p, b, blocks, at, to)
			if n != nil {
				t.Verify = &ast.Verify{Span: p.spanOf(n.place), Preds: p.bindings(n.Body, titleOfVerify)}
			}
			return next
		}
		n, next := take(p, b, keyExprs, at, to)
		if n != nil {
			t.Fields = append(t.Fields, &ast.Let{Span: p.spanOf(n.place), Name: p.ident(n.Key), Value: p.expr(n.Value)})
			p.distinct(seen, n.Key)
		}
		return next
	}
	p.items(b, from, to)
}

// taskRecord reads a test's `task { field: value }`.
func (p *parser) taskRecord(b *body, at, to int) (*ast.Task, int) {
	n, next := take(p, b, taskRecords, at, to)
	if n == nil {
		return nil, next
	}
	inside := n.Record.from + 1
	if t := p.tokens[inside]; t.Kind == lex.Word && !p.tokens[inside+1].Is(":") {
		p.missing(diag.Unexpected, inside+1, "`:` is missing after `"+t.Text+"`", "in a test a task is a record: "+`task { prompt: "…", answer: "…" }`)
		return nil, next
	}
	return &ast.Task{Span: p.spanOf(n.place), Record: p.cooked(n.Record.from, n.Record.to)}, next
}
