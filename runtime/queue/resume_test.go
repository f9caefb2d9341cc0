package queue_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/queue"
	"parley/runtime/store"
	"parley/runtime/trace"
)

// A run that is stopped again and again, anywhere, ends as an undisturbed one:
// same trials, same draws, same flags, same spending; and asks nothing twice.
func TestResumedEqualsUndisturbed(t *testing.T) {
	for _, shared := range []bool{false, true} {
		for _, local := range []bool{false, true} {
			plans := []*runtime.Plan{plan("a", 4, 2, shared), plan("b", 4, 2, shared)}
			setup := func(e *endpoint, r *store.Run) queue.Options {
				opt := options(e, r)
				opt.Local = func(model.Spec) bool { return local }
				opt.MaxConnections = 3
				return opt
			}
			r := newStore(t)
			run(t, plans, setup(&endpoint{}, r))
			want := contents(t, r, 2)
			seeds := uint64(8)
			if testing.Short() {
				seeds = 2
			}
			for seed := range seeds {
				rng := rand.New(rand.NewPCG(seed, 1))
				e := &endpoint{}
				r := newStore(t)
				stops := 0
				for done := false; !done; stops++ {
					opt := setup(e, r)
					ctx, cancel := context.WithCancel(context.Background())
					at := e.calls + 1 + rng.IntN(40)
					e.fail = func(n int, _ *model.Request) error {
						if n == at {
							cancel()
							return ctx.Err()
						}
						return nil
					}
					s, err := queue.Run(ctx, plans, opt)
					cancel()
					if err != nil {
						t.Fatal(err)
					}
					done = s.Complete
					r = reopen(t, r)
				}
				if d := cmp.Diff(want, contents(t, r, 2)); d != "" {
					t.Errorf("shared %v, local %v, seed %d, %d stops: %s", shared, local, seed, stops, d)
				}
				if list := e.repeated(); !local && len(list) > 0 {
					t.Errorf("shared %v, seed %d: %d requests were answered twice", shared, seed, len(list))
				}
			}
		}
	}
}

// logged notes what happens to calls in a file, so that a killed process leaves
// word: "ask" when a call goes out, "got" when its trial may go on with it.
type logged struct {
	file *os.File
	wait time.Duration
}

func (l logged) Revision() string { return "1" }

func (l logged) note(what, id string) {
	_, _ = l.file.WriteString(what + " " + id + "\n") // one write: lines stay whole
}

func (l logged) Complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	b, _ := json.Marshal(req)
	id := key.Of(string(b)).Short()
	l.note("ask", id)
	select {
	case <-time.After(l.wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return &model.Response{Content: id, Usage: &model.Usage{Input: 10, Output: 2}}, nil
}

// watched is a caller that notes what its trial got.
type watched struct {
	runtime.Caller
	l logged
}

func (w watched) Call(ctx context.Context, c runtime.Call) (runtime.CallResult, error) {
	res, err := w.Caller.Call(ctx, c)
	if err == nil && !res.Stored && !res.Shared {
		w.l.note("got", res.Response.Content)
	}
	return res, err
}

func killPlans() []*runtime.Plan {
	return []*runtime.Plan{plan("a", 6, 2, true), plan("b", 6, 2, false)}
}

// helped runs the process that the kill test kills: go on with the run until it
// is complete. It reports whether this process is one.
func helped() bool {
	path := os.Getenv("PARLEY_QUEUE_RUN")
	if path == "" {
		return false
	}
	wait, _ := strconv.Atoi(os.Getenv("PARLEY_QUEUE_WAIT"))
	f, err := os.OpenFile(path+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		defer f.Close()
		err = help(path, logged{f, time.Duration(wait) * time.Millisecond})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

func help(path string, l logged) error {
	r, err := store.Resume(path)
	if err != nil {
		return err
	}
	_, err = queue.Run(context.Background(), killPlans(), queue.Options{
		Store: r, Workers: 8, MaxConnections: 8,
		Providers: func(model.Spec) (model.Provider, error) { return l, nil },
		Prepare: func(*runtime.Plan) (runtime.Runner, error) {
			return func(ctx context.Context, t runtime.Trial, c runtime.Caller) (*trace.Trial, error) {
				return talk(ctx, t, watched{c, l})
			}, nil
		},
	})
	if err != nil {
		return err
	}
	return r.Close()
}

// Killed at twenty random moments, a run ends as an undisturbed one. No call is
// made twice once its trial went on with the answer; what may be made twice are
// the calls in flight at the moment of a kill.
func TestKilled(t *testing.T) {
	wait, kills := 50, 20
	if testing.Short() {
		wait, kills = 5, 8
	}
	undisturbed := newStore(t)
	opt := options(&endpoint{}, undisturbed)
	opt.Workers = 8
	run(t, killPlans(), opt)
	want := contents(t, undisturbed, 2)

	dir := t.TempDir()
	r, err := store.Create(dir, store.Meta{Name: "killed", Started: time.Unix(1e9, 0)})
	if err != nil {
		t.Fatal(err)
	}
	path := r.Path()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	killed, before := 0, 0
	for done := false; !done; {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PARLEY_QUEUE_RUN="+path, "PARLEY_QUEUE_WAIT="+strconv.Itoa(wait))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < kills {
			// Enough to get some work done in each life, and not all in one.
			time.Sleep(time.Duration(10+rng.IntN(3*wait+30)) * time.Millisecond)
			_ = cmd.Process.Kill()
			killed++
		}
		done = cmd.Wait() == nil
		mark(t, path)
		n := stored(t, path)
		if n < before {
			t.Fatalf("%d trials were stored, now %d", before, n)
		}
		before = n
	}
	r, err = store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	checkLog(t, path+".log", killed)
	got := contents(t, r, 2)
	// A call in flight when its process died was perhaps paid for and is not
	// counted, so the spending is equal too.
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("after %d kills: %s", killed, d)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
		t.Errorf("files are left beside the run and our log: %v", left)
	}
}

// stored counts the trials of a run as a reader finds them after a kill.
func stored(t *testing.T, path string) int {
	t.Helper()
	r, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n, _, err := r.Counts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// mark separates the lives of processes in the log.
func mark(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path+".log", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("end -\n"); err != nil {
		t.Fatal(err)
	}
}

func checkLog(t *testing.T, path string, killed int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, asked := map[string]bool{}, map[string]int{}
	flying, most, again := map[string]bool{}, 0, 0
	for in := bufio.NewScanner(f); in.Scan(); {
		what, id, _ := strings.Cut(in.Text(), " ")
		switch what {
		case "ask":
			if got[id] {
				t.Errorf("call %s was answered, used, and made again", id)
			}
			if asked[id] > 0 {
				again++
			}
			asked[id]++
			flying[id] = true
			most = max(most, len(flying))
		case "got":
			got[id] = true
			delete(flying, id)
		case "end":
			clear(flying)
		}
	}
	if again > killed*8 {
		t.Errorf("%d calls were made again after %d kills with 8 in flight", again, killed)
	}
	if most > 8 || len(got) == 0 {
		t.Errorf("%d calls in flight, %d answered", most, len(got))
	}
	t.Logf("%d calls, %d made again after %d kills", len(got), again, killed)
}
