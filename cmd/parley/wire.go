package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/lang/diag"
	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/model/openai"
	"parley/runtime/model/replay"
	"parley/runtime/queue"
	"parley/runtime/store"
)

// wire is how a run reaches models that are not simulated: endpoints, or a
// stored run that answers in the place of all models.
type wire struct {
	timeout time.Duration
	retries int
	record  string
	replay  string // the run's name or file

	id     string // of the run that answers
	stored *store.Run
	source *replay.Source
	ends   *openai.Endpoints
}

func (w *wire) flags(f *pflag.FlagSet) {
	f.DurationVar(&w.timeout, "attempt-timeout", openai.DefaultTimeout, "longest wait for one answer of an endpoint, before it is asked again")
	f.IntVar(&w.retries, "max-retries", 9, "how often a call that failed for the moment is made again")
	f.StringVar(&w.record, "record", "", "when the run is complete, copy its file here, for --replay")
}

// ready looks at what the flags and the models name, before anything is begun.
func (w *wire) ready(dir string, suite *interp.Suite, h host) error {
	if w.record != "" {
		if _, err := os.Stat(w.record); err == nil {
			return fmt.Errorf("--record %s: there is such a file already, and it is not overwritten", w.record)
		}
	}
	if w.replay == "" {
		return reachable(suite, h)
	}
	path, err := store.Find(dir, w.replay)
	if err != nil {
		return fmt.Errorf("--replay: %w", err)
	}
	if w.replay, err = filepath.Abs(path); err != nil {
		return err
	}
	run, err := store.Open(w.replay)
	if err != nil {
		return fmt.Errorf("--replay: %w", err)
	}
	w.id = run.Meta().ID
	return run.Close()
}

// note writes into the invocation what a later process has to know.
func (w *wire) note(inv *invocation, suite *interp.Suite, h host) error {
	inv.Replay, inv.ReplayOf = w.replay, w.id
	if w.id != "" || !asks(suite) {
		return nil
	}
	end, err := openai.Revision(model.Spec{}, variables(h))
	inv.Endpoint = strings.TrimPrefix(end, "openai ")
	return err
}

// reachable reports models that cannot be asked: no address, no key.
func reachable(suite *interp.Suite, h host) error {
	ends := openai.New(openai.Config{Env: variables(h)})
	for _, m := range modelsOf(suite) {
		switch m.Provider {
		case "openai":
			if _, err := ends.Provider(m); err != nil {
				return fmt.Errorf("model %s: %w", modelName(m), err)
			}
		case "replay":
			return fmt.Errorf("the model %s answers from a stored run: name one with --replay", m.Name)
		}
	}
	return nil
}

// modelsOf lists the models of a suite, its judges' among them; some more than once.
func modelsOf(suite *interp.Suite) []model.Spec {
	var out []model.Spec
	for _, c := range suite.Cells {
		for _, a := range c.Plan.Arms {
			for _, name := range slices.Sorted(maps.Keys(a.Program.Models)) {
				out = append(out, a.Program.Models[name])
			}
		}
	}
	return append(out, judgeModels(suite)...)
}

// printEndpoints says where models are asked, and which key goes there.
func printEndpoints(w io.Writer, suite *interp.Suite, h host) {
	seen := map[string]bool{}
	for _, m := range modelsOf(suite) {
		if m.Provider != "openai" {
			continue
		}
		line := modelName(m) + ": "
		switch address, key, err := openai.Where(m, variables(h)); {
		case err != nil:
			line += err.Error()
		case key == "":
			line += "asked at " + address + ", without a key"
		default:
			line += "asked at " + address + " with the key in " + key
		}
		if !seen[line] {
			seen[line] = true
			fmt.Fprintln(w, diag.Safe(line))
		}
	}
}

// asks reports whether some model is asked where OPENAI_BASE_URL says.
func asks(suite *interp.Suite) bool {
	return slices.ContainsFunc(modelsOf(suite), func(m model.Spec) bool { return m.Provider == "openai" && m.BaseURL == "" })
}

