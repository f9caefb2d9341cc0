package queue

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"parley/runtime/model"
	"parley/runtime/trace"
)

// Remark is something that happened a number of times and must not pass
// silently, though the run went on.
type Remark struct {
	Model string // empty: not one model's doing
	What  string // in words that stay the same
	Count int
}

// remarks counts what went wrong and what was odd.
type remarks struct {
	mu          sync.Mutex
	faults, odd map[[2]string]int
	versions    map[[2]string]int
}

// answered counts which version of a model answered, where it says so.
func (r *remarks) answered(name string, resp *model.Response) {
	if resp.Model == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	count(&r.versions, name, resp.Model)
}

// failed counts a failed attempt by what it was.
func (r *remarks) failed(name string, f *model.Fault) {
	what := f.Kind
	switch {
	case what != "":
	case f.Status > 0:
		what = fmt.Sprintf("status %d", f.Status)
	default:
		what = "no answer"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	count(&r.faults, name, what)
}

// read counts what a trial's record tells of odd answers, estimated tokens and
// turns that had to be noted.
func (r *remarks) read(t *trace.Trial) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range t.Events {
		e := &t.Events[i]
		if e.Note != nil {
			count(&r.odd, "", noted(e.Note.Code))
		}
		if e.Model != nil {
			r.call(e.Model)
		}
	}
}

func (r *remarks) call(m *trace.Model) {
	if m.Estimated {
		count(&r.odd, m.Model, "no count of tokens: they are estimated")
	}
	if !strings.HasSuffix(m.Position, "/r0") { // a position's last part counts repairs
		count(&r.odd, m.Model, "a reply that was asked for again")
	}
	for _, what := range m.Odd {
		count(&r.odd, m.Model, what)
	}
}

// noted puts a note's code into words.
func noted(code string) string {
	switch code {
	case "unreadable":
		return "a reply that could not be read"
	case "length":
		return "an answer cut at its length limit"
	case "tool-rounds":
		return "tools asked for after the last tool round"
	}
	return code
}

func count(in *map[[2]string]int, name, what string) {
	if *in == nil {
		*in = map[[2]string]int{}
	}
	(*in)[[2]string{name, what}]++
}

// lists gives what was counted, the most frequent of a model first.
func (r *remarks) lists() (failures, odd []Remark) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := map[string]int{}
	for k := range r.versions {
		of[k[0]]++
	}
	// Runs that are compared should be of one model; that they are not must show.
	for k, n := range r.versions {
		if of[k[0]] > 1 {
			odd = append(odd, Remark{Model: k[0], What: "by the version " + k[1], Count: n})
		}
	}
	odd = append(odd, listed(r.odd)...)
	order(odd)
	return listed(r.faults), odd
}

func listed(counts map[[2]string]int) []Remark {
	var list []Remark
	for k, n := range counts {
		list = append(list, Remark{Model: k[0], What: k[1], Count: n})
	}
	order(list)
	return list
}

// order sorts by model, the most frequent first.
func order(list []Remark) {
	sort.Slice(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case a.Model != b.Model:
			return a.Model < b.Model
		case a.Count != b.Count:
			return a.Count > b.Count
		}
		return a.What < b.What
	})
}
