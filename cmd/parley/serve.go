package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/spf13/pflag"

	"parley/interp"
	"parley/runtime/model"
	"parley/runtime/model/serve"
)

// serveCommand offers a scenario's simulated models as an endpoint.
func serveCommand() command {
	return command{
		name: "serve", args: "FILE [TARGET]", summary: "offer a scenario's simulator as an OpenAI-compatible endpoint on this machine",
		examples: []string{
			"parley serve scenarios/quickstart.parley --addr 127.0.0.1:8080",
			"OPENAI_BASE_URL=http://127.0.0.1:8080/v1 parley run scenarios/quickstart.parley --model openai/sim",
		},
		setup: func(f *pflag.FlagSet) action {
			c := compileFlags(f)
			addr := f.String("addr", "127.0.0.1:0", "address of this machine to listen on; port 0 takes a free one")
			return func(ctx context.Context, args []string, h host) int {
				suite, release, code := c.compile("serve", args, h)
				if suite == nil {
					return code
				}
				defer release()
				models, err := served(suite)
				if err != nil {
					return failure(h, err)
				}
				return serveModels(ctx, models, *addr, h)
			}
		},
	}
}

// served are the simulated models of a suite: the one there is as `sim`, several
// by the names that a plan has for them, beside `sim` with plain parameters.
func served(suite *interp.Suite) ([]serve.Model, error) {
	plans := plansOf(suite)
	provide := providers(plans, nil)
	byName := map[string]model.Provider{}
	revisions := map[string]model.Provider{}
	for _, p := range plans {
		for _, a := range p.Arms {
			for name, spec := range a.Program.Models {
				if spec.Provider != "sim" {
					continue
				}
				got, err := provide(spec)
				if err != nil {
					return nil, err
				}
				if old := byName[name]; old != nil && old.Revision() != got.Revision() {
					return nil, fmt.Errorf("the model %q has other parameters in one part of the experiment than in another; name a single scenario to serve", name)
				}
				byName[name], revisions[got.Revision()] = got, got
			}
		}
	}
	own, err := provide(model.Spec{Provider: "sim", Name: "sim"})
	if err != nil {
		return nil, err
	}
	if len(revisions) == 1 {
		for _, p := range revisions {
			return []serve.Model{{Name: "sim", Provider: p}}, nil
		}
	}
	if byName["sim"] == nil {
		byName["sim"] = own
	}
	var list []serve.Model
	for name, p := range byName {
		list = append(list, serve.Model{Name: name, Provider: p})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list, nil
}

// serveModels answers until it is interrupted.
func serveModels(ctx context.Context, models []serve.Model, addr string, h host) int {
	l, err := serve.Listen(addr)
	if err != nil {
		return usageError(h, "serve", err.Error())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-h.interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	fmt.Fprintf(h.stdout, "serving %s at http://%s/v1\n", modelList(models), l.Addr())
	fmt.Fprintf(h.stdout, "try: OPENAI_BASE_URL=http://%s/v1 parley run FILE --model openai/%s\nCtrl-C ends it.\n", l.Addr(), models[0].Name)
	err = serve.Serve(ctx, l, serve.Handler(models, time.Now))
	cancel()
	<-ended
	if err != nil {
		return failure(h, err)
	}
	return exitOK
}

func modelList(models []serve.Model) string {
	text := ""
	for i, m := range models {
		if i > 0 {
			text += ", "
		}
		text += m.Name
	}
	return text
}
