package build

import (
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"parley/interp/load"
	"parley/interp/score"
	"parley/lang/ast"
	"parley/lang/diag"
)

// A reference file holds what somebody else published for an experiment's
// configurations: a row each. Its first line names, in any order,
//
//	a label of the rows      f, mode, attack: which configuration the row is
//	SCORE % or SCORE ratio   the value and its unit; SCORE[KEY] for a split score
//	SCORE num, SCORE den     the fraction behind it, where it is known
//	source, note             for readers
//
// An empty value is one that nobody published. An empty label is not asked for.
type reference struct {
	c       *Compiler
	m       *load.Module
	at      ast.Span
	file    string
	records []load.Record
	keys    []string
	scores  []*refScore
	across  []*Across
	fixed   map[string]string // labels that the command line decides
}

// refScore is the columns of one score.
type refScore struct {
	name, by       string
	value          string // the column
	percent        bool
	num, den       string
	hasNum, hasDen bool
}

var (
	valueColumn    = regexp.MustCompile(`^(\w+)(?:\[(.*)\])? *(%|percent|ratio)$`)
	fractionColumn = regexp.MustCompile(`^(\w+)(?:\[(.*)\])? +(num|den)$`)
)

// addReference reads the experiment's reference file and gives each row to the
// one configuration that it is about.
func (c *Compiler) addReference(m *load.Module, e *experiment, cells []*Cell, across []*Across, o Options) {
	if e.reference == nil || len(cells) == 0 || c.hasErrors() {
		return
	}
	name, ok := c.constantText(scope{m: m, params: map[string]param{}}, e.reference, "the name of a reference file")
	if !ok {
		return
	}
	records, file, err := c.prog.Data(m, name)
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "record "), err != nil && strings.HasPrefix(err.Error(), "column "):
		c.fail(m, diag.DataMalformed, e.reference.Span, "", "%q: %v", name, err)
	case err != nil:
		c.fail(m, diag.DataUnreadable, e.reference.Span, "", "%v", err)
	case !strings.HasSuffix(file, ".csv"):
		c.fail(m, diag.DataUnreadable, e.reference.Span, "", "published values are read from a .csv file, and this is %q", name)
	case len(records) == 0:
		c.fail(m, diag.DataEmpty, e.reference.Span, "", "%q has no row", name)
	default:
		r := &reference{c: c, m: m, at: e.reference.Span, file: name, records: records, across: across, fixed: map[string]string{}}
		for n, v := range o.Params {
			r.fixed[n] = v
		}
		if v := o.Models[""]; v != "" {
			r.fixed["model"] = v
		}
		if r.columns(cells) {
			r.rows(cells)
		}
	}
}

func (r *reference) fail(code diag.Code, hint, format string, args ...any) {
	r.c.fail(r.m, code, r.at, hint, "%s: %s", r.file, fmt.Sprintf(format, args...))
}

// columns sorts the columns out.
func (r *reference) columns(cells []*Cell) bool {
	var names []string
	for n := range r.records[0].Fields {
		names = append(names, n)
	}
	sort.Strings(names)
	byName := map[string]*refScore{}
	at := func(m []string) *refScore {
		id := m[1] + "\x00" + m[2]
		if byName[id] == nil {
			byName[id] = &refScore{name: m[1], by: m[2]}
			r.scores = append(r.scores, byName[id])
		}
		return byName[id]
	}
	labels := r.labels(cells)
	for _, n := range names {
		switch v, f := valueColumn.FindStringSubmatch(n), fractionColumn.FindStringSubmatch(n); {
		case n == "source" || n == "note":
		case v != nil:
			s := at(v)
			if s.value != "" {
				r.fail(diag.ReferenceRow, "", "%s stands in two units", v[1])
				return false
			}
			s.value, s.percent = n, v[3] != "ratio"
		case f != nil && f[3] == "num":
			s := at(f)
			s.num, s.hasNum = n, true
		case f != nil:
			s := at(f)
			s.den, s.hasDen = n, true
		case contains(labels, n):
			r.keys = append(r.keys, n)
		case r.isScore(cells, n):
			r.fail(diag.ReferenceRow, fmt.Sprintf("write %q or %q in its first line", n+" %", n+" ratio"), "the column %q does not say its unit", n)
			return false
		default:
			hint := load.Suggest(n, labels)
			if hint == "" && len(labels) > 0 {
				hint = "the rows are told apart by " + list(labels)
			}
			r.fail(diag.ReferenceRow, hint, "the column %q is no label of this experiment's rows and no score", n)
			return false
		}
	}
	for _, s := range r.scores {
		if s.value == "" || s.hasNum != s.hasDen {
			r.fail(diag.ReferenceRow, fmt.Sprintf("a fraction is two columns, %q and %q, beside %q", s.name+" num", s.name+" den", s.name+" %"), "the columns of %q are not complete", s.name)
			return false
		}
	}
	return true
}

