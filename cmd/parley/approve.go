package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"parley/lang/diag"
	"parley/runtime/model"
)

// approver decides for the people that a defense asks: as the policy says, or as
// somebody at the terminal does. One question is asked at a time.
type approver struct {
	policy string
	at     *desk
}

// desk is where people are asked.
type desk struct {
	mu    sync.Mutex
	in    *bufio.Reader
	out   io.Writer
	ended bool
}

// newDesk is a desk at the host's input; nil where it has none.
func newDesk(h host) *desk {
	if h.stdin == nil {
		return nil
	}
	return &desk{in: bufio.NewReader(h.stdin), out: h.stderr}
}

// errNobody stops the run: every further question would find nobody too.
var errNobody = &model.Fault{Lasting: true, Err: errors.New("nobody is there to approve: run with --approve always or never, or answer at the terminal")}

// Revision is the policy: what it decides is no other policy's decision.
func (a approver) Revision() string { return "approval " + a.policy }

// Complete decides.
func (a approver) Complete(ctx context.Context, req *model.Request) (*model.Response, error) {
	said := ""
	switch a.policy {
	case "always":
		said = "yes"
	case "never":
		said = "no"
	default:
		var err error
		if said, err = a.at.ask(ctx, req); err != nil {
			return nil, err
		}
	}
	return &model.Response{Model: a.Revision(), Content: said, Finish: "stop", Usage: &model.Usage{}}, nil
}

// ask shows the question and reads a line.
func (d *desk) ask(ctx context.Context, req *model.Request) (string, error) {
	if d == nil {
		return "", errNobody
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended || ctx.Err() != nil {
		return "", errors.Join(errNobody, ctx.Err())
	}
	text := ""
	if n := len(req.Messages); n > 0 {
		text = req.Messages[n-1].Content
	}
	fmt.Fprintf(d.out, "\n%s\napprove? yes, or no and why: ", diag.Safe(text))
	line, err := d.in.ReadString('\n')
	if err != nil {
		d.ended = true
	}
	if said := strings.TrimSpace(line); said != "" {
		return said, nil
	}
	if err != nil {
		return "", errNobody
	}
	return "no", nil
}
