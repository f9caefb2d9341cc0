package queue

import (
	"context"
	"fmt"
	"sort"
	"sync"

	"parley/runtime"
	"parley/runtime/store"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct{ Input, Output float64 }

// ledger counts what the run has spent, earlier processes included, against
// its budget.
type ledger struct {
	budget runtime.Budget
	prices map[string]Price
	paid   map[string]bool // models that cost something

	mu       sync.Mutex
	lines    map[[2]string]*store.Spend // by model and role
	calls    int
	tokens   int
	usd      float64
	underway int
}

func newLedger(ctx context.Context, opt Options, plans []*runtime.Plan, paid []string) (*ledger, error) {
	l := &ledger{budget: opt.Budget, prices: opt.Prices, paid: map[string]bool{}, lines: map[[2]string]*store.Spend{}}
	for _, p := range plans {
		l.budget.Calls = smaller(l.budget.Calls, p.Budget.Calls)
		l.budget.Tokens = smaller(l.budget.Tokens, p.Budget.Tokens)
		l.budget.USD = smaller(l.budget.USD, p.Budget.USD)
	}
	for _, name := range paid {
		l.paid[name] = true
		if _, ok := l.prices[name]; !ok && l.budget.USD > 0 {
			return nil, fmt.Errorf("the budget is in dollars, and there is no price for model %q", name)
		}
	}
	if opt.Store == nil {
		return l, nil
	}
	spent, err := opt.Store.Spent(ctx)
	for _, s := range spent {
		l.add(s)
	}
	return l, err
}

// smaller is the smaller of two bounds; zero is none.
func smaller[T int | float64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// begin asks for a call; where the budget is spent it says what of it.
func (l *ledger) begin() (spent string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch b := &l.budget; {
	case b.Calls > 0 && l.calls+l.underway >= b.Calls:
		return fmt.Sprintf("the budget of %d calls is spent", b.Calls)
	case b.Tokens > 0 && l.tokens >= b.Tokens:
		return fmt.Sprintf("the budget of %d tokens is spent", b.Tokens)
	case b.USD > 0 && l.usd >= b.USD:
		return fmt.Sprintf("the budget of %.2f US dollars is spent", b.USD)
	}
	l.underway++
	return ""
}

// end closes a call that was begun; nil: it failed.
func (l *ledger) end(s *store.Spend) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.underway--
	if s != nil {
		l.add(*s)
	}
}

func (l *ledger) add(s store.Spend) {
	k := [2]string{s.Model, s.Role}
	line := l.lines[k]
	if line == nil {
		line = &store.Spend{Model: s.Model, Role: s.Role}
		l.lines[k] = line
	}
	addTo(line, s)
	l.calls += s.Calls
	l.tokens += s.Input + s.Output
	l.usd += l.cost(s)
}

func addTo(line *store.Spend, s store.Spend) {
	line.Calls += s.Calls
	line.Input += s.Input
	line.Output += s.Output
	line.Estimated += s.Estimated
}

func (l *ledger) cost(s store.Spend) float64 {
	p := l.prices[s.Model]
	return (float64(s.Input)*p.Input + float64(s.Output)*p.Output) / 1e6
}

// totals are the tokens and dollars spent.
func (l *ledger) totals() (tokens int, usd float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tokens, l.usd
}

// summary lists what was spent by model and role, and the models without price.
func (l *ledger) summary() (lines []store.Spend, usd float64, unpriced []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.lines {
		lines = append(lines, *s)
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := lines[i], lines[j]
		return a.Model < b.Model || a.Model == b.Model && a.Role < b.Role
	})
	for name := range l.paid {
		if _, ok := l.prices[name]; !ok {
			unpriced = append(unpriced, name)
		}
	}
	sort.Strings(unpriced)
	return lines, l.usd, unpriced
}
