package sim

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// Facts is what the simulator knows of runs that it is asked to judge: by the text
// that it is shown, what is so. It stands beside the request as the table of tasks
// does; nothing of it is sent. It is safe for concurrent use.
type Facts struct {
	mu    sync.RWMutex
	known map[[sha256.Size]byte]map[string]any
}

// Learn says what is so of the run that a text shows, by the fields of the verdict.
// The returned function forgets it.
func (f *Facts) Learn(text string, truth map[string]any) (forget func()) {
	k := sha256.Sum256([]byte(text))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = map[[sha256.Size]byte]map[string]any{}
	}
	f.known[k] = truth
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.known, k)
	}
}

func (f *Facts) about(text string) map[string]any {
	if f == nil {
		return nil
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.known[sha256.Sum256([]byte(text))]
}

// With is the simulator with facts about runs.
func (s *Sim) With(f *Facts) *Sim {
	out := *s
	out.facts = f
	return &out
}

// judging reports whether a request asks for a verdict on a recorded run, which its
// fence shows, and what is so. Without facts about the run truth is nil.
func (s *Sim) judging(req *model.Request) (truth map[string]any, judging bool) {
	if req.Replies == nil || len(req.Messages) == 0 {
		return nil, false
	}
	first := &req.Messages[0]
	if first.Role != "system" || !strings.HasPrefix(first.Content, model.JudgeOpening) {
		return nil, false
	}
	for i := range req.Messages {
		if m := &req.Messages[i]; m.Role == "user" {
			return s.facts.about(m.Content), true
		}
	}
	return nil, true
}

// judge gives a verdict: the truth, confused as the parameters say. Who knows
// nothing of the run says so, and not in the asked form.
func (s *Sim) judge(req *model.Request, truth map[string]any) (*model.Response, error) {
	v := &view{req: req, turn: len(req.Messages)}
	if err := s.fail(v); err != nil {
		return nil, err
	}
	resp := &model.Response{Model: s.revision, Finish: "stop", Simulated: true}
	switch {
	case s.refuse(v):
		resp.Refusal = "I would rather not judge this."
	case truth == nil:
		resp.Content = "Nobody has told me what became of this run."
	case event(req, "unreadable") < s.params.Unreadable:
		resp.Content = "I have an opinion on this run, but I would rather not put it into a fixed form."
	default:
		resp.Content = string(appendValue(nil, s.verdict(v, truth)))
	}
	usage := model.EstimateUsage(req, resp)
	usage.Output += s.params.Tokens
	resp.Usage = &usage
	return resp, nil
}

// verdict fills the asked form: what is so, each field of which the confusion
// matrix has a row drawn anew, and something plausible in the fields that nothing
// is known about.
func (s *Sim) verdict(v *view, truth map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range v.req.Replies.Fields {
		value, known := fit(f.Shape, truth[f.Name])
		switch {
		case known:
			out[f.Name] = s.confused(v.req, f, value)
		default:
			out[f.Name] = filler(f.Name, f.Shape, v)
		}
	}
	return out
}

func (s *Sim) confused(req *model.Request, f shape.Field, value any) any {
	row := s.params.Judges[fmt.Sprint(value)]
	if row == nil {
		return value
	}
	values := slices.Clone(f.Shape.Values)
	if f.Shape.Kind == shape.Bool {
		values = []any{false, true}
	}
	at := event(req, "verdict/"+f.Name)
	for _, x := range values {
		if at -= row[fmt.Sprint(x)]; at < 0 {
			return x
		}
	}
	return value // the row's sum is 1 but for rounding
}
