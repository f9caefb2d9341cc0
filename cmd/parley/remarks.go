package main

import (
	"fmt"

	"parley/lang/diag"
	"parley/runtime/queue"
)

// say shows what was learnt of an endpoint, at once and again at the end.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, text)
	switch {
	case p.quiet:
	case p.bars != nil:
		fmt.Fprintln(p.bars, diag.Safe(text))
	default:
		fmt.Fprintln(p.w, diag.Safe(text))
	}
}

// said is all that was learnt, in order.
func (p *progress) said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.notes
}

// remarkLines name what went wrong and what was odd, so that nothing of it
// passes silently.
func remarkLines(s *queue.Summary, said []string) []string {
	var lines []string
	for _, r := range s.Failures {
		lines = append(lines, fmt.Sprintf("failed attempts of %s: %d × %s", r.Model, r.Count, r.What))
	}
	for _, r := range s.Odd {
		if r.Model == "" {
			lines = append(lines, fmt.Sprintf("noted: %d × %s", r.Count, r.What))
		} else {
			lines = append(lines, fmt.Sprintf("answers of %s: %d × %s", r.Model, r.Count, r.What))
		}
	}
	return append(lines, said...)
}
