package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// cannedAnswer is what the measuring endpoint always says.
const cannedAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"canned","system_fingerprint":"fp_1",` +
	`"choices":[{"index":0,"message":{"role":"assistant","content":"The bridge was finished in the year 1801, as the records of the town say, and it has stood there since."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":60,"completion_tokens":24,"total_tokens":84}}`

// answerCanned is the endpoint that measurings run against, in a process of its
// own so that its work is not counted: it prints its address and answers every
// request after a delay, until its standard input ends.
func answerCanned(delay time.Duration, h host) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return failure(h, err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // whoever asked has gone if this fails
		time.Sleep(delay)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, cannedAnswer)
	})}
	fmt.Fprintln(h.stdout, l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Close()
	}()
	if err := server.Serve(l); err != nil && err != http.ErrServerClosed {
		return failure(h, err)
	}
	return exitOK
}

// endpoint starts a canned endpoint and gives its address; stop ends it.
func (b *bench) endpoint(ctx context.Context, delay time.Duration) (base string, stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, exe, "bench", "--answer", delay.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait() // it has nothing to say any more
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the endpoint did not start: %w", err)
	}
	return "http://" + strings.TrimSpace(line) + "/v1", stop, nil
}
