package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"parley/runtime/model"
	"parley/runtime/model/rawjson"
)

// Oddities of an answer: it was used, and what was unusual is on record.
const (
	oddNoFinish  = "no finish reason"
	oddFinish    = "an unknown finish reason"
	oddCutShort  = "an answer that the endpoint broke off"
	oddParts     = "content in parts"
	oddForm      = "content that is no text"
	oddNoContent = "no content"
	oddArgs      = "tool arguments that are no text"
	oddNoID      = "a tool call without an id"
	oddLegacy    = "a call in the form of old functions"
	oddBroken    = "characters that are none"
	oddControl   = "terminal control characters"
	oddLarge     = "an answer of more than a megabyte"
	oddKey       = "the key, which was taken out"
	oddPrompt    = "far fewer prompt tokens than were sent: the endpoint seems to have cut the prompt"
	oddNoTools   = "no tools offered, since the model does not take them"
	oddFence     = "JSON in a code fence"
	oddThoughts  = "thoughts before the JSON"
	oddWords     = "words before the JSON"
)

// Kinds of failures of an answer with a good status.
const (
	kindEmpty     = "an empty body"
	kindPage      = "a web page in place of an answer"
	kindHalf      = "half an answer"
	kindNotJSON   = "an answer that is not JSON"
	kindError     = "an error in an answer that says 200"
	kindNoChoice  = "an answer without choices"
	kindNoMessage = "a choice without a message"
	kindBroken    = "an answer that the endpoint gave up"
)

// topNames are the members of an answer that are read.
var topNames = [...]string{"error", "object", "choices", "usage", "model", "system_fingerprint"}

// decode reads an answer's body. It takes whatever servers are known to send,
// by the names that stand there and no others, and never looks at a finish
// reason to find out whether tools were called.
func decode(body []byte) (*model.Response, *model.Fault) {
	v, err := rawjson.Parse(body)
	if err != nil {
		return nil, notJSON(body)
	}
	var top [len(topNames)]rawjson.Value
	v.Pick(topNames[:], top[:])
	if f := errorWithin(v, top[0], top[1]); f != nil {
		return nil, f
	}
	choice, f := firstChoice(v, top[2])
	if f != nil {
		return nil, f
	}
	resp := &model.Response{}
	finish, said := choice.Get("finish_reason").Text()
	if finish == "error" || !choice.Get("error").Empty() {
		_, message := complaint(choice)
		return nil, fault(kindBroken, message)
	}
	msg := choice.Get("message")
	if !msg.Object() {
		msg = choice.Get("delta")
	}
	if text, ok := choice.Get("text").Text(); ok && !msg.Object() {
		resp.Content = text // a completion
	} else if !msg.Object() {
		return nil, fault(kindNoMessage, "")
	}
	readContent(resp, msg)
	readCalls(resp, msg)
	if resp.Finish = finishOf(resp, finish, said); resp.Finish == "" {
		return nil, fault(kindBroken, "")
	}
	resp.Usage = usageOf(top[3], resp)
	mark, _ := top[5].Text()
	resp.Model = revisionOf(top[4], mark)
	resp.Simulated = mark == Fingerprint
	return resp, nil
}

// odd puts on record what was unusual about an answer.
func odd(resp *model.Response, what string) {
	if !slices.Contains(resp.Odd, what) {
		resp.Odd = append(resp.Odd, what)
	}
}

func fault(kind, message string) *model.Fault {
	text := "the endpoint sent " + kind
	if message != "" {
		text += ": " + message
	}
	return &model.Fault{Status: 200, Temporary: true, Kind: kind, Err: errors.New(text)}
}

func notJSON(body []byte) *model.Fault {
	b := bytes.TrimSpace(body)
	switch {
	case len(b) == 0:
		return fault(kindEmpty, "")
	case b[0] == '<':
		return fault(kindPage, excerpt(pageTitle(string(b))))
	case b[0] == '{' && json.NewDecoder(bytes.NewReader(b)).Decode(&struct{}{}) != nil:
		return fault(kindHalf, "")
	}
	return fault(kindNotJSON, excerpt(string(b)))
}

// pageTitle is what a web page calls itself.
func pageTitle(page string) string {
	lower := strings.ToLower(page)
	i := strings.Index(lower, "<title>")
	n := strings.Index(lower, "</title>")
	if len(lower) != len(page) || i < 0 || n < i {
		return ""
	}
	return page[i+len("<title>") : n]
}

// errorWithin finds an error in an answer that says all is well.
func errorWithin(v, inner, object rawjson.Value) *model.Fault {
	kind, _ := object.Text()
	if inner.Empty() && kind != "error" {
		return nil
	}
	status, message := complaint(v)
	f := fault(kindError, message)
	if status >= 400 && status < 600 {
		f.Status = status
		f.Temporary = mayPass(status)
	}
	return f
}

