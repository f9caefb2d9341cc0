package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/interp/score"
	"parley/interp/score/stat"
	"parley/runtime"
	"parley/runtime/shape"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// Agreement says how a judge's verdicts stand to what people said of the same runs.
type Agreement struct {
	Judge   string   `json:"judge"`
	Field   string   `json:"field"`
	Classes []string `json:"classes"`
	// Labels are runs that people judged; of these Unread have no readable verdict.
	Labels int `json:"labels"`
	Unread int `json:"unread"`
	// Table counts runs: rows by the person's class, columns by the judge's.
	Table     [][]int        `json:"table"`
	F1        []score.Number `json:"f1"`
	Kappa     Interval       `json:"kappa"`
	Shares    []Share        `json:"shares"`
	Disagreed []Disagreement `json:"disagreements"`
	Simulated bool           `json:"simulated,omitempty"`
}

// Interval is an estimate with its 95 % interval; n/a with the reason.
type Interval struct {
	Value  score.Number `json:"value"`
	Low    score.Number `json:"low"`
	High   score.Number `json:"high"`
	Method string       `json:"method,omitempty"`
	Why    string       `json:"why,omitempty"`
}

func interval(e stat.Estimate) Interval {
	return Interval{Value: score.Number(e.Value), Low: score.Number(e.Low), High: score.Number(e.High), Method: e.Method, Why: e.Why}
}

// Share is a class's share of all verdicts on the runs of one arm, as the judge
// has it and corrected for how it errs on the labelled ones.
type Share struct {
	Configuration int             `json:"configuration"` // from 1
	Arm           runtime.ArmName `json:"arm"`
	Class         string          `json:"class"`
	Verdicts      int             `json:"verdicts"`
	Reported      score.Number    `json:"reported"`
	Corrected     Interval        `json:"corrected"`
}

// Disagreement is a run of which judge and person say different things.
type Disagreement struct {
	Trial         string          `json:"trial"`
	Configuration int             `json:"configuration"`
	Arm           runtime.ArmName `json:"arm"`
	Row           int             `json:"row"`
	Repeat        int             `json:"repeat"`
	Case          string          `json:"case,omitempty"`
	Person        string          `json:"person"`
	Judge         string          `json:"judge"`
	Why           string          `json:"why,omitempty"`
	Excerpt       string          `json:"excerpt"` // the end of the transcript
}

