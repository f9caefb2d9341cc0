package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/interp"
	"parley/interp/judge"
	"parley/interp/score"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/model"
	"parley/runtime/model/openai"
	"parley/runtime/model/sim"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// panelOf prepares a suite's judges with the verdicts that a run holds. provide says
// what answers for their models.
func panelOf(ctx context.Context, suite *interp.Suite, run *store.Run, provide answers) (*judge.Panel, error) {
	p, err := suite.Panel(func(spec model.Spec) (string, error) { return queue.Revision(spec, queue.Options{Providers: provide}) })
	if err != nil {
		return nil, err
	}
	return p, p.Read(ctx, run)
}

// readPanel is panelOf for a run that is only read: its models are known by name.
func readPanel(ctx context.Context, suite *interp.Suite, run *store.Run, h host) (*judge.Panel, error) {
	inv, err := begunWith(run.Meta())
	if err != nil {
		return nil, err
	}
	return panelOf(ctx, suite, run, recorded(h, inv, plansOf(suite)))
}

// judge asks the judges of the suite about the trials that have ended, unless the
// run was stopped, and notes where verdicts are missing.
func (r *running) judge(ctx context.Context, suite *interp.Suite, run *store.Run, sum *queue.Summary, opt queue.Options) (*judge.Panel, *queue.Summary, error) {
	steady := context.WithoutCancel(ctx)
	if err := run.Flush(steady); err != nil {
		return nil, nil, err
	}
	panel, err := panelOf(steady, suite, run, opt.Providers)
	if err != nil || sum.Stopped != "" || ctx.Err() != nil {
		return panel, nil, err
	}
	links, err := ownLinks(steady, suite, run)
	if err != nil {
		return nil, nil, err
	}
	opt.OnProgress = nil // it counts trials
	verdicts, err := askJudges(ctx, suite, run, panel, links, true, opt.Providers, opt)
	if err != nil || verdicts == nil {
		return panel, nil, err
	}
	judged(sum, verdicts)
	if verdicts.Complete {
		return panel, verdicts, nil
	}
	note := verdicts.Stopped
	if note == "" {
		note = fmt.Sprintf("%d verdicts could not be had", verdicts.Errored)
	}
	return panel, verdicts, run.SetState(steady, store.State{Status: store.Incomplete, Ended: time.Now(), Note: note})
}

// askJudges asks what is still to be asked about a run's trials; nil where nothing
// is. again asks for unreadable verdicts anew too.
func askJudges(ctx context.Context, suite *interp.Suite, run *store.Run, panel *judge.Panel, links []store.Link, again bool, provide answers, opt queue.Options) (*queue.Summary, error) {
	if !panel.Any() {
		return nil, nil
	}
	facts := &sim.Facts{}
	due, err := panel.Due(context.WithoutCancel(ctx), run, links, again, facts.Learn)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	opt.Store, opt.Providers = run, knowing(facts, provide)
	sum, err := queue.Errands(ctx, plansOf(suite), due, opt)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return &sum, run.Flush(context.WithoutCancel(ctx))
}

// ownLinks lists the links of all cells of a run.
func ownLinks(ctx context.Context, suite *interp.Suite, run *store.Run) ([]store.Link, error) {
	var all []store.Link
	for i := range suite.Cells {
		links, err := run.Links(ctx, i)
		if err != nil {
			return nil, err
		}
		all = append(all, links...)
	}
	return all, nil
}

// scoredLinks are the links of a scenario in a run: the run's own, or where the
// plans have changed those that they would have.
func scoredLinks(ctx context.Context, suite *interp.Suite, run *store.Run, h host) ([]store.Link, error) {
	inv, err := begunWith(run.Meta())
	if err != nil {
		return nil, err
	}
	if inv.digest(suite) == run.Meta().Digest {
		return ownLinks(ctx, suite, run)
	}
	plans := plansOf(suite)
	return queue.Links(plans, queue.Options{Providers: recorded(h, inv, plans)})
}

