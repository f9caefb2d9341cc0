package runtime

import (
	"fmt"

	"parley/runtime/eval"
)

// allowRule is a compiled Allow.
type allowRule struct {
	src  *Allow
	uris []*expression
	when *expression
	by   map[string]bool
}

func (c *compiler) allow(list []Allow) ([]*allowRule, error) {
	var out []*allowRule
	for i := range list {
		rule := &allowRule{src: &list[i]}
		var err error
		if rule.uris, err = c.exprs(list[i].URIs); err != nil {
			return nil, err
		}
		if rule.when, err = c.expr(list[i].When); err != nil {
			return nil, err
		}
		if len(list[i].By) > 0 {
			rule.by = map[string]bool{}
		}
		for _, name := range list[i].By {
			rule.by[name] = true
		}
		out = append(out, rule)
	}
	return out, nil
}

// layAllow joins the workspace's rules and the task's own.
func (r *run) layAllow(w *runWorld) error {
	w.allow = r.program.worldly.allow
	if own := r.engine.allows[r.input.Case.Row]; len(own) > 0 {
		w.allow = append(w.allow[:len(w.allow):len(w.allow)], own...)
	}
	return nil
}

// authorized reports whether some rule covers the resource. Authority is
// recorded, never enforced; a rule whose condition is unknown covers nothing.
func (w *runWorld) authorized(f *frame, write bool, uri string) (bool, error) {
	for _, rule := range w.allow {
		ok, err := rule.covers(f, write, uri)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func (a *allowRule) covers(f *frame, write bool, uri string) (bool, error) {
	if a.src.Write != write || (a.by != nil && !a.by[f.self.agent.Name]) {
		return false, nil
	}
	for _, x := range a.uris {
		v, err := x.value(f)
		if err != nil {
			return false, fmt.Errorf("an authority rule: %w", err)
		}
		for _, pattern := range uris(v) {
			if !matchURI(pattern, uri) {
				continue
			}
			if a.when == nil {
				return true, nil
			}
			t, err := a.when.truth(f)
			return t == eval.True, err
		}
	}
	return false, nil
}
