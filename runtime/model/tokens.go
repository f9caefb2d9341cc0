package model

import "math/bits"

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
		chars += characters(m.Content) + characters(m.Name)
		for _, c := range m.ToolCalls {
			chars += characters(c.Name) + characters(c.Args)
		}
	}
	for i := range req.Tools {
		chars += characters(req.Tools[i].Name) + characters(req.Tools[i].Description)
	}
	said := characters(resp.Content) + characters(resp.Refusal)
	for _, c := range resp.ToolCalls {
		said += characters(c.Name) + characters(c.Args)
	}
	return Usage{Input: in + tokens(chars), Output: tokens(said)}
}

func tokens(chars int) int { return (chars + charsPerToken - 1) / charsPerToken }

// characters counts the code points of valid UTF-8: the bytes that begin one,
// eight at a time, since this is done for every byte that is ever sent.
func characters(s string) int {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		n -= bits.OnesCount64(x >> 7 & ^(x >> 6) & 0x0101010101010101)
	}
	for i := range len(s) {
		if s[i]&0xC0 == 0x80 {
			n--
		}
	}
	return n
}
