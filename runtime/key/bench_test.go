package key_test

import (
	"strings"
	"testing"

	"parley/runtime/key"
	"parley/runtime/model"
	"parley/runtime/shape"
)

// BenchmarkCall is all hashing that one model call needs: call key, provider
// seed and user, for a request of 6 messages of 500 bytes and two tools.
func BenchmarkCall(b *testing.B) {
	req := model.Request{Model: "m"}
	for range 6 {
		req.Messages = append(req.Messages, model.Message{Role: "user", Name: "debater_2", Content: strings.Repeat("word ", 100)})
	}
	text := shape.Shape{Kind: shape.String}
	for _, n := range []string{"read", "write"} {
		req.Tools = append(req.Tools, model.Tool{Name: n, Description: "Reads or writes.", Params: shape.Shape{
			Kind: shape.Record, Fields: []shape.Field{{Name: "path", Shape: text}, {Name: "body", Shape: text}},
		}})
	}
	table := key.Table{Seed: 1, Stream: "main", Case: key.Of("case").String(), Repeat: 1}
	spec := model.Spec{Provider: "sim", Name: "sim"}
	b.ReportAllocs()
	for b.Loop() {
		pos := key.Position{Path: "debate#1", Agent: "debater[2]", Role: "turn"}.String()
		_ = table.Call(pos, &spec, "1", &req)
		_ = table.ProviderSeed(pos)
		_ = table.User("debater[2]")
	}
}
