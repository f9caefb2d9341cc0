package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/interp/explain"
	"parley/interp/score"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// explainCommand says why predicates are what they are in one stored case.
func explainCommand() command {
	return command{
		name: "explain", args: "RUN CASE | CODE", summary: "say why each predicate of a stored case is what it is, or what a diagnostic's code means",
		examples: []string{
			"parley explain 2026-01-31T12-00-00_quickstart_ab12cd 4      (row 4, counted from 0, of the first configuration)",
			"parley explain 2026-01-31T12-00-00_quickstart_ab12cd 2/clean/4#3      (configuration 2, arm, row 4, repeat 3)",
			"parley explain P0301",
		},
		setup: func(f *pflag.FlagSet) action {
			c := compileFlags(f)
			var dir string
			dirFlag(f, &dir)
			asJSON := f.Bool("json", false, "print JSON")
			only := f.String("predicate", "", "only predicates and scores whose name matches this regular expression")
			noRun := f.Bool("no-transcript", false, "leave out the transcript of the run")
			return func(ctx context.Context, args []string, h host) int {
				if len(args) == 1 && codeForm.MatchString(args[0]) {
					return explainCode(diag.Code(args[0]), h)
				}
				match, err := regexp.Compile(*only)
				if err == nil && len(args) != 2 {
					err = errors.New("takes a stored run and a case, or the code of a diagnostic")
				}
				if err != nil {
					return usageError(h, "explain", err.Error())
				}
				suite, run, release, code := scoreInputs("explain", c, nil, dir, args[0], h)
				if suite == nil {
					return code
				}
				defer release()
				found, err := explainCase(ctx, suite, run, args[1], match, h)
				if err != nil {
					return closing(h, run, failure(h, err))
				}
				if *asJSON {
					return closing(h, run, printJSON(h, found))
				}
				found.print(h, !*noRun)
				return closing(h, run, exitOK)
			}
		},
	}
}

var codeForm = regexp.MustCompile(`^P\d{4}$`)

// explained is one case with the reasons for what is said of it.
type explained struct {
	Run    string   `json:"run"`
	Row    string   `json:"row"` // the configuration's labels
	Arm    string   `json:"arm"`
	Task   string   `json:"task"`
	Claims []claim  `json:"claims"`
	Notes  []string `json:"notes,omitempty"`

	trial *trace.Trial
}

// claim is a predicate or a part of a score, and why it is so.
type claim struct {
	What    string           `json:"what"` // predicate correct, score asr given
	At      string           `json:"at"`
	Reasons []explain.Reason `json:"reasons"`
}

// explainCase finds the case's runs and explains what is said of them.
func explainCase(ctx context.Context, suite *interp.Suite, run *store.Run, name string, match *regexp.Regexp, h host) (*explained, error) {
	at, err := placeOfCase(suite, name)
	if err != nil {
		return nil, err
	}
	cell := suite.Cells[at.cell]
	links, err := run.Links(ctx, at.cell)
	if err != nil {
		return nil, err
	}
	g := score.Group{Row: at.row, Repeat: at.repeat, Trials: map[runtime.ArmName]*trace.Trial{}}
	for _, l := range links {
		if l.Row != at.row || l.Repeat != at.repeat {
			continue
		}
		t, err := run.Trial(ctx, l.Trial)
		if err != nil {
			return nil, err
		}
		if t != nil {
			g.Key, g.Trials[runtime.ArmName(l.Arm)] = l.Case, t
		}
	}
	if at.arm == "" {
		at.arm = baseArm(cell.Plan).Name
	}
	out := &explained{Run: run.Name(), Row: cellTitle(suite, cell), Arm: string(at.arm), trial: g.Trials[at.arm]}
	if out.trial == nil {
		return nil, fmt.Errorf("this run has no %s run of row %d; `parley show %s` lists what it has", at.arm, at.row, run.Name())
	}
	for _, c := range cell.Plan.Cases {
		if c.Row == at.row {
			out.Task = c.Name
		}
	}
	panel, err := readPanel(ctx, suite, run, h)
	if err != nil {
		return nil, err
	}
	return out, out.claims(ctx, cell, panel.Scorer(at.cell), g, at.arm, match)
}

