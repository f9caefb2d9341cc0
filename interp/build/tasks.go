package build

import (
	"fmt"
	"strings"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/shape"
)

// taskSet is the tasks of one configuration.
type taskSet struct {
	cases    []runtime.Case
	columns  []load.Column
	owned    []owned // what inline tasks bring, by case
	sessions bool    // a case is a session of several tasks
	open     bool    // no tasks are known: a declaration is looked at on its own
	m        *load.Module
	at       ast.Span
	records  []load.Record
	files    []string // that the tasks come from
}

// owned is what a task declaration brings beside its fields.
type owned struct {
	sc     scope
	row    int
	allow  []*ast.Allow
	verify *ast.Verify
}

// dataFile is a file that was read once for all cells.
type dataFile struct {
	records []load.Record
	name    string
	err     error
}

// fields is the shape of a task, as expressions see it.
func (t *taskSet) fields() []shape.Field {
	fields := make([]shape.Field, len(t.columns))
	for i, col := range t.columns {
		fields[i] = shape.Field{Name: col.Name, Shape: col.Shape}
	}
	return fields
}

// addRecords appends records as cases.
func (t *taskSet) addRecords(records []load.Record, name func(load.Record) string) {
	offset := 0
	if len(t.cases) > 0 {
		offset = t.cases[len(t.cases)-1].Row + 1
	}
	for _, r := range records {
		t.cases = append(t.cases, runtime.Case{Row: offset + r.N - 1, Name: name(r), Fields: r.Fields, Session: t.sessions})
		t.records = append(t.records, r)
	}
}

// tasks reads the tasks of a clause.
func (c *Compiler) tasks(sc scope, clause *ast.Tasks) *taskSet {
	id := fmt.Sprintf("%p %#v", clause, c.valuesRead(sc, clause))
	if t := c.sets[id]; t != nil {
		again := *t
		return &again
	}
	t := c.readTasks(sc, clause)
	if t != nil {
		kept := *t
		c.sets[id] = &kept
	}
	return t
}

func (c *Compiler) readTasks(sc scope, clause *ast.Tasks) *taskSet {
	t := &taskSet{m: sc.m, at: clause.Span}
	if !c.addTasks(t, sc, clause, 0) {
		return nil
	}
	t.columns = t.inSession(c.prog.Files.Cache.Infer(t.records))
	return t
}

func (c *Compiler) addTasks(t *taskSet, sc scope, clause *ast.Tasks, depth int) bool {
	if depth > 8 {
		c.fail(sc.m, diag.DataUnreadable, clause.Span, "", "these tasks name each other in a circle")
		return false
	}
	if clause.Path != nil {
		return c.fileTasks(t, sc, clause)
	}
	if clause.Session != nil {
		c.fail(sc.m, diag.NotHere, clause.Session.Span, "name the file: tasks \"mails.jsonl\" session row.thread", "sessions are made of the tasks of a file")
		return false
	}
	for _, pick := range []*ast.Expr{clause.Where, clause.Limit, clause.Sample} {
		if pick != nil {
			c.fail(sc.m, diag.NotHere, pick.Span, "say it where they are declared: tasks some \"facts.jsonl\" limit 10", "where, limit and sample choose among the tasks of a file, and these have names of their own")
			return false
		}
	}
	for _, ref := range clause.Paths {
		m, decl := c.find(sc.m, load.Tasks, ref.Path)
		if decl == nil {
			return false
		}
		inner := scope{m: m, params: map[string]param{}}
		if decl.Tasks != nil {
			if !c.addTasks(t, inner, decl.Tasks, depth+1) {
				return false
			}
			continue
		}
		if !c.inlineTask(t, inner, decl.Task) {
			return false
		}
	}
	return true
}

// fileTasks reads a file, maps its records and takes the part that is asked for.
func (c *Compiler) fileTasks(t *taskSet, sc scope, clause *ast.Tasks) bool {
	path, ok := c.constantText(sc, clause.Path, "the path of a task file")
	if !ok {
		return false
	}
	file := c.read(sc.m, path)
	if file.err != nil {
		c.fail(sc.m, dataCode(file.err), clause.Path.Span, c.nearFile(sc.m, path, file.err), "%s", dataMessage(path, file.err))
		return false
	}
	records, ok := c.mapped(sc, clause, file)
	if !ok {
		return false
	}
	name := recordName
	if clause.Session != nil {
		if records, ok = c.inSessions(sc, clause.Session, file.records, records); !ok {
			return false
		}
		t.sessions, name = true, sessionName
	}
	if records, ok = c.chosen(sc, clause, records); !ok {
		return false
	}
	if len(records) == 0 {
		c.fail(sc.m, diag.DataEmpty, clause.Span, "", "no task is left: %q has %s", path, count(len(file.records), "record"))
		return false
	}
	t.addRecords(records, name)
	if !contains(t.files, file.name) {
		t.files = append(t.files, file.name)
	}
	return true
}

