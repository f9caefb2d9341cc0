package world

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

func kind(k shape.Kind) shape.Shape { return shape.Shape{Kind: k} }

func bank(t *testing.T) *World {
	t.Helper()
	payment := shape.Shape{Kind: shape.Record, Fields: []shape.Field{
		{Name: "to", Shape: kind(shape.String)},
		{Name: "amount", Shape: kind(shape.Number)},
	}}
	w := New()
	must(t, w.Declare("balance", kind(shape.Number), 1810))
	must(t, w.Declare("payments", shape.Shape{Kind: shape.List, Elem: &payment}, []any{}))
	must(t, w.Declare("log", kind(shape.String), "start."))
	must(t, w.SetFile("bills/december.txt", segment.Concat(segment.Of("Pay 98.70. ", "file"), segment.Of("Thanks.", "hole").Mark("evil/1"))))
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWrite(t *testing.T) {
	w := bank(t)
	pay := map[string]any{"to": "UK1", "amount": 5}
	must(t, w.Append("state", []any{"payments"}, pay))
	pay["to"] = "changed later"
	must(t, w.Append("state", []any{segment.Of("payments", "x")}, map[string]any{"to": segment.Of("UK2", "hole").Mark("p"), "amount": 6.5}))
	must(t, w.Set("state", []any{"payments", 0.0, "amount"}, 7))
	must(t, w.Set("state", []any{"balance"}, 1800.5))
	must(t, w.Append("state", []any{"log"}, " more"))
	want := map[string]any{
		"balance": 1800.5,
		"payments": []any{
			map[string]any{"to": "UK1", "amount": 7.0},
			map[string]any{"to": segment.Text{{Text: "UK2", Source: "hole", Payloads: []string{"p"}}}, "amount": 6.5},
		},
		"log": "start. more",
	}
	if diff := cmp.Diff(want, w.State()); diff != "" {
		t.Error(diff)
	}
	must(t, w.Set("files", []any{"notes/./a.txt"}, "one"))
	must(t, w.Append("files", []any{"notes/a.txt"}, segment.Of(" two", "agent").Mark("p")))
	got, ok := w.File("/notes/x/../a.txt")
	if !ok || got.String() != "one two" || !cmp.Equal(got.Payloads(), []string{"p"}) {
		t.Errorf("file reads %v", got)
	}
}

func TestWriteErrors(t *testing.T) {
	tests := []struct {
		root  string
		keys  []any
		value any
		add   bool
		want  string
	}{
		{"state", nil, 1, false, "begins with a field's name"},
		{"state", []any{"balanse"}, 1, false, `the state has no field "balanse"`},
		{"state", []any{0}, 1, false, "the state has no field 0"},
		{"state", []any{"balance"}, "many", false, `state.balance: expected a number, got the text "many"`},
		{"state", []any{"balance"}, 1, true, "state.balance is neither a list nor text"},
		{"state", []any{"balance", "x"}, 1, false, `state.balance has no parts, so there is no "x" in it`},
		{"state", []any{"payments", 0, "to"}, "x", false, "state.payments has 0 elements, counted from 0; there is none at 0"},
		{"state", []any{"payments", "to"}, "x", false, `state.payments is a list, and "to" is no position in it`},
		{"state", []any{"payments"}, map[string]any{"to": "x"}, true, `state.payments: the field "amount" is missing`},
		{"state", []any{"payments"}, map[string]any{"to": "x", "amount": 1, "by": 2}, true, `there is no field "by" here`},
		{"files", []any{"a.txt"}, 1, false, `files["a.txt"]: a file holds text`},
		{"files", []any{"a.txt"}, "x", true, `there is no file "a.txt"`},
		{"files", []any{"."}, "x", false, `files["."]: a file needs a name`},
		{"files", []any{3}, "x", false, "a file's path is text, got 3"},
		{"files", nil, "x", false, "a file is written as files[path]"},
		{"hole", []any{"x"}, "x", false, "hole cannot be written"},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			w := bank(t)
			before := w.Snapshot()
			err := w.write(test.root, test.keys, test.value, test.add)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if changes := Diff(before, w.Snapshot()); changes != nil {
				t.Errorf("a refused write changed %v", changes)
			}
		})
	}
}

// branch is a workspace that goes on from the same moment.
func branch(w *World) *World { return &World{shapes: w.shapes, now: w.now} }

func TestCopiesAndCheckpointsAreApart(t *testing.T) {
	w := bank(t)
	w.SetHole("note", segment.Of("hello", "hole"))
	before := w.Snapshot()
	change := func(w *World) {
		must(t, w.Append("state", []any{"payments"}, map[string]any{"to": "x", "amount": 1}))
		must(t, w.Set("state", []any{"payments", 0, "to"}, "y"))
		must(t, w.Set("files", []any{"bills/december.txt"}, "gone"))
		w.SetHole("note", nil)
	}
	copied := branch(w)
	change(copied)
	mark := w.Checkpoint()
	change(w)
	want := []Change{
		{`state.payments[0]`, nil, map[string]any{"to": "y", "amount": 1.0}},
		{`files["bills/december.txt"]`, "Pay 98.70. Thanks.", "gone"},
	}
	for _, changed := range []*World{copied, w} {
		if diff := cmp.Diff(want, Diff(before, changed.Snapshot())); diff != "" {
			t.Error(diff)
		}
	}
	w.Restore(mark)
	if changes := Diff(before, w.Snapshot()); changes != nil {
		t.Errorf("after restoring: %v", changes)
	}
	if hole := w.now.holes["note"]; hole.String() != "hello" {
		t.Error("a hole was not restored")
	}
}

// Two branches from one list must not write into the same memory.
func TestBranchesOfAListAreApart(t *testing.T) {
	w := New()
	number := kind(shape.Int)
	must(t, w.Declare("l", shape.Shape{Kind: shape.List, Elem: &number}, []any{}))
	for i := range 5 {
		must(t, w.Append("state", []any{"l"}, i))
	}
	other := branch(w)
	must(t, w.Append("state", []any{"l"}, 100))
	must(t, other.Append("state", []any{"l"}, 200))
	if diff := cmp.Diff([]any{0, 1, 2, 3, 4, 100}, w.State()["l"]); diff != "" {
		t.Error(diff)
	}
}

func TestFilesView(t *testing.T) {
	w := bank(t)
	if _, ok := w.Files().Field("missing.txt"); ok {
		t.Error("a missing file was found")
	}
	v, ok := w.Files().Field("bills/../bills/december.txt")
	if !ok || v.(segment.Text).String() != "Pay 98.70. Thanks." {
		t.Errorf("got %v", v)
	}
	if _, ok := w.File("../bills/december.txt"); ok {
		t.Error("a path above the root found a file")
	}
	if New().State() == nil {
		t.Error("an empty workspace has no empty state")
	}
}

func TestDiffOfNothing(t *testing.T) {
	got := Diff(nil, &trace.World{State: map[string]any{"a": []any{1}}})
	if diff := cmp.Diff([]Change{{"state.a", nil, []any{1}}}, got); diff != "" {
		t.Error(diff)
	}
}
