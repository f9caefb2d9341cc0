package score

import (
	"context"
	"slices"
	"strings"

	"parley/runtime"
	"parley/runtime/eval"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/segment"
	"parley/runtime/shape"
	"parley/runtime/trace"
)

// Judge is a model that is asked for a typed verdict on a finished run. No trial
// hangs on it: with another judge the stored trials stay what they are.
type Judge struct {
	ID          string // how expressions call it: judge.ID
	Name        string // as declared
	At          string // of the declaration
	Model       model.Spec
	Temperature *float64
	MaxTokens   int          `json:",omitempty"`
	Prompt      runtime.Expr // sees the run and transcript
	When        runtime.Expr // absent: every run is judged
	Actually    runtime.Expr // a record: what is so, for the simulator
	Replies     shape.Shape
	Fields      []string `json:",omitempty"` // task fields that the judge reads
}

// Speaker is the judge's name among those who call models.
func (j *Judge) Speaker() string { return "judge." + j.ID }

// Form is the key of what a judge is apart from the text that it is shown: how
// it is asked. A judge's name is no part of it.
func (j *Judge) Form() string {
	return key.Of("judge", j.Replies, j.Temperature, j.MaxTokens, j.Model.Provider, j.Model.Name, j.Model.BaseURL).String()
}

// Ask is the key of what a judge asks about one trial of a task: equal asks of one
// trial have one verdict. revision says what answers.
func (s *Scorer) Ask(j *Judge, revision string, c *runtime.Case) string {
	parts := []any{j.Form(), revision, j.Prompt, j.When, key.Fields(c.Fields, j.Fields).String()}
	if j.Model.Provider == "sim" {
		parts = append(parts, j.Actually)
	}
	if strings.Contains(j.Prompt.Src+j.When.Src+j.Actually.Src, "attack") {
		parts = append(parts, s.spec.Attack, s.spec.Goal, s.spec.Level, s.spec.AttackVerify)
	}
	return key.Of(parts...).String()
}

// Verdicts finds what a judge said of a trial; nil: it has not been asked.
type Verdicts func(c *runtime.Case, t *trace.Trial, j *Judge) *trace.Verdict

// Judged is the scorer with verdicts to read.
func (s *Scorer) Judged(find Verdicts) *Scorer {
	out := *s
	out.verdicts = find
	return &out
}

// Judges lists the judges of the configuration.
func (s *Scorer) Judges() []*Judge {
	out := make([]*Judge, len(s.spec.Judges))
	for i := range s.spec.Judges {
		out[i] = &s.spec.Judges[i]
	}
	return out
}

func (s *Scorer) judge(id string) *Judge {
	for i := range s.spec.Judges {
		if s.spec.Judges[i].ID == id {
			return &s.spec.Judges[i]
		}
	}
	return nil
}

// Judging lists, for each arm, the judges whose verdicts on its runs are read by
// some score or threshold, or by a predicate of the base arm.
func (s *Scorer) Judging() map[runtime.ArmName][]*Judge {
	out := map[runtime.ArmName][]*Judge{}
	if len(s.spec.Judges) == 0 {
		return out
	}
	add := func(p *pred, arm runtime.ArmName) {
		if p == nil {
			return
		}
		for _, u := range p.judges[arm] {
			if j := s.judge(u.id); j != nil && s.teams[u.arm] != nil && !slices.Contains(out[u.arm], j) {
				out[u.arm] = append(out[u.arm], j)
			}
		}
	}
	for _, l := range s.leaves() {
		for _, p := range []*pred{l.it.value, l.it.given, l.it.per, l.it.by} {
			add(p, l.arm)
		}
	}
	for _, p := range s.preds {
		add(p, s.base)
	}
	for _, p := range s.attack {
		add(p, s.base)
	}
	for _, row := range s.tasks {
		for _, p := range row {
			add(p, s.base)
		}
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b *Judge) int { return strings.Compare(a.ID, b.ID) })
	}
	return out
}

// JudgingFor is Judging for conditions that are no part of the configuration, as a
// test's are.
func (s *Scorer) JudgingFor(conditions []Pred) (map[runtime.ArmName][]*Judge, error) {
	out := s.Judging()
	r := &reach{s: s, memo: map[*pred]map[runtime.ArmName]*reached{}}
	for _, c := range conditions {
		found, err := names(c.Expr.Src, s.base)
		if err != nil {
			return nil, err
		}
		got := &reached{}
		for _, n := range found {
			r.follow(got, n, nil, s.base)
		}
		for _, u := range got.judges {
			if j := s.judge(u.id); j != nil && s.teams[u.arm] != nil && !slices.Contains(out[u.arm], j) {
				out[u.arm] = append(out[u.arm], j)
			}
		}
	}
	return out, nil
}

// judgeUse is a judge's verdict on an arm's run.
type judgeUse struct {
	arm runtime.ArmName
	id  string
}

// judges is what `judge` means: each judge by its name.
type judges struct{ o *observation }

// Field gives a judge's verdict on the run.
func (j judges) Field(id string) (any, bool) {
	decl := j.o.s.judge(id)
	if decl == nil {
		return nil, false
	}
	return verdictOf{j.o, decl}, true
}

// verdictOf is one judge's verdict on one run.
type verdictOf struct {
	o *observation
	j *Judge
}

// Field gives the reply, unknown where there is none.
func (v verdictOf) Field(name string) (any, bool) {
	if name != "reply" {
		return nil, false
	}
	if v.o.s.verdicts == nil {
		return eval.Missing{Why: "the judge " + v.j.Name + " has not been asked"}, true
	}
	got := v.o.s.verdicts(v.o.all.c, v.o.trial, v.j)
	if got.Readable() {
		return got.Reply, true
	}
	return eval.Missing{Why: "the judge " + v.j.Name + " " + got.Lack()}, true
}

// Sources of text in a judge's prompt: the transcript, and what else of the run is
// shown. What has another source is the author's own.
const (
	TranscriptSource = "transcript"
	EvidenceSource   = "evidence"
)

// Functions are those that the configuration's expressions may call, for who
// compiles a judge's.
func (s *Scorer) Functions() map[string]eval.Func {
	out := map[string]eval.Func{
		// evidence marks a part of a judge's prompt that comes from the run.
		"evidence": {Name: "evidence", Call: evidence},
	}
	for name, f := range s.fns {
		out[name] = f
	}
	return out
}

func evidence(_ context.Context, args []any) (any, error) {
	var out segment.Text
	for _, a := range args {
		for _, part := range eval.Render(a) {
			part.Source = EvidenceSource
			out = append(out, part)
		}
	}
	return out, nil
}
