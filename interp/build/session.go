package build

import (
	"fmt"
	"maps"

	"parley/interp/load"
	"parley/interp/typing"
	"parley/lang/ast"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/shape"
)

// inSessions puts the records together that have one value of the session's
// expression, in the order of the file: each session is a record with the fields
// of its last task, and all of its tasks under runtime.SessionField. What has no
// value is a session of its own.
func (c *Compiler) inSessions(sc scope, by *ast.Expr, written, records []load.Record) ([]load.Record, bool) {
	columns := &taskSet{columns: load.Infer(written)}
	p := c.place(nil, sc, noFunctions, map[string]typ{"row": recordOf("row", typing.FromFields(columns.fields()))})
	if _, _, ok := c.expr(p, by, wantShown, "what the tasks of a session have in common"); !ok {
		return nil, false
	}
	rows := map[int]load.Record{}
	for _, r := range written {
		rows[r.N] = r
	}
	place := map[string]int{}
	var out []load.Record
	for _, r := range records {
		v, err := c.rowValue(sc, by, rows[r.N])
		if err != nil {
			c.fail(sc.m, diag.DataEvaluation, by.Span, "", "the session cannot be worked out for record %d: %v", r.N, err)
			return nil, false
		}
		if _, taken := r.Fields[runtime.SessionField]; taken {
			c.fail(sc.m, diag.NotHere, by.Span, "map the fields under other names", "a task of a session cannot have a field %q: there stand the session's tasks", runtime.SessionField)
			return nil, false
		}
		id := fmt.Sprint(v)
		at, known := place[id]
		if !known || v == nil {
			at = len(out)
			place[id] = at
			out = append(out, load.Record{N: r.N, Fields: map[string]any{runtime.SessionField: []any{}}})
		}
		parts := append(out[at].Fields[runtime.SessionField].([]any), r.Fields)
		out[at].Fields = maps.Clone(r.Fields)
		out[at].Fields[runtime.SessionField] = parts
	}
	return out, true
}

// sessionName is what people call a session: its first task's name.
func sessionName(r load.Record) string {
	if parts, ok := r.Fields[runtime.SessionField].([]any); ok && len(parts) > 0 {
		if fields, ok := parts[0].(map[string]any); ok {
			return recordName(load.Record{N: r.N, Fields: fields})
		}
	}
	return recordName(r)
}

// inSession takes the types of a session's tasks from all of them, not from the
// last ones alone.
func (t *taskSet) inSession(columns []load.Column) []load.Column {
	if !t.sessions {
		return columns
	}
	var parts []load.Record
	for _, r := range t.records {
		list, _ := r.Fields[runtime.SessionField].([]any)
		for _, v := range list {
			if fields, ok := v.(map[string]any); ok {
				parts = append(parts, load.Record{N: r.N, Fields: fields})
			}
		}
	}
	out := load.Infer(parts)
	task := shape.Shape{Kind: shape.Record}
	for _, col := range out {
		task.Fields = append(task.Fields, shape.Field{Name: col.Name, Shape: col.Shape})
	}
	for _, col := range columns {
		if col.Name == runtime.SessionField {
			col.Shape = shape.Shape{Kind: shape.List, Elem: &task}
			out = append(out, col)
		}
	}
	return out
}

// partType is a task of a session as it ended.
func (u *unit) partType() typ {
	fields := map[string]typ{}
	for _, f := range u.tasks.fields() {
		if f.Name != runtime.SessionField {
			fields[f.Name] = shapeType(f.Shape)
		}
	}
	return recordOf("task of a session", map[string]typ{
		"task": recordOf("task", fields), "answer": optional(u.answer), "reply": u.anyReply,
		"refused": boolType, "ended_by": textType, "turns": u.vars["turns"],
	})
}