func firstChoice(v, choices rawjson.Value) (rawjson.Value, *model.Fault) {
	for choice := range choices.Elements() {
		if choice.Object() {
			return choice, nil
		}
	}
	if !v.Object() {
		return nil, fault(kindNotJSON, excerpt(string(v)))
	}
	return nil, fault(kindNoChoice, "")
}

// readContent takes what was said, refused and thought aloud.
func readContent(resp *model.Response, msg rawjson.Value) {
	content := msg.Get("content")
	switch {
	case content.String():
		resp.Content, _ = content.Text()
	case content.Array():
		odd(resp, oddParts)
		for part := range content.Elements() {
			readPart(resp, part)
		}
	case !content.Empty():
		odd(resp, oddForm)
		resp.Content = string(content)
	}
	if text, ok := msg.Get("refusal").Text(); ok && text != "" {
		resp.Refusal = text
	}
	for _, name := range [...]string{"reasoning", "reasoning_content"} {
		if text, ok := msg.Get(name).Text(); ok && resp.Reasoning == "" {
			resp.Reasoning = text
		}
	}
}

func readPart(resp *model.Response, part rawjson.Value) {
	if text, ok := part.Text(); ok {
		resp.Content += text
		return
	}
	text, _ := part.Get("text").Text()
	switch kind, _ := part.Get("type").Text(); kind {
	case "refusal":
		text, _ = part.Get("refusal").Text()
		resp.Refusal += text
	case "reasoning", "thinking":
		if t, ok := part.Get("thinking").Text(); ok {
			text = t
		}
		resp.Reasoning += text
	default:
		resp.Content += text
	}
}

// readCalls takes the tool calls, by their presence. An id that is missing
// stays so: the engine gives each call one that is its own in the trial.
func readCalls(resp *model.Response, msg rawjson.Value) {
	list := msg.Get("tool_calls")
	if list.Object() {
		readCall(resp, list)
	}
	for call := range list.Elements() {
		readCall(resp, call)
	}
	if old := msg.Get("function_call"); old.Object() && len(resp.ToolCalls) == 0 {
		odd(resp, oddLegacy)
		readCall(resp, old)
	}
}

func readCall(resp *model.Response, call rawjson.Value) {
	if !call.Object() {
		return
	}
	f := call.Get("function")
	if !f.Object() {
		f = call
	}
	out := model.ToolCall{}
	out.Name, _ = f.Get("name").Text()
	if id := call.Get("id"); id.String() {
		out.ID, _ = id.Text()
	} else if !id.Empty() {
		out.ID = string(id)
	}
	if out.ID == "" {
		odd(resp, oddNoID)
	}
	switch args := f.Get("arguments"); {
	case args.String():
		out.Args, _ = args.Text()
	case !args.Empty():
		odd(resp, oddArgs)
		out.Args = string(args)
	}
	if strings.TrimSpace(out.Args) == "" {
		out.Args = "{}"
	}
	resp.ToolCalls = append(resp.ToolCalls, out)
}

// finishOf puts a finish reason into our words. Empty means that the endpoint
// gave up without an answer.
func finishOf(resp *model.Response, finish string, said bool) string {
	if len(resp.ToolCalls) > 0 {
		return "tool_calls"
	}
	nothing := resp.Content == "" && resp.Refusal == ""
	if nothing {
		odd(resp, oddNoContent)
	}
	switch strings.ToLower(finish) {
	case "stop", "end_turn", "eos", "eos_token", "stop_sequence", "tool_calls", "tool_call", "tool_use", "function_call":
		return "stop"
	case "length", "max_tokens", "max_length", "model_length":
		return "length"
	case "content_filter", "safety", "recitation":
		return "content_filter"
	case "abort", "aborted", "cancelled", "canceled":
		if nothing {
			return ""
		}
		odd(resp, oddCutShort)
		return "length"
	case "":
		odd(resp, oddNoFinish)
		return "stop"
	}
	odd(resp, oddFinish)
	return "stop"
}

// usageOf reads the endpoint's count. A count that is missing, or zero where
// there was something to count, is none: it is estimated, and marked as that.
func usageOf(v rawjson.Value, resp *model.Response) *model.Usage {
	const most = 1 << 40
	in, ok := v.Get("prompt_tokens").Number()
	if !ok || in < 1 || in > most {
		return nil
	}
	out, ok := v.Get("completion_tokens").Number()
	if total, has := v.Get("total_tokens").Number(); !ok && has {
		out, ok = total-in, true
	}
	if !ok || out < 0 || out > most || out == 0 && (resp.Content != "" || len(resp.ToolCalls) > 0) {
		return nil
	}
	return &model.Usage{Input: int(in), Output: int(out)}
}

// revisionOf is what the endpoint says of what answered.
func revisionOf(model rawjson.Value, mark string) string {
	name, _ := model.Text()
	if mark != "" && mark != name {
		name = strings.TrimSpace(name + " " + mark)
	}
	return clip(name, 200)
}

// Fingerprint is what `parley serve` answers under: runs against it are marked
// as simulated.
const Fingerprint = "parley-sim"
