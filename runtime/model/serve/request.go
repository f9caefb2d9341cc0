package serve

import (
	"fmt"

	"parley/runtime/model"
	"parley/runtime/model/rawjson"
)

// parse reads a chat request. What a simulator does not do (streams, several
// choices) is refused rather than left out in silence.
func parse(body []byte) (*model.Request, *complaint) {
	v, err := rawjson.Parse(body)
	if err != nil || !v.Object() {
		return nil, wrong("", "the request is not a JSON object")
	}
	req := &model.Request{}
	var ok bool
	if req.Model, ok = v.Get("model").Text(); !ok || req.Model == "" {
		return nil, wrong("model", "the request names no model")
	}
	if string(v.Get("stream")) == "true" {
		return nil, wrong("stream", "answers are not streamed here")
	}
	if n, ok := v.Get("n").Number(); ok && n != 1 {
		return nil, wrong("n", "there is one choice an answer here")
	}
	if t, ok := v.Get("temperature").Number(); ok {
		req.Temperature = &t
	}
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, ok := v.Get(name).Number(); ok {
			req.MaxTokens = int(n)
		}
	}
	if n, ok := v.Get("seed").Number(); ok {
		req.Seed = int64(n)
	}
	req.User, _ = v.Get("user").Text()
	if bad := readMessages(req, v.Get("messages")); bad != nil {
		return nil, bad
	}
	if bad := readTools(req, v.Get("tools")); bad != nil {
		return nil, bad
	}
	return req, readForm(req, v.Get("response_format"))
}

func wrong(param, message string) *complaint {
	return &complaint{Message: message, Type: "invalid_request_error", Param: param}
}

func readMessages(req *model.Request, list rawjson.Value) *complaint {
	if !list.Array() {
		return wrong("messages", "the request has no list of messages")
	}
	for m := range list.Elements() {
		var out model.Message
		out.Role, _ = m.Get("role").Text()
		switch out.Role {
		case "developer":
			out.Role = "system"
		case "system", "user", "assistant", "tool":
		default:
			return wrong(fmt.Sprintf("messages[%d].role", len(req.Messages)), "a message's role is system, user, assistant or tool")
		}
		out.Name, _ = m.Get("name").Text()
		content := m.Get("content")
		out.Content, _ = content.Text()
		for part := range content.Elements() {
			text, ok := part.Get("text").Text()
			if !ok {
				return wrong(fmt.Sprintf("messages[%d].content", len(req.Messages)), "only texts are understood here")
			}
			out.Content += text
		}
		for c := range m.Get("tool_calls").Elements() {
			var call model.ToolCall
			call.ID, _ = c.Get("id").Text()
			call.Name, _ = c.Get("function").Get("name").Text()
			call.Args, _ = c.Get("function").Get("arguments").Text()
			out.ToolCalls = append(out.ToolCalls, call)
		}
		out.ToolCallID, _ = m.Get("tool_call_id").Text()
		req.Messages = append(req.Messages, out)
	}
	return nil
}

func readTools(req *model.Request, list rawjson.Value) *complaint {
	for t := range list.Elements() {
		f := t.Get("function")
		var out model.Tool
		var ok bool
		if out.Name, ok = f.Get("name").Text(); !ok {
			return wrong(fmt.Sprintf("tools[%d]", len(req.Tools)), "a tool is a function with a name")
		}
		out.Description, _ = f.Get("description").Text()
		if params := f.Get("parameters"); !params.Empty() {
			var err error
			if out.Params, err = shapeOf(params); err != nil {
				return wrong(fmt.Sprintf("tools[%d].function.parameters", len(req.Tools)), err.Error())
			}
		}
		req.Tools = append(req.Tools, out)
	}
	return nil
}

// readForm takes a reply's schema; JSON without one leaves the form open, which
// is none.
func readForm(req *model.Request, format rawjson.Value) *complaint {
	kind, _ := format.Get("type").Text()
	switch kind {
	case "", "text", "json_object":
		return nil
	case "json_schema":
		s, err := shapeOf(format.Get("json_schema").Get("schema"))
		if err != nil {
			return wrong("response_format", err.Error())
		}
		req.Replies = &s
		return nil
	}
	return wrong("response_format", fmt.Sprintf("there is no response_format of type %q", kind))
}
