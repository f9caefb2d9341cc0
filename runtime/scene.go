package runtime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"parley/runtime/eval"
	"parley/runtime/trace"
	"parley/runtime/world"
)

// scene is where statements run: the turn program, or the body of one tool call
// in the middle of a turn. Steps inside of a body are turns like any other; the
// caller's own turn goes on with what the body returns.
type scene struct {
	run   *run
	loops []*loop // enclosing loops, outermost first

	path string // where its steps stand: under a call, in a later task of a session

	// Of a tool's body only:
	job   *job   // whose call it is
	frame *frame // its arguments and lets
	left  int    // statements and passes that it may still take
	// before is the world as it is when the body fails, and kept how many of its
	// changes stand then: what others have seen is not undone.
	before world.Checkpoint
	kept   int
}

// flow says how control goes on after a statement.
type flow struct {
	kind  flowKind
	level int    // leave: index of the loop that ends
	why   string // stop: the reason; limit: which
	value any    // back: the value
}

type flowKind int

const (
	next   flowKind = iota
	leave           // leave loop number level
	stop            // the program ends
	limit           // the program ends by a limit, or failed
	back            // a tool body returns
	barred          // a defense has stopped the run
)

// loop is an enclosing repeat or for.
type loop struct {
	until *expression
	pass  int // from 1
}

// at is where the scene's own expressions are evaluated.
func (sc *scene) at(place string) *frame {
	if sc.frame != nil {
		return sc.frame
	}
	return &frame{run: sc.run, place: sc.path + place + sc.loopCounts()}
}

// lets are the names that the scene's statements bind.
func (sc *scene) lets() map[string]any {
	if sc.frame != nil {
		return sc.frame.vars
	}
	return sc.run.lets
}

// statements runs a block.
func (sc *scene) statements(list []*stmt) (flow, error) {
	for _, s := range list {
		if end, err := sc.pass(); err != nil || end.kind != next {
			return end, err
		}
		if err := sc.run.ctx.Err(); err != nil {
			return flow{}, err
		}
		end, err := sc.statement(s)
		if err != nil || end.kind != next {
			return end, err
		}
	}
	return flow{}, nil
}

// pass counts a statement or a loop pass against the engine's own bound.
func (sc *scene) pass() (flow, error) {
	if sc.job != nil {
		if sc.left--; sc.left < 0 {
			return flow{}, failure("the tool does not come to an end")
		}
		return flow{}, nil
	}
	r := sc.run
	r.passes++
	if r.passes > MaxPasses {
		return flow{kind: limit, why: "more than " + strconv.Itoa(MaxPasses) + " statements"}, nil
	}
	return flow{}, nil
}

func (sc *scene) statement(s *stmt) (flow, error) {
	switch s.src.Kind {
	case StepStmt:
		return sc.step(s)
	case RepeatStmt:
		return sc.repeat(s)
	case ForStmt:
		return sc.each(s)
	case IfStmt:
		holds, err := s.expr.truth(sc.at("if"))
		if err != nil {
			return flow{}, err
		}
		if holds == eval.True {
			return sc.statements(s.body)
		}
		return sc.statements(s.elses)
	case LetStmt:
		v, err := s.expr.value(sc.at("let " + s.src.Name))
		if err == nil {
			sc.lets()[s.src.Name] = v
		}
		return flow{}, err
	case SetStmt, AppendStmt:
		return flow{}, sc.assign(s)
	case SayStmt:
		return flow{}, sc.say(s)
	case ResetStmt:
		return flow{}, sc.reset(s)
	case StopStmt, FailStmt:
		return sc.ending(s)
	case BreakStmt:
		return flow{kind: leave, level: len(sc.loops) - 1}, nil
	case RequireStmt:
		return flow{}, sc.require(s)
	case ReturnStmt:
		if s.expr == nil {
			return flow{kind: back}, nil
		}
		v, err := s.expr.value(sc.at("return"))
		return flow{kind: back, value: v}, err
	}
	return flow{}, fmt.Errorf("%s: there is no statement %q", s.src.At, s.src.Kind)
}

// ending is a stop, after which the answer is read, or a fail, after which there
// is none.
func (sc *scene) ending(s *stmt) (flow, error) {
	end := flow{kind: stop, why: "stop"}
	if s.src.Kind == FailStmt {
		end = flow{kind: limit, why: "fail"}
	}
	if s.expr == nil {
		return end, nil
	}
	t, err := s.expr.text(sc.at(end.why), "")
	end.why = first(t.String(), end.why)
	return end, err
}