// claims explains the predicates, then the scores of the case.
func (x *explained) claims(ctx context.Context, cell *interp.Cell, scorer *score.Scorer, g score.Group, arm runtime.ArmName, match *regexp.Regexp) error {
	var names []string
	var preds []score.Pred
	add := func(what, name string, p score.Pred) {
		if match.MatchString(name) && !p.Expr.Absent() {
			names, preds = append(names, what), append(preds, p)
		}
	}
	for _, p := range cell.Spec.Verify {
		add("predicate "+p.Name, p.Name, p)
	}
	if arm == baseArm(cell.Plan).Name {
		for _, s := range cell.Spec.Scores {
			switch {
			case s.Kind == "value": // over all cases
			case !s.Per.Absent():
				x.Notes = append(x.Notes, fmt.Sprintf("the score %s counts once for each of %s", s.Name, s.Per.Src))
			default:
				add("score "+s.Name+" given", s.Name, score.Pred{Name: s.Name, Expr: s.Given})
				add("score "+s.Name, s.Name, score.Pred{Name: s.Name, Expr: s.Expr})
			}
		}
	}
	nodes, err := scorer.Explain(ctx, g, arm, preds)
	if err != nil {
		return err
	}
	for i, n := range nodes {
		x.Claims = append(x.Claims, claim{What: names[i], At: preds[i].Expr.At, Reasons: explain.Reasons(n)})
	}
	if len(nodes) == 0 {
		return errors.New("there is nothing to explain: no predicate and no score of that name")
	}
	return nil
}

func (x *explained) print(h host, withRun bool) {
	w := h.stdout
	fmt.Fprintf(w, "%s: %s, the %s run", diag.Safe(x.Run), diag.Safe(x.Row), x.Arm)
	if x.Task != "" {
		fmt.Fprintf(w, " of %s", oneLine(x.Task))
	}
	fmt.Fprintln(w)
	for _, c := range x.Claims {
		fmt.Fprintf(w, "\n%s  (%s)\n", diag.Safe(c.What), diag.Safe(c.At))
		for _, line := range explain.Lines(c.Reasons, "  ") {
			fmt.Fprintln(w, diag.Safe(line))
		}
	}
	for _, n := range x.Notes {
		fmt.Fprintln(w, "\n"+diag.Safe(n))
	}
	if withRun {
		fmt.Fprintln(w)
		p := &transcript{w: w, color: h.color}
		p.print(x.trial)
	}
}

// casePlace is where a case stands in a run.
type casePlace struct {
	cell, row, repeat int
	arm               runtime.ArmName
}

// placeOfCase reads ROW, or CONFIGURATION/ARM/ROW as `parley show` lists it, with
// #REPEAT behind it where it is not the first.
func placeOfCase(suite *interp.Suite, name string) (casePlace, error) {
	place, repeat, hasRepeat := strings.Cut(name, "#")
	parts := strings.Split(place, "/")
	at := casePlace{repeat: 1}
	bad := fmt.Errorf("%q is no case: write its row, such as 4, or CONFIGURATION/ARM/ROW, such as 1/attacked/4", name)
	var err error
	if at.row, err = strconv.Atoi(parts[len(parts)-1]); err != nil {
		return at, bad
	}
	if hasRepeat {
		if at.repeat, err = strconv.Atoi(repeat); err != nil {
			return at, bad
		}
	}
	switch len(parts) {
	case 1:
	case 3:
		if at.cell, err = strconv.Atoi(parts[0]); err != nil {
			return at, bad
		}
		at.cell--
		at.arm = runtime.ArmName(parts[1])
	default:
		return at, bad
	}
	if at.cell < 0 || at.cell >= len(suite.Cells) {
		return at, fmt.Errorf("there is no configuration %s: the run has %s", parts[0], count(len(suite.Cells), "configuration"))
	}
	return at, nil
}
