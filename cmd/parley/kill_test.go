package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/runtime/store"
)

// asCommand makes this test binary be the command, for tests that kill it.
const asCommand = "PARLEY_TEST_AS_COMMAND"

// killed is what `parley run --json` prints of a run, as far as this test reads it.
type killed struct {
	Cells   json.RawMessage
	Summary struct{ Total, Found, Ran int }
}

// TestKilledCommand kills the command at random moments and gives it again: the
// last one prints the table of an undisturbed run, and no trial is run twice.
func TestKilledCommand(t *testing.T) {
	times := 8
	if testing.Short() {
		times = 3
	}
	file, err := suiteFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	command := func(dir string, out *bytes.Buffer) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "run", file, "--runs-dir", dir, "--json", "--quiet", "--limit", "20")
		cmd.Env = append(os.Environ(), asCommand+"=1")
		cmd.Stdout = out
		return cmd
	}
	read := func(out *bytes.Buffer) (k killed) {
		if err := json.Unmarshal(out.Bytes(), &k); err != nil {
			t.Fatal(err, out.String())
		}
		return k
	}
	finish := func(dir string) killed {
		var out bytes.Buffer
		if err := command(dir, &out).Run(); err != nil {
			t.Fatal(err)
		}
		return read(&out)
	}
	begun := time.Now()
	want := finish(t.TempDir())
	took := time.Since(begun)

	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(2, 9))
	stored := 0
	var got *killed
	for range times {
		var out bytes.Buffer
		cmd := command(dir, &out)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took/10 + time.Duration(rng.Int64N(int64(took/3))))
		_ = cmd.Process.Kill() // it may have ended by itself
		if cmd.Wait() == nil {
			k := read(&out)
			got = &k
			break
		}
		n, complete := endedTrials(t, dir)
		if n < stored {
			t.Fatalf("of %d stored trials %d are left", stored, n)
		}
		if complete {
			t.Skip("the kill came between the run's end and the process's: the command has nothing to go on with")
		}
		stored = n
	}
	if got == nil {
		k := finish(dir)
		got = &k
	}
	if got.Summary.Found < stored || got.Summary.Found+got.Summary.Ran != want.Summary.Total {
		t.Errorf("%d trials were stored; the last command found %d and ran %d of %d", stored, got.Summary.Found, got.Summary.Ran, got.Summary.Total)
	}
	if stored == 0 {
		t.Error("every kill came before the first trial had ended: the test shows nothing")
	}
	if !bytes.Equal(got.Cells, want.Cells) {
		t.Errorf("after kills:\n%s\nundisturbed:\n%s", got.Cells, want.Cells)
	}
}

// endedTrials counts the trials in the one readable run of a folder, and says whether it
// had ended; a kill may have come before there was any.
func endedTrials(t *testing.T, dir string) (int, bool) {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "*"+store.Ending))
	if err != nil {
		t.Fatal(err)
	}
	var run *store.Run
	for _, path := range runs {
		r, err := store.Open(path)
		if err != nil { // killed while it was made
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		if run != nil {
			t.Fatalf("one command left two runs: %v", runs)
		}
		run = r
	}
	if run == nil {
		return 0, false
	}
	n, _, err := run.Counts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	complete := run.State().Status == store.Complete
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return n, complete
}