// askMissing asks for the verdicts that a stored run lacks, where every judge's
// model can be reached. It gives the run back, opened anew where it wrote into it,
// and says what is left.
func askMissing(ctx context.Context, suite *interp.Suite, run *store.Run, h host) (*store.Run, *queue.Summary, error) {
	panel, err := readPanel(ctx, suite, run, h)
	if err != nil || !panel.Any() {
		return run, nil, err
	}
	links, err := scoredLinks(ctx, suite, run, h)
	if err != nil {
		return run, nil, err
	}
	due, err := panel.Due(ctx, run, links, false, nil)
	if err != nil || len(due) == 0 {
		return run, nil, err
	}
	inv, err := begunWith(run.Meta())
	if err != nil {
		return run, nil, err
	}
	if why := unreachable(panel, inv, h); why != "" {
		fmt.Fprintf(h.stderr, "%s missing, and not asked for: %s\n", count(len(due), "verdict"), diag.Safe(why))
		return run, nil, nil
	}
	path, state := run.Path(), run.State()
	if err := run.Close(); err != nil {
		return run, nil, err
	}
	if run, err = store.Resume(path); err != nil {
		return nil, nil, err
	}
	ends := openai.New(openai.Config{Env: variables(h), Connections: queue.DefaultConnections})
	defer ends.Close()
	provide := providers(plansOf(suite), func(spec model.Spec) (model.Provider, error) { return ends.Provider(spec) })
	if panel, err = panelOf(ctx, suite, run, provide); err != nil {
		return run, nil, err
	}
	prices, err := readPrices(inv.Limits.Prices)
	if err != nil {
		return run, nil, err
	}
	ctx, drain, stop := interrupts(ctx, h)
	defer stop()
	sum, err := askJudges(ctx, suite, run, panel, links, false, provide, queue.Options{
		Drain: drain, Prices: prices.byModel(), Budget: runtime.Budget{Calls: inv.Limits.Calls, Tokens: inv.Limits.Tokens, USD: inv.Limits.USD},
	})
	return run, sum, errors.Join(err, run.SetState(context.WithoutCancel(ctx), state))
}

// unreachable says why a judge of a run cannot be asked; empty where all can.
func unreachable(panel *judge.Panel, inv invocation, h host) string {
	if inv.ReplayOf != "" {
		return "the run's answers are another run's, and no model is called for it"
	}
	ends := openai.New(openai.Config{Env: variables(h)})
	defer ends.Close()
	for _, spec := range panel.Specs() {
		switch spec.Provider {
		case "sim":
		case "openai":
			if _, err := ends.Provider(spec); err != nil {
				return fmt.Sprintf("model %s: %v", modelName(spec), err)
			}
		default:
			return fmt.Sprintf("there is no model %s to ask", modelName(spec))
		}
	}
	return ""
}

// judged puts what judges cost and lack into the summary of a run.
func judged(sum *queue.Summary, verdicts *queue.Summary) {
	if verdicts == nil {
		return
	}
	sum.Spent, sum.USD, sum.Unpriced = verdicts.Spent, verdicts.USD, verdicts.Unpriced
	sum.Failures, sum.Odd = append(sum.Failures, verdicts.Failures...), append(sum.Odd, verdicts.Odd...)
	sum.Retries += verdicts.Retries
	if sum.Stopped == "" {
		sum.Stopped = verdicts.Stopped
	}
	sum.Complete = sum.Complete && verdicts.Complete
}

// verdictLine says how many verdicts were asked for.
func verdictLine(s *queue.Summary) string {
	line := fmt.Sprintf("judges: %d of %s had", s.Ran-s.Errored, count(s.Total, "verdict"))
	if s.Errored > 0 {
		line += fmt.Sprintf(", %d could not be asked for", s.Errored)
	}
	return line + ", " + count(s.Calls, "call") + " made"
}

// scorerOf is a cell's scorer, with the verdicts of a panel where there is one.
func scorerOf(c *interp.Cell, panel *judge.Panel, i int) (*score.Scorer, error) {
	if panel == nil {
		return score.New(c.Spec, c.Plan)
	}
	return panel.Scorer(i), nil
}

// lacking counts the verdicts that judges were not asked for, or could not be.
func lacking(tables []*score.Table) (n int) {
	for _, t := range tables {
		for _, j := range t.Judges {
			n += j.Absent + j.Failed
		}
	}
	return n
}
