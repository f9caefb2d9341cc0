package pack_test

import (
	"fmt"
	"testing"

	"parley/runtime/segment"
	"parley/runtime/store/pack"
	"parley/runtime/trace"
)

// BenchmarkDecode reads a trace of 12 turns and 50 deliveries.
func BenchmarkDecode(b *testing.B) {
	var t trace.Trial
	for i := range 12 {
		text := segment.Text{{Text: fmt.Sprint("I think that it is so, for reason ", i), Source: "model"}}
		reply := map[string]any{"answer": "so", "n": i}
		t.Events = append(t.Events,
			trace.Event{Kind: trace.KindModel, Model: &trace.Model{
				Turn: i, Agent: "debater[1]", Position: fmt.Sprint("debate/", i), Key: fmt.Sprint("key", i), Model: "sim",
				Prompts: []int{0, 1, i}, Text: text.String(), Finish: "stop", Input: 300, Output: 40,
			}},
			trace.Event{Kind: trace.KindTurn, Turn: &trace.Turn{ID: i, Step: "debate", Agent: "debater[1]", Round: 1, Text: text, Reply: reply, Tokens: 9}})
		for j := range 4 {
			t.Events = append(t.Events, trace.Event{N: j, Kind: trace.KindMessage, Message: &trace.Message{
				From: "debater[1]", To: fmt.Sprint("debater", j), Turn: i, Step: "debate", Round: 1, Text: text, Reply: reply,
			}})
		}
	}
	c, err := pack.New(nil, []any{segment.Text{}}, trace.Trial{})
	if err != nil {
		b.Fatal(err)
	}
	blob, err := c.Encoder().Encode(&t)
	if err != nil {
		b.Fatal(err)
	}
	text := string(blob)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	d := c.Decoder()
	for b.Loop() {
		d.Reset()
		var back trace.Trial
		if err := d.Decode(text, &back); err != nil {
			b.Fatal(err)
		}
	}
}