func (c *Compiler) read(m *load.Module, path string) dataFile {
	key := m.Name + "\x00" + path
	if f, ok := c.data[key]; ok {
		return f
	}
	records, name, err := c.prog.Data(m, path)
	f := dataFile{records, name, err}
	c.data[key] = f
	return f
}

func dataCode(err error) diag.Code {
	if strings.HasPrefix(err.Error(), "there is no") || strings.Contains(err.Error(), "cannot be read") || strings.HasPrefix(err.Error(), "cannot read") {
		return diag.DataUnreadable
	}
	return diag.DataMalformed
}

func dataMessage(path string, err error) string {
	if strings.Contains(err.Error(), fmt.Sprintf("%q", path)) {
		return err.Error()
	}
	return fmt.Sprintf("%q: %v", path, err)
}

// mapped types and applies a clause's mapping and condition.
func (c *Compiler) mapped(sc scope, clause *ast.Tasks, file dataFile) ([]load.Record, bool) {
	if len(clause.Map) == 0 && clause.Where == nil {
		return file.records, true
	}
	if len(file.records) == 0 {
		return nil, true
	}
	columns := &taskSet{columns: load.Infer(file.records)}
	p := c.place(nil, sc, noFunctions, map[string]typ{"row": recordOf("row", typing.FromFields(columns.fields()))})
	seen := map[string]bool{}
	ok := true
	for _, m := range clause.Map {
		c.once(sc.m, seen, "task field", m.Name)
		_, _, good := c.expr(p, m.Value, anyWanted, "a task field")
		ok = ok && good
	}
	if clause.Where != nil {
		_, _, good := c.expr(p, clause.Where, wantBool, "where")
		ok = ok && good
	}
	if !ok {
		return nil, false
	}
	var out []load.Record
	for _, r := range file.records {
		keep, good := c.keeps(sc, clause.Where, r)
		if !good {
			return nil, false
		}
		if !keep {
			continue
		}
		if len(clause.Map) > 0 {
			if r, good = c.mapRecord(sc, clause.Map, r); !good {
				return nil, false
			}
		}
		out = append(out, r)
	}
	return out, true
}

func (c *Compiler) keeps(sc scope, where *ast.Expr, r load.Record) (keep, ok bool) {
	if where == nil {
		return true, true
	}
	v, err := c.rowValue(sc, where, r)
	if err != nil {
		c.fail(sc.m, diag.DataEvaluation, where.Span, "", "where cannot be worked out for record %d: %v", r.N, err)
		return false, false
	}
	b, _ := v.(bool)
	return b, true
}

func (c *Compiler) mapRecord(sc scope, lets []*ast.Let, r load.Record) (load.Record, bool) {
	fields := make(map[string]any, len(lets))
	for _, m := range lets {
		v, err := c.rowValue(sc, m.Value, r)
		if err != nil {
			c.fail(sc.m, diag.DataEvaluation, m.Value.Span, "", "the task field %q cannot be worked out for record %d: %v", m.Name.Name, r.N, err)
			return r, false
		}
		fields[m.Name.Name] = v
	}
	return load.Record{N: r.N, Fields: fields}, true
}

// rowValue evaluates an expression over a record. What reads a field that the
// record lacks is nil; anything else that has no value is an error.
func (c *Compiler) rowValue(sc scope, e *ast.Expr, r load.Record) (any, error) {
	vars := sc.values()
	vars["row"] = r.Fields
	v, err := c.evaluate(e, vars)
	if err == nil {
		return v, nil
	}
	if tree, parseErr := eval.Parse(e.Cooked); parseErr == nil {
		for _, field := range fieldsRead(tree, "row") {
			if r.Fields[field] == nil {
				return nil, nil
			}
		}
	}
	return nil, err
}

