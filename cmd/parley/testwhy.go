package main

import (
	"context"
	"regexp"
	"strings"

	"parley/interp"
	"parley/interp/explain"
	"parley/interp/score"
)

// because says what the parts of an expectation came to, and the parts of each
// predicate that it names: a name alone tells nobody why. Empty: there is nothing
// to add.
func because(ctx context.Context, t *interp.Test, p interp.Played, expected score.Pred) string {
	var lines []string
	if reasons, err := p.Reasons(ctx, expected); err == nil && len(reasons) > 1 {
		lines = explain.Lines(reasons[1:], "")
	}
	for _, pred := range t.Cell.Spec.Verify {
		if !names(expected.Expr.Src, pred.Name) {
			continue
		}
		reasons, err := p.Reasons(ctx, pred)
		if err != nil || len(reasons) == 0 {
			continue
		}
		lines = append(lines, "  where "+pred.Name+" is, at "+pred.Expr.At+":")
		lines = append(lines, explain.Lines(reasons, "    ")...)
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n" + strings.Join(lines, "\n")
}

// names reports whether an expression reads a predicate of the run that it looks at:
// its name, and not a field of something else.
func names(src, predicate string) bool {
	return regexp.MustCompile(`(^|[^.\w])` + regexp.QuoteMeta(predicate) + `\b`).MatchString(src)
}
