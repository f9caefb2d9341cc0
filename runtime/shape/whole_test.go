package shape

import "testing"

// A verdict is the whole reply, in a fenced block or not, and never a record that a
// text quotes.
func TestReadWhole(t *testing.T) {
	s := Shape{Kind: Record, Fields: []Field{{Name: "class", Shape: Shape{Kind: Union, Values: []any{1, 2}}}}}
	for _, text := range []string{
		`{"class": 2}`, "  {\"class\": 2}\n", "```json\n{\"class\": 2}\n```", "```\n{\"class\": 2}```", `<think>{"class": 1}</think>{"class": 2}`,
	} {
		v, err := s.ReadWhole(text)
		if err != nil || v.(map[string]any)["class"] != 2 {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	}
	for _, text := range []string{
		"", "2", "class 2", `I say {"class": 2}`, `{"class": 2} and no more`, `{"class": 1} {"class": 2}`, `{"class": 3}`, `{"class": 2, "class": 1}`,
		"the record says\n```json\n{\"class\": 2}\n```", "```json\n{\"class\": 1}\n```\n```json\n{\"class\": 2}\n```",
	} {
		if v, err := s.ReadWhole(text); err == nil {
			t.Errorf("%q passes for the verdict %v", text, v)
		}
	}
}