// Names lists the judges of the panel whose verdicts something reads, sorted.
func (p *Panel) Names() []string {
	var out []string
	for _, c := range p.cells {
		for j := range c.models {
			if !slices.Contains(out, j.ID) {
				out = append(out, j.ID)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Field chooses the field of a judge's verdict that has classes: the named one, or
// the first. It gives their names.
func (p *Panel) Field(judge, field string) (string, []string, error) {
	for _, c := range p.cells {
		for j := range c.models {
			if j.ID != judge {
				continue
			}
			for _, f := range j.Replies.Fields {
				if classes := classesOf(f.Shape); classes != nil && (field == "" || f.Name == field) {
					return f.Name, classes, nil
				}
			}
			if field == "" {
				field = "of a union or of true and false"
			}
			return "", nil, fmt.Errorf("the verdict of %s has no field %s", judge, field)
		}
	}
	return "", nil, fmt.Errorf("nothing in this scenario reads the verdict of a judge %q; there are %s", judge, strings.Join(p.Names(), ", "))
}

func classesOf(s shape.Shape) []string {
	if s.Kind == shape.Bool {
		return []string{"true", "false"}
	}
	if s.Kind != shape.Union {
		return nil
	}
	out := make([]string, len(s.Values))
	for i, v := range s.Values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

// verdictAt is a run that a judge was to judge.
type verdictAt struct {
	link    store.Link
	task    string // the task's name
	verdict *trace.Verdict
}

// verdicts lists the runs that a judge judges, each trial of an arm once.
func (p *Panel) verdicts(judge string, links []store.Link) []verdictAt {
	var out []verdictAt
	seen := map[string]bool{}
	for _, l := range links {
		c := p.cells[l.Cell]
		for _, j := range c.judging[runtime.ArmName(l.Arm)] {
			ask := c.asks[askKey{j, l.Row}]
			if k := fmt.Sprintf("%d %s %s %s", l.Cell, l.Arm, l.Trial, ask); j.ID == judge && !seen[k] {
				seen[k] = true
				at := verdictAt{link: l, verdict: p.verdict(l.Trial, ask)}
				if task := caseOf(c.plan, l.Row); task != nil {
					at.task = task.Name
				}
				out = append(out, at)
			}
		}
	}
	return out
}

// of reports whether a label names the run.
func (l *Label) of(at *verdictAt) bool {
	return (l.Trial == "" || strings.HasPrefix(at.link.Trial, l.Trial)) &&
		(l.Configuration < 0 || l.Configuration == at.link.Cell+1) && (l.Arm == "" || l.Arm == at.link.Arm) &&
		(l.Row < 0 || l.Row == at.link.Row) && (l.Case == "" || l.Case == at.task) && (l.Repeat < 0 || l.Repeat == at.link.Repeat)
}

// Agree holds a judge's verdicts against people's labels. A label that names no run
// that the judge judges, or several, is an error.
func (p *Panel) Agree(ctx context.Context, run *store.Run, links []store.Link, judge, field string, labels []Label) (*Agreement, error) {
	field, classes, err := p.Field(judge, field)
	if err != nil {
		return nil, err
	}
	all := p.verdicts(judge, links)
	out := &Agreement{Judge: judge, Field: field, Classes: classes, Disagreed: []Disagreement{}}
	var list []stat.Labelled
	used := map[string]int{}
	for i := range labels {
		l := &labels[i]
		at, err := find(all, l)
		if err != nil {
			return nil, err
		}
		if first, twice := used[at.link.Trial]; twice {
			return nil, fmt.Errorf("line %d labels the run that line %d labels", l.Line, first)
		}
		used[at.link.Trial] = l.Line
		person := slices.Index(classes, l.Class)
		if person < 0 {
			return nil, fmt.Errorf("line %d: %q is no class; %s is one of %s", l.Line, l.Class, field, strings.Join(classes, ", "))
		}
		out.Labels++
		said := classOf(at.verdict, field, classes)
		if said < 0 {
			out.Unread++
			continue
		}
		list = append(list, stat.Labelled{Task: at.link.Case, Person: person, Judge: said})
		if said != person {
			d, err := p.disagreement(ctx, run, at, classes[person], classes[said])
			if err != nil {
				return nil, err
			}
			out.Disagreed = append(out.Disagreed, d)
		}
	}
	out.weigh(list)
	out.share(all, list)
	return out, nil
}

func find(all []verdictAt, l *Label) (*verdictAt, error) {
	var found *verdictAt
	for i := range all {
		if !l.of(&all[i]) {
			continue
		}
		if found != nil && found.link.Trial != all[i].link.Trial {
			return nil, fmt.Errorf("line %d names several runs: add %s", l.Line, strings.Join(labelColumns, ", "))
		}
		if found == nil {
			found = &all[i]
		}
	}
	if found == nil {
		return nil, fmt.Errorf("line %d names no run that the judge judges", l.Line)
	}
	return found, nil
}

func classOf(v *trace.Verdict, field string, classes []string) int {
	if !v.Readable() {
		return -1
	}
	record, _ := v.Reply.(map[string]any)
	return slices.Index(classes, fmt.Sprint(record[field]))
}

// weigh fills in the table, F1 and kappa.
func (a *Agreement) weigh(list []stat.Labelled) {
	counts := stat.Agreement(list, len(a.Classes))
	for c := range a.Classes {
		row := make([]int, len(a.Classes))
		for j, n := range counts[c] {
			row[j] = int(n)
		}
		a.Table = append(a.Table, row)
		a.F1 = append(a.F1, score.Number(stat.F1(counts, c)))
	}
	a.Kappa = interval(stat.KappaOf(list, len(a.Classes)))
}

// share corrects each class's share of all verdicts, arm by arm.
func (a *Agreement) share(all []verdictAt, list []stat.Labelled) {
	type arm struct {
		cell int
		name string
	}
	var arms []arm
	for i := range all {
		k := arm{all[i].link.Cell, all[i].link.Arm}
		if !slices.Contains(arms, k) {
			arms = append(arms, k)
		}
		a.Simulated = a.Simulated || all[i].verdict.Readable() && all[i].verdict.Simulated
	}
	for _, k := range arms {
		for c, class := range a.Classes {
			byTask := map[string]*stat.Count{}
			var tasks []string
			for i := range all {
				said := classOf(all[i].verdict, a.Field, a.Classes)
				if (arm{all[i].link.Cell, all[i].link.Arm}) != k || said < 0 {
					continue
				}
				n := byTask[all[i].link.Case]
				if n == nil {
					n = &stat.Count{}
					byTask[all[i].link.Case], tasks = n, append(tasks, all[i].link.Case)
				}
				n.D++
				if said == c {
					n.A++
				}
			}
			counts := make([]stat.Count, len(tasks))
			for i, task := range tasks {
				counts[i] = *byTask[task]
			}
			events, n, _ := stat.Totals(counts)
			s := Share{Configuration: k.cell + 1, Arm: runtime.ArmName(k.name), Class: class, Verdicts: int(n), Reported: score.NA}
			if n > 0 {
				s.Reported = score.Number(events / n)
			}
			in, right, outside, rightOutside := judgedRight(list, c)
			s.Corrected = interval(stat.Corrected(counts, in, right, outside, rightOutside))
			a.Shares = append(a.Shares, s)
		}
	}
}

// judgedRight counts labelled runs in and outside of a class, and those of each that the
// judge put where they belong.
func judgedRight(list []stat.Labelled, class int) (in, right, outside, rightOutside float64) {
	for _, x := range list {
		switch {
		case x.Person == class:
			in++
			if x.Judge == class {
				right++
			}
		default:
			outside++
			if x.Judge != class {
				rightOutside++
			}
		}
	}
	return in, right, outside, rightOutside
}

// excerptLines is how much of a transcript stands beside a disagreement.
const excerptLines = 10

func (p *Panel) disagreement(ctx context.Context, run *store.Run, at *verdictAt, person, said string) (Disagreement, error) {
	l := at.link
	out := Disagreement{
		Trial: l.Trial, Configuration: l.Cell + 1, Arm: runtime.ArmName(l.Arm), Row: l.Row, Repeat: l.Repeat, Case: at.task,
		Person: person, Judge: said,
	}
	if record, ok := at.verdict.Reply.(map[string]any); ok {
		out.Why, _ = record["why"].(string)
	}
	t, err := run.Trial(ctx, l.Trial)
	if err != nil || t == nil {
		return out, err
	}
	lines := strings.Split(strings.TrimSpace(Transcript(t)), "\n")
	if n := len(lines) - excerptLines; n > 0 {
		lines = append([]string{"…"}, lines[n:]...)
	}
	out.Excerpt = strings.Join(lines, "\n")
	return out, nil
}
