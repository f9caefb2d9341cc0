package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"parley/interp"
	"parley/interp/diff"
	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// against compares what a file would run with a stored run, to say why a trial is
// not stored.
type against struct {
	run      *store.Run
	old, now *interp.Suite
	pairs    map[int]int // configuration now → in the run
	gone     []string
	before   map[int]map[casePoint]store.Link // by configuration of the run
	armWhy   map[armAt][]string
	revised  func(run bool, spec model.Spec) (string, error)
}

// casePoint is a trial's place, by what stays the same when rows move.
type casePoint struct {
	task   string
	repeat int
	arm    string
}

type armAt struct {
	cell int
	arm  string
}

func (x *against) prepare(ctx context.Context, h host) error {
	inv, err := begunWith(x.run.Meta())
	if err != nil {
		return err
	}
	pairs, gone, _, _ := diff.Matched(x.old.Cells, x.now.Cells)
	for _, p := range pairs {
		x.pairs[p[1]] = p[0]
		links, err := x.run.Links(ctx, p[0])
		if err != nil {
			return err
		}
		x.before[p[0]] = map[casePoint]store.Link{}
		for _, l := range links {
			x.before[p[0]][casePoint{l.Case, l.Repeat, l.Arm}] = l
		}
	}
	for _, i := range gone {
		x.gone = append(x.gone, diff.Title(x.old, i))
	}
	then := queue.Options{Providers: recorded(h, inv, plansOf(x.old))}
	today := queue.Options{Providers: providers(plansOf(x.now), revisions(h, invocation{}))}
	x.revised = func(run bool, spec model.Spec) (string, error) {
		if run {
			return queue.Revision(spec, then)
		}
		return queue.Revision(spec, today)
	}
	return nil
}

// has reports whether the run holds a trial that can be taken over.
func (x *against) has(ctx context.Context, trial string) (bool, error) {
	outcome, ok, err := x.run.Outcome(ctx, trial)
	return ok && outcome != trace.Errored, err
}

// reasons say why a trial is not stored, those of its arm first.
func (x *against) reasons(ctx context.Context, l store.Link) []string {
	cell, paired := x.pairs[l.Cell]
	if !paired {
		return []string{"this configuration is new"}
	}
	at := armAt{l.Cell, l.Arm}
	if _, done := x.armWhy[at]; !done {
		x.armWhy[at] = x.armReasons(x.old.Cells[cell].Plan, x.now.Cells[l.Cell].Plan, l.Arm)
	}
	if list := x.armWhy[at]; len(list) > 0 {
		return list
	}
	then, planned := x.before[cell][casePoint{l.Case, l.Repeat, l.Arm}]
	switch {
	case planned && then.Trial == l.Trial:
		if _, ok, err := x.run.Outcome(ctx, l.Trial); err == nil && ok {
			return []string{"it ended in an error"}
		}
		return []string{"it has not been run yet"}
	case planned:
		return []string{"what this arm reads of the task, or may do in it, changed"}
	case l.Repeat > max(1, x.old.Cells[cell].Plan.Repeats):
		return []string{fmt.Sprintf("repeats %d → %d", max(1, x.old.Cells[cell].Plan.Repeats), max(1, x.now.Cells[l.Cell].Plan.Repeats))}
	}
	return []string{"the task is new, or other things are read of it"}
}

// armReasons say what makes all trials of an arm others.
func (x *against) armReasons(old, now *runtime.Plan, name string) []string {
	a, b := armOf(old, name), armOf(now, name)
	if a == nil {
		return []string{"this arm is new"}
	}
	var out []string
	if e := x.run.Meta().Engine; e != runtime.EngineVersion {
		out = append(out, fmt.Sprintf("it was run by engine %s, and this is engine %s", e, runtime.EngineVersion))
	}
	if old.Seed != now.Seed {
		out = append(out, fmt.Sprintf("seed %d → %d", old.Seed, now.Seed))
	}
	if a.Stream != b.Stream {
		out = append(out, fmt.Sprintf("pairs %s → %s: draws come from %s, not %s", pairsWord(old), pairsWord(now), b.Stream, a.Stream))
	}
	if key.Of(a.Program, a.Variants) != key.Of(b.Program, b.Variants) {
		list := diff.Arm(a, b)
		if len(list) == 0 {
			list = []string{"its program changed at " + strings.Join(firstOther("", reflect.ValueOf(*a.Program), reflect.ValueOf(*b.Program)), ", ")}
		}
		out = append(out, list...)
	}
	out = append(out, x.answering(a, b)...)
	if !slices.Equal(slices.Sorted(slices.Values(a.Fields)), slices.Sorted(slices.Values(b.Fields))) {
		out = append(out, fmt.Sprintf("it reads other fields of the task: %s → %s", strings.Join(a.Fields, ", "), strings.Join(b.Fields, ", ")))
	}
	return out
}

// answering says which models are answered by something else.
func (x *against) answering(a, b *runtime.Arm) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b.Program.Models)) {
		spec, both := a.Program.Models[name]
		if !both {
			continue
		}
		then, err1 := x.revised(true, spec)
		now, err2 := x.revised(false, b.Program.Models[name])
		if err1 == nil && err2 == nil && then != now {
			out = append(out, fmt.Sprintf("model %s: %s answered, and %s would", name, then, now))
		}
	}
	return out
}

// scoring lists changes of what is counted: no key holds them.
func (x *against) scoring() []string {
	var two []diff.CellPair
	for _, now := range slices.Sorted(maps.Keys(x.pairs)) {
		two = append(two, diff.CellPair{Before: x.old.Cells[x.pairs[now]], After: x.now.Cells[now]})
	}
	var out []string
	for _, c := range diff.Cells(x.now.Name, two) {
		switch kind, _, _ := strings.Cut(c.Subject, " "); kind {
		case "predicate", "score", "judge":
			if !slices.Contains(out, c.Sentence) {
				out = append(out, c.Sentence)
			}
		}
	}
	return out
}

// firstOther finds where two programs first differ, for what no sentence tells.
func firstOther(path string, a, b reflect.Value) []string {
	if key.Of(a.Interface()) == key.Of(b.Interface()) {
		return nil
	}
	switch {
	case a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil():
		return firstOther(path, a.Elem(), b.Elem())
	case a.Kind() == reflect.Slice && a.Len() == b.Len():
		for i := range a.Len() {
			if at := firstOther(fmt.Sprintf("%s[%d]", path, i+1), a.Index(i), b.Index(i)); at != nil {
				return at
			}
		}
	case a.Kind() == reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if f.Tag.Get("key") == "-" || !f.IsExported() {
				continue
			}
			if at := firstOther(strings.TrimPrefix(path+"."+strings.ToLower(f.Name), "."), a.Field(i), b.Field(i)); at != nil {
				return at
			}
		}
	}
	return []string{path}
}
