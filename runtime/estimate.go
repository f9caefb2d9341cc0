package runtime

import (
	"unicode/utf8"

	"parley/runtime/model"
)

// Rough sizes for endpoints that do not count tokens.
const (
	charsPerToken    = 4 // English prose in common vocabularies
	tokensPerMessage = 4 // a message's frame
)

// estimate counts the tokens of a call where the provider did not.
func estimate(req *model.Request, got *model.Response) (in, out int) {
	chars := 0
	for i := range req.Messages {
		m := &req.Messages[i]
		in += tokensPerMessage
		chars += utf8.RuneCountInString(m.Content) + utf8.RuneCountInString(m.Name)
		for _, c := range m.ToolCalls {
			chars += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Args)
		}
	}
	for _, t := range req.Tools {
		chars += utf8.RuneCountInString(t.Name) + utf8.RuneCountInString(t.Description)
	}
	said := utf8.RuneCountInString(got.Content) + utf8.RuneCountInString(got.Refusal)
	for _, c := range got.ToolCalls {
		said += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Args)
	}
	return in + tokens(chars), tokens(said)
}

func tokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }
