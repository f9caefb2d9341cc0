package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run(os.Args[1:], system()))
	}
	testscript.Main(m, map[string]func(){"parley": func() { os.Exit(run(os.Args[1:], system())) }})
}

// TestScripts plays the command as a user would, from a project of its own.
// With UPDATE_SCRIPTS set, what `cmp` compares with is rewritten.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("REPO", root)
			return os.WriteFile(filepath.Join(e.WorkDir, "parley.project"), nil, 0o600)
		},
	})
}