// chosen takes limit and sample.
func (c *Compiler) chosen(sc scope, clause *ast.Tasks, records []load.Record) ([]load.Record, bool) {
	if clause.Limit != nil {
		first, last, ok := c.window(sc, clause.Limit)
		if !ok {
			return nil, false
		}
		records = load.Window(records, first, last)
	}
	if clause.Sample != nil {
		n, ok := c.constantInt(sc, clause.Sample, "the size of a sample", 1)
		if !ok {
			return nil, false
		}
		seed := 0
		if clause.Seed != nil {
			if seed, ok = c.constantInt(sc, clause.Seed, "a seed", 0); !ok {
				return nil, false
			}
		}
		records = load.Sample(records, n, uint64(seed))
	}
	return records, true
}

// window reads `limit 10` and `limit 10..20`.
func (c *Compiler) window(sc scope, e *ast.Expr) (first, last int, ok bool) {
	tree, err := eval.Parse(e.Cooked)
	if err != nil {
		c.fail(sc.m, diag.WrongValue, e.Span, "", "limit: %v", err)
		return 0, 0, false
	}
	ends := []int{1}
	for _, b := range bounds(tree) {
		at := *e
		at.Cooked = eval.Format(b)
		n, ok := c.constantInt(sc, &at, "a limit", 1)
		if !ok {
			return 0, 0, false
		}
		ends = append(ends, n)
	}
	first, last = ends[len(ends)-2], ends[len(ends)-1]
	if last < first {
		c.fail(sc.m, diag.WrongValue, e.Span, "", "the limit ends before it begins")
		return 0, 0, false
	}
	return first, last, true
}

// recordName is what people call a record: its id, if it has one.
func recordName(r load.Record) string {
	for _, field := range []string{"name", "id", "qid", "ID", "Id"} {
		if s, ok := r.Fields[field].(string); ok && s != "" && len(s) <= 64 {
			return s
		}
	}
	return fmt.Sprintf("#%d", r.N)
}

// inlineTask adds a declared task.
func (c *Compiler) inlineTask(t *taskSet, sc scope, decl *ast.Task) bool {
	fields := map[string]any{}
	ok := true
	if decl.Record != nil {
		v, good := c.constant(sc, decl.Record, "a task")
		record, isRecord := v.(map[string]any)
		if good && !isRecord {
			c.fail(sc.m, diag.WrongValue, decl.Record.Span, "write task { prompt: \"…\" }", "a task is a record of fields")
		}
		if !good || !isRecord {
			return false
		}
		fields = record
	}
	seen := map[string]bool{}
	for _, f := range decl.Fields {
		c.once(sc.m, seen, "task field", f.Name)
		v, good := c.constant(sc, f.Value, fmt.Sprintf("the task field %q", f.Name.Name))
		fields[f.Name.Name] = v
		ok = ok && good
	}
	name := "task"
	if decl.Name != nil {
		name = decl.Name.Name
	}
	t.addRecords([]load.Record{{N: 1, Fields: fields}}, func(load.Record) string { return name })
	if len(decl.Allow) > 0 || decl.Verify != nil {
		t.owned = append(t.owned, owned{sc: sc, row: t.cases[len(t.cases)-1].Row, allow: decl.Allow, verify: decl.Verify})
	}
	return ok
}

// parseLimit reads a limit from the command line: 10, 10-20 or 10..20.
func parseLimit(text string) (first, last int, ok bool) {
	text = strings.ReplaceAll(text, "..", "-")
	if n, err := fmt.Sscanf(text, "%d-%d", &first, &last); err == nil && n == 2 {
		return first, last, first >= 1 && last >= first && text == fmt.Sprintf("%d-%d", first, last)
	}
	if n, err := fmt.Sscanf(text, "%d", &last); err == nil && n == 1 {
		return 1, last, last >= 1 && text == fmt.Sprint(last)
	}
	return 0, 0, false
}

// limited keeps a window of the cases, by position.
func (t *taskSet) limited(first, last int) *taskSet {
	out := *t
	out.cases, out.records = nil, nil
	for i := range t.cases {
		if i+1 >= first && i+1 <= last {
			out.cases = append(out.cases, t.cases[i])
			out.records = append(out.records, t.records[i])
		}
	}
	out.columns = out.inSession(load.Infer(out.records))
	return &out
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
