package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"parley/interp"
	"parley/runtime/model"
	"parley/runtime/model/openai"
	"parley/runtime/queue"
)

// wireText asks an endpoint: five voters, two turns each, in every run.
const wireText = `language 1
model remote { provider openai name "canned" base_url "BASE" }
team voters() {
  agent voter[5] { system "You are voter ${self.index}. Answer the question, and say where you know it from." }
  turns {
    first_vote: each voter { prompt "${task.prompt}" }
    second_vote: each voter { prompt "Answer once more: ${task.prompt}" }
  }
  answer first(second_vote).text
}
scenario asked() {
  team voters()
  model remote
  tasks "facts.jsonl"
  verify { correct = same(run.answer, task.answer) }
  score { rate accuracy = correct }
}
`

const wireCalls = 10 // of one run

// wire measures what a model call costs beside the same bytes sent by a loop
// over the client library, and by a loop over net/http.
func (b *bench) wire(ctx context.Context) error {
	base, stop, err := b.endpoint(ctx, 0)
	if err != nil {
		return err
	}
	defer stop()
	calls := b.size(8000, 1200)
	body, err := b.sample(ctx)
	if err != nil {
		return err
	}
	for _, flight := range []int{1, 16, 256} {
		client := &http.Client{Transport: tuned(flight)}
		loops := []struct {
			name string
			do   func(n int) (cost float64, err error)
		}{
			{"bare", func(n int) (float64, error) {
				return loop(flight, n, func() error { return post(ctx, client, base, body) })
			}},
			{"client", func(n int) (float64, error) { return b.library(ctx, client, base, body, flight, n) }},
			{"ours", func(n int) (float64, error) { return b.ask(ctx, base, n, flight) }},
		}
		cost := map[string]float64{}
		for _, l := range loops {
			_, err := l.do(calls / 10) // connections, caches
			if err == nil {
				cost[l.name], err = l.do(calls)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
		client.CloseIdleConnections()
		count := fmt.Sprintf("%s calls, %d in flight", grouped(calls), flight)
		b.add(figure{
			What: "a model call beside a go-openai loop", Count: count, Value: cost["ours"] / cost["client"], Unit: "×", CPU: cost["ours"],
			Bar: 2, Most: true, Bound: amount(cost["client"]) + " µs",
		})
		b.add(figure{
			What: "a model call beside a bare net/http loop", Count: count, Value: cost["ours"] / cost["bare"], Unit: "×", CPU: cost["ours"],
			Bar: 5, Most: true, Bound: amount(cost["bare"]) + " µs",
		})
	}
	return nil
}

func tuned(flight int) *http.Transport {
	return &http.Transport{MaxIdleConns: 2 * flight, MaxIdleConnsPerHost: 2 * flight, DisableCompression: true}
}

// loop does something n times, some at a time, and gives the CPU time of one in
// microseconds.
func loop(flight, n int, do func() error) (float64, error) {
	cpu := cpuTime()
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make(chan error, flight)
	for range flight {
		wg.Go(func() {
			for next.Add(1) <= int64(n) {
				if err := do(); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return microseconds(cpuTime()-cpu) / float64(n), nil
	}
}

func post(ctx context.Context, client *http.Client, base string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// library sends the same request through the client library.
func (b *bench) library(ctx context.Context, client *http.Client, base string, body []byte, flight, n int) (float64, error) {
	var req goopenai.ChatCompletionRequest
	if err := json.Unmarshal(body, &req); err != nil {
		return 0, err
	}
	config := goopenai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = base, client
	c := goopenai.NewClientWithConfig(config)
	return loop(flight, n, func() error {
		_, err := c.CreateChatCompletion(ctx, req)
		return err
	})
}

// ask runs the scenario for about n calls, everything recorded, and gives the CPU
// time of one in microseconds.
func (b *bench) ask(ctx context.Context, base string, n, flight int) (float64, error) {
	suite, release, err := b.asked(base, n)
	if err != nil {
		return 0, err
	}
	defer release()
	run, err := b.stored()
	if err != nil {
		return 0, err
	}
	ends := openai.New(openai.Config{Connections: flight})
	cpu := cpuTime()
	sum, err := queue.Run(ctx, plansOf(suite), queue.Options{
		Store: run, Workers: flight, MaxConnections: flight,
		Providers: func(s model.Spec) (model.Provider, error) { return ends.Provider(s) },
	})
	ends.Close()
	if err == nil && !sum.Complete {
		err = fmt.Errorf("%d of %d trials ended, %d in an error: %s", sum.Ran, sum.Total, sum.Errored, sum.Stopped)
	}
	err = errors.Join(err, run.Close())
	cost := microseconds(cpuTime()-cpu) / float64(max(1, sum.Calls))
	return cost, errors.Join(err, os.Remove(run.Path()))
}

// asked compiles the scenario of the wire against an endpoint.
func (b *bench) asked(base string, calls int) (*interp.Suite, func(), error) {
	file, err := b.wireFile(base)
	if err != nil {
		return nil, nil, err
	}
	runs := max(1, calls/(suiteTasks*wireCalls))
	limit := ""
	if calls < suiteTasks*wireCalls {
		limit = fmt.Sprint(max(1, calls/wireCalls))
	}
	suite, release, _ := compileFile(file, "", interp.Options{Runs: runs, Limit: limit}, b.host)
	if suite == nil {
		return nil, nil, fmt.Errorf("the scenario does not compile")
	}
	return suite, release, nil
}

// sample is a request as the scenario sends it.
func (b *bench) sample(ctx context.Context) ([]byte, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	bodies := make(chan []byte, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil {
			select {
			case bodies <- body:
			default:
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, cannedAnswer)
	})}
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(l) }) // ends when it is closed below
	_, err = b.ask(ctx, "http://"+l.Addr().String()+"/v1", wireCalls, 1)
	err = errors.Join(err, server.Close())
	served.Wait()
	if err != nil {
		return nil, err
	}
	return <-bodies, nil
}

// waiting holds thousands of trials on an endpoint that takes its time, in a
// process of their own.
func (b *bench) waiting(ctx context.Context) error {
	base, stop, err := b.endpoint(ctx, 2*time.Second)
	if err != nil {
		return err
	}
	defer stop()
	file, err := b.wireFile(base)
	if err != nil {
		return err
	}
	text := strings.Replace(strings.Replace(wireText, "BASE", base, 1), "voter[5]", "voter[1]", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	trials := b.size(10_000, 600)
	all := fmt.Sprint(trials)
	took, err := b.self(ctx, "run", file, "--quiet", "--fresh", "--workers", all, "--max-connections", all, "--runs", fmt.Sprint(trials/suiteTasks))
	if err != nil {
		return err
	}
	count := fmt.Sprintf("%s at a time, 2 s an answer", grouped(trials/suiteTasks*suiteTasks))
	if took.memory > 0 {
		b.add(figure{What: "trials in flight: resident memory", Count: count, Value: float64(took.memory) / (1 << 20), Unit: "MiB", Bar: 1024, Most: true})
	}
	b.add(figure{
		What: "trials in flight: cores busy", Count: fmt.Sprintf("%s, start and scoring included", count), Value: took.cpu.Seconds() / took.wall.Seconds(), Unit: "cores",
		CPU: microseconds(took.cpu) / float64(2*trials),
	})
	return nil
}

func (b *bench) wireFile(base string) (string, error) {
	dir := filepath.Join(b.dir, "wire")
	if _, err := suiteFile(dir); err != nil { // for the tasks
		return "", err
	}
	file := filepath.Join(dir, "wire.parley")
	return file, os.WriteFile(file, []byte(strings.Replace(wireText, "BASE", base, 1)), 0o644)
}
