package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/pflag"

	"parley/lang"
	engine "parley/runtime"
)

// versionCommand says which build this is and what it speaks.
func versionCommand() command {
	return command{
		name: "version", summary: "print the version of the command, the language and the engine",
		examples: []string{"parley version", "parley version --json"},
		setup: func(f *pflag.FlagSet) action {
			asJSON := f.Bool("json", false, "print JSON")
			return func(_ context.Context, args []string, h host) int {
				if len(args) > 0 {
					return usageError(h, "version", "takes no arguments")
				}
				v := map[string]any{"parley": buildVersion(), "language": lang.Version, "engine": engine.EngineVersion}
				if *asJSON {
					return printJSON(h, v)
				}
				fmt.Fprintf(h.stdout, "parley %s (language %v, engine %v)\n", v["parley"], v["language"], v["engine"])
				return exitOK
			}
		},
	}
}

// buildVersion is the module's version, or the commit it was built from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (version == "" || version == "(devel)") && len(s.Value) >= 12 {
			version = "at " + s.Value[:12]
		}
	}
	if version == "" {
		return "(devel)"
	}
	return version
}

// printJSON writes one indented JSON value.
func printJSON(h host, v any) int {
	if err := writeJSON(h.stdout, v); err != nil {
		fmt.Fprintln(h.stderr, "parley: "+err.Error())
		return exitUsage
	}
	return exitOK
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
