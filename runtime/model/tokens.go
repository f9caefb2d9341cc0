package model

import "unicode/utf8"

// Sizes of the estimate. They are rough, and no tokenizer's.
const (
	charsPerToken    = 4 // English prose in common vocabularies
	tokensPerMessage = 4 // a message's frame
)

// EstimateUsage counts a call's tokens from its characters, for whoever answers
// without counting. It is an estimate: a fourth of the characters and four
// tokens a message.
func EstimateUsage(req *Request, resp *Response) Usage {
	in, chars := 0, 0
	for i := range req.Messages {
		m := &req.Messages[i]
		in += tokensPerMessage
		chars += utf8.RuneCountInString(m.Content) + utf8.RuneCountInString(m.Name)
		for _, c := range m.ToolCalls {
			chars += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Args)
		}
	}
	for i := range req.Tools {
		chars += utf8.RuneCountInString(req.Tools[i].Name) + utf8.RuneCountInString(req.Tools[i].Description)
	}
	said := utf8.RuneCountInString(resp.Content) + utf8.RuneCountInString(resp.Refusal)
	for _, c := range resp.ToolCalls {
		said += utf8.RuneCountInString(c.Name) + utf8.RuneCountInString(c.Args)
	}
	return Usage{Input: in + tokens(chars), Output: tokens(said)}
}

func tokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }
