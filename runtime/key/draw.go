package key

import (
	"encoding/hex"

	"parley/runtime/model"
)

// Table names a trial's table of random draws: seed, stream, case, repeat. Two
// trials of the same table share an entry wherever position and request agree.
type Table struct {
	Seed   uint64
	Stream string
	Case   string // case key
	Repeat int    // from 1
}

func (t *Table) begin(kind string) *encoder {
	e := begin(kind)
	e.uint(t.Seed)
	e.str(t.Stream)
	e.str(t.Case)
	e.int(int64(t.Repeat))
	return e
}

// Call is the key of a model call: the table, the position, what answers
// (provider, endpoint, model, revision) and the canonical request.
func (t *Table) Call(position string, spec *model.Spec, revision string, req *model.Request) Key {
	e := t.begin("call")
	e.str(position)
	e.str(spec.Provider)
	e.str(spec.BaseURL)
	e.str(spec.Name)
	e.str(revision)
	e.request(req)
	return e.sum()
}

// ProviderSeed is the request's seed: the table and the position, nothing of
// what is asked. It is not negative and below 2^53, which every server reads.
func (t *Table) ProviderSeed(position string) int64 {
	e := t.begin("seed")
	e.str(position)
	return int64(e.sum().Uint64() >> 11)
}

// User is the request's user: the table and the agent, so that one who sees
// requests alone can tell an agent's calls of a trial from all others. 32
// hexadecimal digits.
func (t *Table) User(agent string) string {
	e := t.begin("user")
	e.str(agent)
	k := e.sum()
	return hex.EncodeToString(k[:16])
}

// Chance is the draw of a named chance (`chance(p)`, a tool's fault) at a position.
func (t *Table) Chance(position, name string) Key {
	e := t.begin("chance")
	e.str(position)
	e.str(name)
	return e.sum()
}
