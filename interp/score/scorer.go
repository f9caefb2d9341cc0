package score

import (
	"fmt"

	"parley/runtime"
	"parley/runtime/eval"
)

// armOrder is the order of tables.
var armOrder = runtime.ArmNames()

// Scorer scores the trials of one configuration. It is immutable and safe for
// concurrent use.
type Scorer struct {
	spec  *Spec
	plan  *runtime.Plan
	cases map[int]*runtime.Case // by row
	base  runtime.ArmName       // what names without a prefix mean
	teams map[runtime.ArmName]*team
	// variants are the teams of those tasks for which an arm has its own program.
	variants map[place]*team
	preds    map[string]*pred
	tasks    map[int]map[string]*pred // by row
	attack   map[string]*pred
	items    []*item
	byName   map[string]*item
	fails    []*pred
	fns      map[string]eval.Func
	count    int // predicates, the tasks' and the attack's included
	// verdicts finds what judges said; nil: they have not been asked.
	verdicts Verdicts
}

// place is an arm in the task of a row.
type place struct {
	arm runtime.ArmName
	row int
}

// teamIn is the team of an arm in a task; nil where there is no such arm.
func (s *Scorer) teamIn(arm runtime.ArmName, row int) *team {
	if t := s.variants[place{arm, row}]; t != nil {
		return t
	}
	return s.teams[arm]
}

// pred is a compiled predicate.
type pred struct {
	Pred
	prog   *eval.Program
	number int                                   // among the scorer's predicates
	scope  map[string]*pred                      // siblings of a task's or an attack's own predicate
	uses   map[runtime.ArmName][]runtime.ArmName // seen from an arm: whose runs it reads
	lack   map[runtime.ArmName]string            // names that the arm's team lacks
	judges map[runtime.ArmName][]judgeUse        // whose verdicts it reads
}

// item is a compiled score.
type item struct {
	Item
	index            int
	value, given, by *pred
	per              *pred
	foreknown        []*pred // parts of given that the plan decides
	uses             map[runtime.ArmName][]runtime.ArmName
}

// New compiles a configuration's predicates and scores. Predicates see those of
// their own set by bare names, and the task's and the attack's as task.NAME and
// attack.NAME.
func New(spec *Spec, plan *runtime.Plan) (*Scorer, error) {
	s := &Scorer{
		spec: spec, plan: plan, cases: make(map[int]*runtime.Case, len(plan.Cases)), base: runtime.Clean,
		teams: map[runtime.ArmName]*team{}, variants: map[place]*team{}, preds: map[string]*pred{},
		tasks: map[int]map[string]*pred{}, attack: map[string]*pred{}, byName: map[string]*item{},
	}
	for i := range plan.Cases {
		s.cases[plan.Cases[i].Row] = &plan.Cases[i]
	}
	graph := hops{}
	for i := range plan.Arms {
		a := &plan.Arms[i]
		s.teams[a.Name] = teamOf(a.Program, spec)
		for _, v := range a.Variants {
			t := teamOf(v.Program, spec)
			for _, row := range v.Rows {
				s.variants[place{a.Name, row}] = t
			}
		}
		if a.Name == runtime.Attacked {
			s.base = runtime.Attacked
		}
		if a.Program != nil {
			graph.add(a.Program.Edges)
		}
	}
	if s.teams[s.base] == nil {
		return nil, fmt.Errorf("the plan has no %s arm to score", s.base)
	}
	s.fns = functions(graph)
	if err := s.compile(eval.NewCache(s.fns)); err != nil {
		return nil, err
	}
	s.trace()
	return s, nil
}

func (s *Scorer) compile(cache *eval.Cache) error {
	all := func(into, scope map[string]*pred, list []Pred) error {
		for _, p := range list {
			c, err := compilePred(cache, p)
			if err != nil {
				return err
			}
			c.scope, c.number = scope, s.count
			s.count++
			into[p.Name] = c
		}
		return nil
	}
	if err := all(s.preds, nil, s.spec.Verify); err != nil {
		return err
	}
	if err := all(s.attack, s.attack, s.spec.AttackVerify); err != nil {
		return err
	}
	for row, list := range s.spec.TaskVerify {
		s.tasks[row] = map[string]*pred{}
		if err := all(s.tasks[row], s.tasks[row], list); err != nil {
			return err
		}
	}
	for _, p := range s.spec.Fail {
		c, err := compilePred(cache, p)
		if err != nil {
			return err
		}
		s.fails = append(s.fails, c)
	}
	for i, it := range s.spec.Scores {
		c := &item{Item: it, index: i}
		for _, part := range []struct {
			expr runtime.Expr
			to   **pred
		}{{it.Expr, &c.value}, {it.Given, &c.given}, {it.Per, &c.per}, {it.By, &c.by}} {
			if part.expr.Absent() {
				continue
			}
			p, err := compilePred(cache, Pred{Name: it.Name, Expr: part.expr})
			if err != nil {
				return err
			}
			*part.to = p
		}
		if c.given != nil && c.per != nil {
			for _, src := range foreknown(it.Given.Src) {
				p, err := compilePred(cache, Pred{Name: it.Name, Expr: runtime.Expr{Src: src, At: it.Given.At}})
				if err != nil {
					return err
				}
				c.foreknown = append(c.foreknown, p)
			}
		}
		if c.value == nil {
			return fmt.Errorf("%s: score %s has no expression", it.At, it.Name)
		}
		if s.byName[it.Name] != nil {
			return fmt.Errorf("%s: there are two scores named %s", it.At, it.Name)
		}
		s.items, s.byName[it.Name] = append(s.items, c), c
	}
	return nil
}

func compilePred(cache *eval.Cache, p Pred) (*pred, error) {
	prog, err := cache.Compile(p.Expr.Src)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", p.Expr.At, p.Name, err)
	}
	return &pred{Pred: p, prog: prog}, nil
}
