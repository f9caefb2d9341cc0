package queue

import (
	"fmt"
	"reflect"
	"sort"
	"sync"
	"unsafe"

	"parley/runtime"
	"parley/runtime/key"
	"parley/runtime/model"
)

// models gives what answers for each model, made once and shared by all trials.
type models struct {
	opt Options

	mu   sync.Mutex
	made map[key.Key]*answering
	seen map[handle]found    // the same by what is told apart at a glance
	ends map[string]*limiter // by endpoint
}

// answering is a model with its provider.
type answering struct {
	spec     model.Spec
	provider model.Provider
	revision string
	local    bool
	limit    *limiter // nil: local
}

func newModels(opt Options) *models {
	return &models{opt: opt, made: map[key.Key]*answering{}, seen: map[handle]found{}, ends: map[string]*limiter{}}
}

// handle tells specs apart by where their parameters lie: every trial asks for
// its models, and adding up many parameters takes longer than most calls of it.
type handle struct {
	provider, name, base string
	params               unsafe.Pointer
}

// found keeps the parameters, so that no others take their place.
type found struct {
	*answering
	params map[string]float64
}

func (m *models) of(spec model.Spec) (*answering, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := handle{spec.Provider, spec.Name, spec.BaseURL, reflect.ValueOf(spec.Params).UnsafePointer()}
	if f, ok := m.seen[h]; ok {
		return f.answering, nil
	}
	a, err := m.make(spec)
	if err == nil {
		if len(m.seen) > 1000 {
			clear(m.seen)
		}
		m.seen[h] = found{a, spec.Params}
	}
	return a, err
}

func (m *models) make(spec model.Spec) (*answering, error) {
	k := specKey(&spec)
	if a := m.made[k]; a != nil {
		return a, nil
	}
	p, err := m.opt.Providers(spec)
	if err != nil {
		return nil, err
	}
	a := &answering{spec: spec, provider: p, local: m.opt.Local(spec)}
	a.revision = p.Revision()
	if len(spec.Params) > 0 { // parameters make another model of it
		a.revision = fmt.Sprintf("%s+%s", a.revision, key.Of(spec.Params).Short())
	}
	if !a.local {
		end := spec.Provider + " " + spec.BaseURL
		if m.ends[end] == nil {
			m.ends[end] = newLimiter(m.opt.MaxConnections)
		}
		a.limit = m.ends[end]
	}
	m.made[k] = a
	return a, nil
}

// specKey goes by what makes a provider of its own; sampling is in the request.
func specKey(s *model.Spec) key.Key {
	if len(s.Params) == 0 {
		return key.Of(s.Provider, s.Name, s.BaseURL)
	}
	return key.Of(s.Provider, s.Name, s.BaseURL, s.Params)
}

// sameModel reports whether two specs are surely the same model: their
// parameters are one map.
func sameModel(a, b *model.Spec) bool {
	return a.Provider == b.Provider && a.Name == b.Name && a.BaseURL == b.BaseURL &&
		reflect.ValueOf(a.Params).UnsafePointer() == reflect.ValueOf(b.Params).UnsafePointer()
}

func (m *models) revision(spec model.Spec) (string, error) {
	a, err := m.of(spec)
	if err != nil {
		return "", err
	}
	return a.revision, nil
}

// tasked gives the model if it knows more of a task than its requests show.
func (m *models) tasked(spec model.Spec) (model.Tasked, bool) {
	a, err := m.of(spec)
	if err != nil {
		return nil, false
	}
	t, ok := a.provider.(model.Tasked)
	return t, ok
}

// paid lists the names of the models that cost something; a person who approves
// does not.
func (m *models) paid() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for _, a := range m.made {
		if !a.local && a.spec.Provider != runtime.ApprovalProvider {
			names = append(names, a.spec.Name)
		}
	}
	sort.Strings(names)
	return names
}

// inFlight is how many calls wait for an answer.
func (m *models) inFlight() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, l := range m.ends {
		n += l.busy()
	}
	return n
}
