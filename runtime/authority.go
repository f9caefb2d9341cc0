package runtime

import (
	"context"
	"slices"

	"parley/runtime/eval"
	"parley/runtime/world"
)

// allowRule is a compiled Allow. Patterns that read nothing are known from the
// start; the others are evaluated for each call.
type allowRule struct {
	src      *Allow
	patterns []string
	uris     []*expression
	when     *expression
}

func (c *compiler) allow(list []Allow) ([]*allowRule, error) {
	var out []*allowRule
	for i := range list {
		rule := &allowRule{src: &list[i]}
		var err error
		if rule.when, err = c.expr(list[i].When); err != nil {
			return nil, err
		}
		for _, e := range list[i].URIs {
			if err := c.pattern(rule, e); err != nil {
				return nil, err
			}
		}
		out = append(out, rule)
	}
	return out, nil
}

func (c *compiler) pattern(rule *allowRule, e Expr) error {
	x, err := c.expr(e)
	if err != nil || x == nil {
		return err
	}
	for name := range x.names {
		if name != "uri" && name != "render" {
			rule.uris = append(rule.uris, x)
			return nil
		}
	}
	v, err := x.prog.Eval(context.Background(), nil, nil)
	if err != nil {
		return x.located(err)
	}
	list, err := resources(v)
	rule.patterns = append(rule.patterns, list...)
	if err != nil {
		return x.located(err)
	}
	return nil
}

// layAllow joins the workspace's rules and the task's own.
func (r *run) layAllow(w *runWorld) {
	w.allow = r.program.worldly.allow
	if own := r.engine.allows[r.input.Case.Row]; len(own) > 0 {
		w.allow = append(w.allow[:len(w.allow):len(w.allow)], own...)
	}
}

// authorized reports whether some rule covers the resource. Authority is
// recorded, never enforced; a rule whose condition is unknown covers nothing.
func (w *runWorld) authorized(f *frame, write bool, uri string) (bool, error) {
	for _, rule := range w.allow {
		if rule.src.Write != write || (len(rule.src.By) > 0 && !slices.Contains(rule.src.By, f.self.agent.Name)) {
			continue
		}
		covers, err := rule.covers(f, uri)
		if err != nil {
			return false, err
		}
		if !covers {
			continue
		}
		if rule.when == nil {
			return true, nil
		}
		holds, err := rule.when.truth(f)
		if err != nil {
			return false, err
		}
		if holds == eval.True {
			return true, nil
		}
	}
	return false, nil
}

func (a *allowRule) covers(f *frame, uri string) (bool, error) {
	for _, p := range a.patterns {
		if world.Match(p, uri) {
			return true, nil
		}
	}
	for _, x := range a.uris {
		v, err := x.value(f)
		if err != nil {
			return false, err
		}
		list, _ := resources(v) // what names no resource covers none
		for _, p := range list {
			if world.Match(p, uri) {
				return true, nil
			}
		}
	}
	return false, nil
}

// resources are the URIs that a header or a rule names, in their one form. What
// cannot be brought into it stays as it is, beside an error, and no rule covers it.
func resources(v any) ([]string, error) {
	list, ok := elements(v)
	if !ok {
		list = []any{v}
	}
	var out []string
	var odd error
	for _, x := range list {
		s := plain(x)
		if s == "" {
			continue
		}
		uri, err := world.Clean(s)
		if err != nil {
			odd, uri = err, s
		}
		out = append(out, uri)
	}
	return out, odd
}
