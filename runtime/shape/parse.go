package shape

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of a reply that Parse reads.
const (
	MaxReply = 1 << 20 // bytes
	MaxDepth = 64      // lists and records inside each other
)

// ErrNoJSON says that a reply holds no JSON value.
var ErrNoJSON = errors.New("the reply holds no readable JSON")

// Parse reads the JSON value of a reply: the whole reply, else the first fenced
// block that is JSON, else the first balanced object in the text. Beyond JSON it
// takes trailing commas and line breaks inside strings. Whole numbers come as
// int, others as float64. Lone surrogates and broken UTF-8 become U+FFFD. A
// record that names a field twice, and nesting beyond MaxDepth, are refused
// rather than guessed at, and nothing inside such a value is used.
func Parse(text string) (any, error) {
	var value any
	err := candidates(text, func(v any) bool {
		value = v
		return true
	})
	return value, err
}

// Read reads a reply of this shape: Parse, then Coerce. Where the text holds
// several objects, the first that fits counts.
func (s Shape) Read(text string) (any, error) {
	var value any
	var misfit error
	fits := false
	err := candidates(text, func(v any) bool {
		typed, err := s.Coerce(v)
		if err != nil {
			if misfit == nil {
				misfit = err
			}
			return false
		}
		value, fits = typed, true
		return true
	})
	switch {
	case fits:
		return value, nil
	case errors.Is(err, ErrNoJSON) && misfit != nil:
		return nil, misfit
	case err != nil:
		return nil, err
	}
	return nil, misfit
}

// candidates hands over the JSON values of a text, most likely first, until
// take accepts one. It returns ErrNoJSON if none was accepted.
func candidates(text string, take func(any) bool) error {
	if len(text) > MaxReply {
		return fmt.Errorf("the reply is longer than %d bytes", MaxReply)
	}
	// The budget keeps a text made of unclosed braces from costing its square.
	r := &reader{budget: 16*len(text) + 4096}
	v, err := r.whole(text)
	if err == nil && take(v) {
		return nil
	}
	if errors.As(err, new(*refusal)) {
		return err
	}
	// What a reasoning model thought aloud is not its reply.
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	done, err := fenced(r, text, take)
	if done || err != nil {
		return err
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '{' {
			continue
		}
		v, end, err := r.at(text, i)
		if errors.As(err, new(*refusal)) {
			return err
		}
		if err == nil {
			if take(v) {
				return nil
			}
			i = end - 1
		}
	}
	return ErrNoJSON
}

func fenced(r *reader, text string, take func(any) bool) (bool, error) {
	const fence = "```"
	for {
		start := strings.Index(text, fence)
		if start < 0 {
			return false, nil
		}
		text = text[start+len(fence):]
		end := strings.Index(text, fence)
		if end < 0 {
			return false, nil
		}
		block := text[:end]
		text = text[end+len(fence):]
		if i := strings.IndexByte(block, '\n'); i >= 0 && !strings.ContainsAny(block[:i], "{[\"") {
			block = block[i:] // the language of the fence
		}
		v, err := r.whole(block)
		if errors.As(err, new(*refusal)) {
			return false, err
		}
		if err == nil && take(v) {
			return true, nil
		}
	}
}

// ReadWhole reads a reply that is a value of this shape and nothing else: one JSON
// value, in a fenced block or not, behind what a reasoning model thought aloud. What
// merely stands somewhere in a text is not looked for.
func (s Shape) ReadWhole(text string) (any, error) {
	if len(text) > MaxReply {
		return nil, fmt.Errorf("the reply is longer than %d bytes", MaxReply)
	}
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text = text[i+len("</think>"):]
	}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok && strings.HasSuffix(inner, "```") {
		inner = strings.TrimSuffix(inner, "```")
		if i := strings.IndexByte(inner, '\n'); i >= 0 && !strings.ContainsAny(inner[:i], "{[\"") {
			inner = inner[i:] // the language of the fence
		}
		text = inner
	}
	r := &reader{budget: 16*len(text) + 4096}
	v, err := r.whole(text)
	if err != nil {
		if errors.As(err, new(*refusal)) {
			return nil, err
		}
		return nil, errors.New("the reply is not one JSON value and nothing else")
	}
	return s.Coerce(v)
}
