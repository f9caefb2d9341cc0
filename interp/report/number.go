package report

import (
	"fmt"
	"math"
	"strings"

	"parley/interp/score"
)

// unit says how numbers of a score are written.
type unit int

const (
	bare unit = iota
	percent
)

// unitOf is percent for rates, and for what somebody published in percent.
func (in *Input) unitOf(s *score.Score) unit {
	if s.Kind == "rate" || s.Kind == "grade" || s.Share {
		return percent
	}
	for _, c := range in.Suite.Cells {
		for _, p := range c.Spec.Published {
			if p.Score == s.Name && strings.HasSuffix(p.Printed, "%") {
				return percent
			}
		}
	}
	for _, a := range in.Suite.Across {
		for _, p := range a.Published {
			if p.Score == s.Name && strings.HasSuffix(p.Printed, "%") {
				return percent
			}
		}
	}
	return bare
}

// show writes a number; what does not exist is n/a.
func (u unit) show(n score.Number) string {
	f := float64(n)
	switch {
	case !n.Defined():
		return "n/a"
	case math.IsInf(f, 1):
		return "∞"
	case math.IsInf(f, -1):
		return "-∞"
	case u == percent:
		return fmt.Sprintf("%.2f %%", 100*f)
	case math.Abs(f) >= 1000:
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.3f", f)
}

// signed is show with the sign of a difference.
func (u unit) signed(n score.Number) string {
	if n.Defined() && n > 0 {
		return "+" + u.points(n)
	}
	return u.points(n)
}

// points writes a difference; that of two percentages is in percentage points.
func (u unit) points(n score.Number) string {
	if u == percent && n.Defined() && !math.IsInf(float64(n), 0) {
		return fmt.Sprintf("%.2f pp", 100*n)
	}
	return u.show(n)
}

// interval writes both ends.
func (u unit) interval(low, high score.Number) string {
	if !low.Defined() || !high.Defined() {
		return "none"
	}
	return "[" + u.show(low) + ", " + u.show(high) + "]"
}

// p writes a p-value.
func p(n score.Number) string {
	switch {
	case !n.Defined():
		return "n/a"
	case n < 0.0001:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", n)
}

func count(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

func whole(f float64) string {
	if f == math.Trunc(f) {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.1f", f)
}