// repeat runs its body a number of times, until a condition holds, or both. The
// condition is looked at before each pass, and after each turn, where it ends the
// pass that has begun.
func (sc *scene) repeat(s *stmt) (flow, error) {
	times := -1
	if s.expr != nil {
		v, err := s.expr.value(sc.at("repeat"))
		if err != nil {
			return flow{}, err
		}
		n, ok := wholeNumber(v)
		if !ok {
			return flow{}, sc.unfit(s, "repeat found no whole number of times, so it does nothing")
		}
		times = max(n, 0) // less than nothing is nothing, and not "for ever"
	}
	l := &loop{until: s.until}
	sc.loops = append(sc.loops, l)
	defer sc.leave()
	for times < 0 || l.pass < times {
		if level, err := sc.overAt(len(sc.loops) - 1); err != nil || level >= 0 {
			return flow{}, err
		}
		l.pass++
		end, over, err := sc.body(s)
		if over {
			return end, err
		}
	}
	return flow{}, nil
}

// unfit is what becomes of a value that a statement can do nothing with: an error
// for who called a tool; in the turn program a note, for it may come from a model,
// whose trial goes on.
func (sc *scene) unfit(s *stmt, why string) error {
	if sc.job != nil {
		return failure("%s", strings.TrimSuffix(why, ", so it does nothing"))
	}
	sc.run.note("value", "", -1, s.src.At+": "+why)
	return nil
}

// each runs its body for every element of a list.
func (sc *scene) each(s *stmt) (flow, error) {
	v, err := s.expr.value(sc.at("for"))
	if err != nil {
		return flow{}, err
	}
	list, ok := elements(v)
	if !ok {
		return flow{}, sc.unfit(s, "for found no list to walk, so it does nothing")
	}
	l := &loop{until: s.until}
	sc.loops = append(sc.loops, l)
	defer sc.leave()
	lets := sc.lets()
	outer, shadowed := lets[s.src.Name]
	defer func() {
		delete(lets, s.src.Name)
		if shadowed {
			lets[s.src.Name] = outer
		}
	}()
	for _, x := range sc.run.withoutTwins(list) {
		l.pass++
		lets[s.src.Name] = x
		end, over, err := sc.body(s)
		if over {
			return end, err
		}
	}
	return flow{}, nil
}

// body runs one pass of a loop; over says that the loop is done.
func (sc *scene) body(s *stmt) (end flow, over bool, err error) {
	if end, err := sc.pass(); err != nil || end.kind != next {
		return end, true, err
	}
	end, err = sc.statements(s.body)
	if err != nil {
		return end, true, err
	}
	if end.kind == leave && end.level == len(sc.loops)-1 {
		return flow{}, true, nil
	}
	return end, end.kind != next, nil
}

func (sc *scene) leave() { sc.loops = sc.loops[:len(sc.loops)-1] }

// over looks at every enclosing `until`, outermost first, after a turn. A body
// looks at its own; those around the caller's step are looked at when its turn has
// ended.
func (sc *scene) over() (flow, error) {
	for i := range sc.loops {
		level, err := sc.overAt(i)
		if err != nil {
			return flow{}, err
		}
		if level >= 0 {
			return flow{kind: leave, level: level}, nil
		}
	}
	return flow{}, nil
}

// overAt returns the loop's level if its condition holds, else -1.
func (sc *scene) overAt(i int) (int, error) {
	if sc.loops[i].until == nil {
		return -1, nil
	}
	holds, err := sc.loops[i].until.truth(sc.at("until"))
	if err != nil || holds != eval.True {
		return -1, err
	}
	return i, nil
}

// loopCounts names the passes of the enclosing loops: #2 or #2.1, empty outside.
func (sc *scene) loopCounts() string {
	if len(sc.loops) == 0 {
		return ""
	}
	b := []byte{'#'}
	for i, l := range sc.loops {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, int64(l.pass), 10)
	}
	return string(b)
}

// place makes a structural position unique: the second step of one label at one
// count of loops is another place. A step in a tool's body stands under the call.
func (sc *scene) place(label string) string {
	path := sc.path + label + sc.loopCounts()
	places := sc.run.places
	places[path]++
	if n := places[path]; n > 1 {
		path += "~" + strconv.Itoa(n)
	}
	return path
}

// assign is set and append.
func (sc *scene) assign(s *stmt) error {
	change, err := sc.change(s)
	var unfit *unfitValue
	if errors.As(err, &unfit) {
		if sc.job != nil {
			return failure("%s", unfit)
		}
		return sc.unfit(s, "nothing is set: "+unfit.Error())
	}
	if err != nil || change == nil {
		return err
	}
	e := trace.Event{Kind: trace.KindState, State: change}
	if sc.job != nil {
		sc.job.changes = append(sc.job.changes, pending{event: e})
		return nil
	}
	change.Call = -1
	sc.run.record.Append(e)
	return nil
}
