package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/pflag"

	"parley/lang/diag"
	"parley/runtime/store"
)

// runsCommand lists the stored runs.
func runsCommand() command {
	return command{
		name: "runs", summary: "list the stored runs, newest first",
		examples: []string{"parley runs", "parley runs --json"},
		setup: func(f *pflag.FlagSet) action {
			var dir string
			dirFlag(f, &dir)
			asJSON := f.Bool("json", false, "print JSON")
			return func(_ context.Context, args []string, h host) int {
				if len(args) > 0 {
					return usageError(h, "runs", "takes no arguments")
				}
				infos, err := store.List(dir)
				if err != nil {
					return failure(h, err)
				}
				if *asJSON {
					return printJSON(h, runRecords(infos))
				}
				if len(infos) == 0 {
					fmt.Fprintf(h.stdout, "no runs in %s\n", diag.Safe(dir))
					return exitOK
				}
				fmt.Fprintln(h.stdout, runsTable(infos))
				return exitOK
			}
		},
	}
}

// runRecord is a stored run for a program.
type runRecord struct {
	Name    string      `json:"name"`
	Path    string      `json:"path"`
	Meta    store.Meta  `json:"meta"`
	State   store.State `json:"state"`
	Trials  int         `json:"trials"`
	Errored int         `json:"errored"`
	Error   string      `json:"error,omitempty"`
}

func runRecords(infos []store.Info) []runRecord {
	out := make([]runRecord, len(infos))
	for i, info := range infos {
		out[i] = runRecord{Name: info.Name, Path: info.Path, Meta: info.Meta, State: info.State, Trials: info.Trials, Errored: info.Errored}
		if info.Err != nil {
			out[i].Error = info.Err.Error()
		}
	}
	return out
}

func runsTable(infos []store.Info) string {
	tw := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	tw.SetStyle(style)
	tw.AppendHeader(table.Row{"run", "what", "status", "trials", "errors"})
	for _, i := range infos {
		if i.Err != nil {
			tw.AppendRow(table.Row{oneLine(i.Name), shorten(i.Err.Error(), 60), "unreadable", "", ""})
			continue
		}
		trials := fmt.Sprintf("%d", i.Trials)
		if i.State.Planned > 0 {
			trials += fmt.Sprintf("/%d", i.State.Planned)
		}
		tw.AppendRow(table.Row{oneLine(i.Name), oneLine(i.Meta.Target), statusWords(i.State.Status), trials, i.Errored})
	}
	return tw.Render()
}

// statusWords says what a status means. A run that was killed could not write
// that it has ended.
func statusWords(s store.Status) string {
	if s == store.Running {
		return "running or killed"
	}
	return string(s)
}