// again prepares a run that is gone on with: it asks what it asked before.
func (w *wire) again(m store.Meta, suite *interp.Suite, dir string, h host) error {
	inv, err := begunWith(m)
	if err != nil {
		return err
	}
	w.replay = inv.Replay
	if err := w.ready(dir, suite, h); err != nil {
		return err
	}
	now := inv
	if err := w.note(&now, suite, h); err != nil {
		return err
	}
	if now.Endpoint != inv.Endpoint {
		return fmt.Errorf("this run was begun against %s, and OPENAI_BASE_URL now means %s; answers of two endpoints do not belong into one run", inv.Endpoint, now.Endpoint)
	}
	if now.ReplayOf != inv.ReplayOf {
		return fmt.Errorf("%s is not the run that answered before", inv.Replay)
	}
	return nil
}

// begunWith is the command that began a stored run.
func begunWith(m store.Meta) (invocation, error) {
	var inv invocation
	if err := json.Unmarshal(m.Options, &inv); err != nil {
		return inv, fmt.Errorf("the run does not say how it was begun: %w", err)
	}
	return inv, nil
}

// digest names what a run is of: its plans, and the run that answers, so that
// replayed trials never mix with a model's own.
func (inv invocation) digest(suite *interp.Suite) string {
	if inv.ReplayOf != "" {
		return key.Of("plans", plansOf(suite), "replay of", inv.ReplayOf).String()
	}
	return key.Of("plans", plansOf(suite)).String()
}

// open readies what answers.
func (w *wire) open(ctx context.Context, connections int, say func(string), h host) (answers, error) {
	if w.replay != "" {
		var err error
		if w.stored, err = store.Open(w.replay); err != nil {
			return nil, err
		}
		if w.source, err = replay.Open(ctx, w.stored); err != nil {
			return nil, errors.Join(err, w.stored.Close())
		}
		return nil, nil
	}
	if connections <= 0 {
		connections = queue.DefaultConnections
	}
	w.ends = openai.New(openai.Config{Env: variables(h), Connections: connections, Timeout: w.timeout, Note: say})
	people := newDesk(h)
	return func(spec model.Spec) (model.Provider, error) {
		if spec.Provider == runtime.ApprovalProvider {
			return approver{policy: spec.Name, at: people}, nil
		}
		return w.ends.Provider(spec)
	}, nil
}

// name is the run that answers.
func (w *wire) name() string {
	if w.source == nil {
		return ""
	}
	return w.source.Name()
}

// providers gives what answers for each model.
func (w *wire) providers(plans []*runtime.Plan, others answers) answers {
	if w.source != nil {
		return func(spec model.Spec) (model.Provider, error) { return w.source.Provider(spec), nil }
	}
	return providers(plans, others)
}

// local says which models cost nothing: all of them where a run answers.
func (w *wire) local() func(model.Spec) bool {
	if w.source != nil {
		return func(model.Spec) bool { return true }
	}
	return nil
}

// retry is how often a call is made.
func (w *wire) retry() queue.Retry { return queue.Retry{Attempts: max(0, w.retries) + 1} }

func (w *wire) close() {
	if w.ends != nil {
		w.ends.Close()
	}
	if w.stored != nil {
		_ = w.stored.Close() // opened for reading: nothing can be lost
	}
}

// keep copies a complete run's file to where --record says.
func (w *wire) keep(code int, path string, h host) int {
	if w.record == "" {
		return code
	}
	if code != exitOK && code != exitFailed {
		fmt.Fprintf(h.stderr, "--record: the run is not complete, so %s is not written\n", diag.Safe(w.record))
		return code
	}
	if err := copyNew(path, w.record); err != nil {
		fmt.Fprintf(h.stderr, "parley: --record %s: %s\n", diag.Safe(w.record), diag.Safe(reason(err)))
		return exitIncomplete
	}
	return code
}

// copyNew copies a file to a place where there is none.
func copyNew(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() // read only
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to) // half a copy is none
	}
	return err
}