// labels lists what a row can be told by.
func (r *reference) labels(cells []*Cell) []string {
	seen := map[string]bool{}
	var out []string
	add := func(n string) {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	for _, cell := range cells {
		for _, l := range cell.Labels {
			add(l.Name)
		}
	}
	for _, n := range keysOf(r.fixed) {
		add(n)
	}
	return out
}

func (r *reference) isScore(cells []*Cell, name string) bool {
	name, _, _ = strings.Cut(name, "[")
	for _, cell := range cells {
		if cell.kindOf(name) != "" {
			return true
		}
	}
	for _, a := range r.across {
		if a.has([]*refScore{{name: name}}) {
			return true
		}
	}
	return false
}

// kindOf is the kind of a score; empty: there is none.
func (c *Cell) kindOf(name string) string {
	for _, s := range c.Spec.Scores {
		if s.Name == name {
			return s.Kind
		}
	}
	return ""
}

// rows gives each row to its configuration.
func (r *reference) rows(cells []*Cell) {
	owner := map[*Cell]int{}
	taken := map[*Across]int{}
	for _, rec := range r.records {
		if r.elsewhere(rec) || r.acrossRow(rec, taken) {
			continue
		}
		var fit []*Cell
		for _, cell := range cells {
			if r.fits(rec, cell.Labels) {
				fit = append(fit, cell)
			}
		}
		switch {
		case len(fit) == 0:
			r.fail(diag.ReferenceRow, r.nearest(cells), "row %d (%s) fits no configuration of the experiment", rec.N, r.say(rec))
		case len(fit) > 1:
			r.fail(diag.ReferenceRow, "add a column for the label that tells them apart", "row %d (%s) fits %d configurations", rec.N, r.say(rec), len(fit))
		case owner[fit[0]] > 0:
			r.fail(diag.ReferenceRow, "", "rows %d and %d are about the same configuration (%s)", owner[fit[0]], rec.N, r.say(rec))
		default:
			owner[fit[0]] = rec.N
			r.publish(rec, fit[0])
		}
	}
}

func cellText(rec load.Record, column string) string {
	s, _ := rec.Fields[column].(string)
	return strings.TrimSpace(s)
}

// elsewhere reports a row about a value that the command line has exchanged: it
// is not part of this run.
func (r *reference) elsewhere(rec load.Record) bool {
	for _, k := range r.keys {
		want, fixed := r.fixed[k]
		have := cellText(rec, k)
		if !fixed || have == "" {
			continue
		}
		if k == "model" {
			// A declared model stands for one of a provider: like_gpt_4o for openai/gpt-4o.
			name := want[strings.LastIndex(want, "/")+1:]
			if !strings.HasSuffix(wordOf(have), wordOf(name)) {
				return true
			}
		} else if have != want {
			return true
		}
	}
	return false
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

func wordOf(s string) string { return notWord.ReplaceAllString(strings.ToLower(s), "_") }

func (r *reference) fits(rec load.Record, labels []Label) bool {
	for _, k := range r.keys {
		have := cellText(rec, k)
		if _, fixed := r.fixed[k]; fixed || have == "" {
			continue
		}
		found := false
		for _, l := range labels {
			found = found || l.Name == k && l.Value == have
		}
		if !found {
			return false
		}
	}
	return true
}

// say writes what a row claims to be about.
func (r *reference) say(rec load.Record) string {
	var parts []string
	for _, k := range r.keys {
		if v := cellText(rec, k); v != "" {
			parts = append(parts, k+"="+v)
		}
	}
	if len(parts) == 0 {
		return "no label"
	}
	return strings.Join(parts, " ")
}

// nearest shows what rows may say.
func (r *reference) nearest(cells []*Cell) string {
	var parts []string
	for _, k := range r.keys {
		seen := map[string]bool{}
		var values []string
		for _, cell := range cells {
			for _, l := range cell.Labels {
				if l.Name == k && !seen[l.Value] && len(values) < 8 {
					seen[l.Value] = true
					values = append(values, l.Value)
				}
			}
		}
		if len(values) > 0 {
			parts = append(parts, k+" is "+strings.Join(values, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// publish reads a row's values into the specification of its configuration.
func (r *reference) publish(rec load.Record, cell *Cell) {
	for _, s := range r.scores {
		text := cellText(rec, s.value)
		if text == "" {
			continue
		}
		if cell.kindOf(s.name) == "" {
			var names []string
			for _, x := range cell.Spec.Scores {
				names = append(names, x.Name)
			}
			r.fail(diag.ReferenceRow, load.Suggest(s.name, names), "row %d (%s) has a value for %q, and its scenario has no such score", rec.N, r.say(rec), s.name)
			return
		}
		p, ok := r.published(rec, s, text)
		if !ok {
			return
		}
		cell.Spec.Published = append(cell.Spec.Published, p)
	}
}

// published is one value of a row.
func (r *reference) published(rec load.Record, s *refScore, text string) (score.Published, bool) {
	p := score.Published{Row: rec.N, Score: s.name, By: s.by, Source: cellText(rec, "source"), Note: cellText(rec, "note")}
	return p, r.value(rec, s, text, &p)
}

// value reads a value and its fraction, and holds them to each other.
func (r *reference) value(rec load.Record, s *refScore, text string, p *score.Published) bool {
	plain := strings.TrimSpace(strings.TrimSuffix(text, "%"))
	v, err := strconv.ParseFloat(plain, 64)
	if text == "∞" || text == "inf" {
		v, err = math.Inf(1), nil
	}
	unit := ""
	if s.percent {
		unit = " %"
	}
	if err != nil || math.IsNaN(v) || v < 0 || math.IsInf(v, 0) && s.percent || plain != text && !s.percent {
		r.fail(diag.ReferenceRow, "leave it empty where nothing was published", "row %d (%s): %q is no value of %q", rec.N, r.say(rec), text, s.name)
		return false
	}
	p.Printed = plain + unit
	step := math.Pow(10, -float64(len(plain)-1-strings.LastIndex(plain, ".")))
	if !strings.Contains(plain, ".") {
		step = 1
	}
	if s.percent {
		v, _ = strconv.ParseFloat(plain+"e-2", 64) // exactly what v/100 would round
		step /= 100
	}
	p.Value = score.Number(v)
	num, den := "", ""
	if s.hasNum {
		num, den = cellText(rec, s.num), cellText(rec, s.den)
	}
	if num == "" && den == "" {
		return true
	}
	a, errA := strconv.ParseFloat(num, 64)
	d, errD := strconv.ParseFloat(den, 64)
	if errA != nil || errD != nil || d <= 0 || a < 0 || a > d {
		r.fail(diag.ReferenceRow, "a fraction is two whole numbers, the first not above the second", "row %d (%s): %q of %q is no fraction for %q", rec.N, r.say(rec), num, den, s.name)
		return false
	}
	if math.Abs(a/d-v) > step/2+1e-9 {
		r.fail(diag.ReferenceRow, "", "row %d (%s): %s of %s is not the %s that %q has", rec.N, r.say(rec), num, den, p.Printed, s.name)
		return false
	}
	p.Num, p.Den = a, d
	return true
}
