package key

import "sort"

// Case is the key of a task: the values of those row fields that the
// non-attacked arms read. Rows that differ elsewhere only are the same task.
func Case(fields map[string]any, names []string) Key {
	e := begin("case")
	e.fields(fields, names)
	return e.sum()
}

// Fields is the key of the row fields that one arm reads.
func Fields(fields map[string]any, names []string) Key {
	e := begin("fields")
	e.fields(fields, names)
	return e.sum()
}

// fields writes the named fields by sorted name, each once; a field that the
// row lacks differs from one that is nil.
func (e *encoder) fields(fields map[string]any, names []string) {
	sorted := append(make([]string, 0, len(names)), names...)
	sort.Strings(sorted)
	for i, n := range sorted {
		if i > 0 && sorted[i-1] == n {
			continue
		}
		v, ok := fields[n]
		e.str(n)
		e.flag(ok)
		if ok {
			e.value(v)
		}
	}
}

// Arm is the key of an arm: its expanded program, and in tests what its agents
// are scripted to say. Both go by their untagged fields: no goal, no measure,
// no position in a file, no name that reaches nobody.
func Arm(program, scripts any) Key {
	e := begin("arm")
	e.value(program)
	e.value(scripts)
	return e.sum()
}

// TrialParts is what a trial's result follows from.
type TrialParts struct {
	Engine    string            // version of the engine
	Arm       Key               // program and scripts
	Fields    Key               // the row fields this arm reads
	Allow     any               // authority rows that the task brings: they mark calls in the trace
	Case      string            // case key: the draws go by it
	Repeat    int               // from 1
	Seed      uint64            // of the plan
	Stream    string            // main, arm/NAME, search/ATTACK/CANDIDATE
	Revisions map[string]string // model name → what answers
	Catalogue string            // digest of external tools; empty: none
}

// Trial is the key of a trial: equal trials run once and are stored once.
func Trial(p TrialParts) Key {
	e := begin("trial")
	e.str(p.Engine)
	e.b = append(e.b, p.Arm[:]...)
	e.b = append(e.b, p.Fields[:]...)
	e.value(p.Allow)
	e.str(p.Case)
	e.int(int64(p.Repeat))
	e.uint(p.Seed)
	e.str(p.Stream)
	names := make([]string, 0, len(p.Revisions))
	for n := range p.Revisions {
		names = append(names, n)
	}
	sort.Strings(names)
	e.open(tagMap, len(names))
	for _, n := range names {
		e.str(n)
		e.str(p.Revisions[n])
	}
	e.str(p.Catalogue)
	return e.sum()
}

// Payload is the key of a generated payload: the attack, the generator, the row
// fields it reads, repeat and seed. Team and baseline get the same one.
func Payload(attack, generator string, fields Key, repeat int, seed uint64) Key {
	e := begin("payload")
	e.str(attack)
	e.str(generator)
	e.b = append(e.b, fields[:]...)
	e.int(int64(repeat))
	e.uint(seed)
	return e.sum()
}

// Judge is the key of a judge's call: the judge, the revision of its model and
// the text it is shown. A verdict on the same text is drawn once.
func Judge(judge, revision, input string) Key {
	e := begin("judge")
	e.str(judge)
	e.str(revision)
	e.str(input)
	return e.sum()
}
