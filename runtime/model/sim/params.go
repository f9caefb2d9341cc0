package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Slot is where in a request a payload stands.
type Slot int

// The slots, from the one nearest to the model's maker to the farthest.
const (
	System Slot = iota
	Task
	Corpus
	Tool
	Message
	slots
)

var slotNames = [slots]string{"system", "task", "corpus", "tool", "message"}

// String names the slot as parameters and traces do.
func (s Slot) String() string { return slotNames[s] }

// Params are the simulator's parameters. All but Tokens are probabilities.
type Params struct {
	Knows       float64            // k: right on its own, a trait
	KnowsClass  map[string]float64 // k by task class, where it differs
	Wrong       []float64          // weights of a case's wrong answers, in order; empty: the first alone
	Conforms    float64            // c: gives in where more voices are against its answer than for it
	Obeys       [slots]float64     // o: obeys a payload, by slot; a trait for each payload
	Carries     float64            // κ: repeats a payload it met; a trait for each payload
	Reads       float64            // ρ: calls the read tools offered in a turn
	Refuses     float64            // refuses a turn
	Stray       float64            // v: writes unasked in a turn that offers a write tool
	Unreadable  float64            // u: a reply that has a form is written without it
	ErrorsClean float64            // a call fails where no payload stands in the request
	ErrorsUnder float64            // … where one does
	Flags       *Confusion         // a guard's: nil where none is stated
	Tokens      int                // output tokens of each call beyond what it says
	// Judges is the confusion matrix of a judge: for each true verdict the
	// probability of each given one. A true verdict without a row is given as it is.
	Judges map[string]map[string]float64
}

// Confusion is how often a guard answers true where it is asked for true or false:
// where a payload stands in the request, and where none does.
type Confusion struct{ Payload, Clean float64 }

// DefaultParams is a plain pupil: mostly right, seldom swayed.
func DefaultParams() Params {
	return Params{
		Knows:    0.7,
		Conforms: 0.05,
		Obeys:    [slots]float64{System: 1, Task: 0.2, Corpus: 0.3, Tool: 0.3, Message: 0.1},
		Carries:  0.3,
		Reads:    1,
	}
}

// ordinals are the names of wrong answers in `wrong { first: 0.8, second: 0.2 }`.
var ordinals = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}

// ParseParams reads flattened parameters (knows, knows.hard, obeys.task) over
// the defaults. Errors are in the words of a scenario's author.
func ParseParams(flat map[string]float64) (Params, error) {
	p := DefaultParams()
	single := map[string]*float64{
		"knows": &p.Knows, "conforms": &p.Conforms, "carries": &p.Carries, "reads": &p.Reads,
		"refuses": &p.Refuses, "stray": &p.Stray, "unreadable": &p.Unreadable,
		"errors.clean": &p.ErrorsClean, "errors.attacked": &p.ErrorsUnder,
	}
	for slot := range slots {
		single["obeys."+slot.String()] = &p.Obeys[slot]
	}
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		x := flat[name]
		if name == "tokens" {
			if x < 0 || x > 1e6 || x != math.Trunc(x) {
				return p, fmt.Errorf("tokens is a whole number from 0 to 1000000, and it is %s", number(x))
			}
			p.Tokens = int(x)
			continue
		}
		if !(x >= 0 && x <= 1) {
			return p, fmt.Errorf("%s is a probability between 0 and 1, and it is %s", name, number(x))
		}
		if err := p.set(name, x, single); err != nil {
			return p, err
		}
	}
	if len(p.Wrong) > 0 && sum(p.Wrong) == 0 {
		return p, fmt.Errorf("wrong gives every wrong answer the weight 0")
	}
	return p, nil
}

// set stores one probability. Names come sorted, so errors and obeys stand
// before their parts, which then override them.
func (p *Params) set(name string, x float64, single map[string]*float64) error {
	head, part, _ := strings.Cut(name, ".")
	switch {
	case name == "errors":
		p.ErrorsClean, p.ErrorsUnder = x, x
	case name == "obeys": // what an agent's own system prompt says stays its own affair
		for slot := Task; slot < slots; slot++ {
			p.Obeys[slot] = x
		}
	case head == "flags":
		return p.flag(part, x)
	case single[name] != nil:
		*single[name] = x
	case head == "knows" && part != "":
		if p.KnowsClass == nil {
			p.KnowsClass = map[string]float64{}
		}
		p.KnowsClass[part] = x
	case head == "wrong":
		i := slices.Index(ordinals, part)
		if i < 0 {
			return fmt.Errorf("wrong has no part %q; its parts are %s", part, strings.Join(ordinals, ", "))
		}
		for len(p.Wrong) <= i {
			p.Wrong = append(p.Wrong, 0)
		}
		p.Wrong[i] = x
	case head == "judges" && part != "":
		row, column, _ := strings.Cut(part, ".")
		if p.Judges == nil {
			p.Judges = map[string]map[string]float64{}
		}
		if p.Judges[row] == nil {
			p.Judges[row] = map[string]float64{}
		}
		p.Judges[row][column] = x
	default:
		return fmt.Errorf("the simulator has no parameter %q", name)
	}
	return nil
}

// flag states a part of a guard's confusion, or both.
func (p *Params) flag(part string, x float64) error {
	if p.Flags == nil {
		p.Flags = &Confusion{}
	}
	switch part {
	case "":
		p.Flags.Payload, p.Flags.Clean = x, x
	case "payload":
		p.Flags.Payload = x
	case "clean":
		p.Flags.Clean = x
	default:
		return fmt.Errorf("flags has no part %q; its parts are payload and clean", part)
	}
	return nil
}

func (p Params) knows(class string) float64 {
	if k, ok := p.KnowsClass[class]; ok {
		return k
	}
	return p.Knows
}

// digest names the parameters.
func (p Params) digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%v|", p.Knows)
	for _, class := range slices.Sorted(maps.Keys(p.KnowsClass)) {
		fmt.Fprintf(h, "%q %v|", class, p.KnowsClass[class])
	}
	fmt.Fprintf(h, "%v|%v|%v|%v|%v|%v|%v|%v|%v|%v|%v", p.Wrong, p.Conforms, p.Obeys, p.Carries, p.Reads,
		p.Refuses, p.Stray, p.Unreadable, p.ErrorsClean, p.ErrorsUnder, p.Tokens)
	if p.Flags != nil {
		fmt.Fprintf(h, "|flags %v", *p.Flags)
	}
	for _, row := range slices.Sorted(maps.Keys(p.Judges)) {
		for _, column := range slices.Sorted(maps.Keys(p.Judges[row])) {
			fmt.Fprintf(h, "|%q %q %v", row, column, p.Judges[row][column])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func sum(list []float64) (total float64) {
	for _, x := range list {
		total += x
	}
	return total
}
