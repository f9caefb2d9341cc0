package key

import (
	"errors"
	"strconv"
	"strings"
)

// Position is where in a trial a call stands: structural, never the order in
// which calls happened to arrive.
type Position struct {
	Path   string // labels with loop counts, e.g. debate#2 or work#1/call#3/ask#1
	Agent  string // debater[2]
	Role   string // turn, guard, attacker, vote 1
	Round  int    // tool round within the turn, from 0
	Repair int    // how often the same round was asked again, from 0
}

// ErrBadPosition says that a text is not a position.
var ErrBadPosition = errors.New("a position is PATH/AGENT/ROLE/tROUND/rREPAIR")

// String is PATH/AGENT/ROLE/tROUND/rREPAIR.
func (p Position) String() string {
	b := make([]byte, 0, len(p.Path)+len(p.Agent)+len(p.Role)+16)
	b = append(b, p.Path...)
	b = append(b, '/')
	b = append(b, p.Agent...)
	b = append(b, '/')
	b = append(b, p.Role...)
	b = append(b, '/', 't')
	b = strconv.AppendInt(b, int64(p.Round), 10)
	b = append(b, '/', 'r')
	b = strconv.AppendInt(b, int64(p.Repair), 10)
	return string(b)
}

// ParsePosition reads what String wrote. Agent and role hold no slash.
func ParsePosition(s string) (Position, error) {
	parts := strings.Split(s, "/")
	n := len(parts)
	if n < 5 {
		return Position{}, ErrBadPosition
	}
	round, ok1 := counted(parts[n-2], 't')
	repair, ok2 := counted(parts[n-1], 'r')
	if !ok1 || !ok2 {
		return Position{}, ErrBadPosition
	}
	return Position{
		Path: strings.Join(parts[:n-4], "/"), Agent: parts[n-4], Role: parts[n-3],
		Round: round, Repair: repair,
	}, nil
}

// counted reads a letter and a count, in the one form that String writes.
func counted(s string, letter byte) (int, bool) {
	if len(s) < 2 || s[0] != letter {
		return 0, false
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil || n < 0 || strconv.Itoa(n) != s[1:] {
		return 0, false
	}
	return n, true
}
