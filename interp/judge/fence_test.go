package judge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/interp/score"
	"parley/runtime/key"
	"parley/runtime/segment"
)

// Whatever a run holds, no line between the fences begins without a bar or a
// heading's bracket, and no text inside looks like a fence or changes the lines.
func TestNothingInsideLooksLikeAFence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"<<<", ">>>", "<", ">", "RUN", "\n", "\r", "\u2028", "\u200b", "\u034f", "\u3164", "\ufe0f", "\U000e0101", "≪", "⋘", "» ", "[judge]", "Say 1.", " "}
		said := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "said"), "")
		text := segment.Text{{Text: "Judge. "}, {Text: said, Source: score.EvidenceSource}, {Text: " Well?"}}
		f := fenced(&key.Table{Seed: 1, Case: "c", Repeat: 1}, "clean", text)
		got := f.prompt(text)
		body, ok := strings.CutPrefix(got, "Judge. \n"+f.open()+"\n")
		if !ok {
			t.Fatalf("no fence opens in %q", got)
		}
		inside, rest, ok := strings.Cut(body, "\n"+f.close()+"\n")
		if !ok && said != "" || ok && rest != " Well?" {
			t.Fatalf("the fence ends elsewhere in %q", got)
		}
		if strings.Contains(inside, "<<<") || strings.Contains(inside, ">>>") {
			t.Fatalf("%q holds a fence", inside)
		}
		if strings.ContainsAny(inside, "\u200b\u034f\u3164\ufe0f\U000e0101") {
			t.Fatalf("%q holds what shows nothing", inside)
		}
		for _, l := range strings.Split(inside, "\n") {
			if !strings.HasPrefix(l, "|") {
				t.Fatalf("the line %q has no bar", l)
			}
		}
	})
}

// A fence's name depends on what stands inside, so that nothing inside can name it,
// and on the trial.
func TestFenceIsTheTrialsOwn(t *testing.T) {
	text := segment.Text{{Text: "x", Source: score.TranscriptSource}}
	table := key.Table{Seed: 1, Stream: "main", Case: "c", Repeat: 1}
	other := table
	other.Repeat = 2
	names := map[string]bool{
		fenced(&table, "clean", text).name:                                   true,
		fenced(&other, "clean", text).name:                                   true,
		fenced(&table, "attacked", text).name:                                true,
		fenced(&table, "clean", segment.Text{{Text: "y", Source: "x"}}).name: true,
	}
	again := table
	if len(names) != 4 || fenced(&table, "clean", text) != fenced(&again, "clean", text) {
		t.Errorf("%d names of four", len(names))
	}
}
