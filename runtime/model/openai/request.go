package openai

import (
	"strconv"
	"strings"

	"parley/runtime/model"
	"parley/runtime/model/rawjson"
)

// body writes the request exactly as it is to arrive: temperature 0 is there,
// empty contents are there, and no character is escaped that need not be.
func body(req *model.Request, p params) []byte {
	messages := req.Messages
	if p.merge || p.noSystem {
		messages = plain(messages, p.noSystem)
	}
	b := make([]byte, 0, sizeOf(messages))
	b = append(b, `{"model":`...)
	b = rawjson.AppendString(b, req.Model)
	b = append(b, `,"messages":[`...)
	for i := range messages {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendMessage(b, &messages[i])
	}
	b = append(b, ']')
	if req.Temperature != nil && !p.noTemperature {
		b = append(b, `,"temperature":`...)
		b = strconv.AppendFloat(b, *req.Temperature, 'g', -1, 64)
	}
	if req.MaxTokens > 0 && p.maxTokens != "" {
		b = append(append(append(b, `,"`...), p.maxTokens...), `":`...)
		b = strconv.AppendInt(b, int64(req.MaxTokens), 10)
	}
	b = appendTools(b, req, p)
	b = appendForm(b, req, p)
	if !p.noSeed {
		b = append(b, `,"seed":`...)
		b = strconv.AppendInt(b, req.Seed, 10)
	}
	if req.User != "" && !p.noUser {
		b = append(b, `,"user":`...)
		b = rawjson.AppendString(b, req.User)
	}
	return append(b, `,"stream":false}`...)
}

func sizeOf(messages []model.Message) int {
	n := 1024
	for i := range messages {
		n += len(messages[i].Content) + 128
	}
	return n + n/16
}

func appendMessage(b []byte, m *model.Message) []byte {
	b = append(b, `{"role":`...)
	b = rawjson.AppendString(b, m.Role)
	if m.Name != "" {
		b = append(b, `,"name":`...)
		b = rawjson.AppendString(b, m.Name)
	}
	b = append(b, `,"content":`...)
	b = rawjson.AppendString(b, m.Content)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		if i == 0 {
			b = append(b, `,"tool_calls":[`...)
		} else {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		b = rawjson.AppendString(b, c.ID)
		b = append(b, `,"type":"function","function":{"name":`...)
		b = rawjson.AppendString(b, c.Name)
		b = append(b, `,"arguments":`...)
		args := c.Args
		if args == "" {
			args = "{}"
		}
		b = append(rawjson.AppendString(b, args), '}', '}')
	}
	if len(m.ToolCalls) > 0 {
		b = append(b, ']')
	}
	if m.Role == "tool" {
		b = append(b, `,"tool_call_id":`...)
		b = rawjson.AppendString(b, m.ToolCallID)
	}
	return append(b, '}')
}

func appendTools(b []byte, req *model.Request, p params) []byte {
	if len(req.Tools) == 0 || p.noTools {
		return b
	}
	b = append(b, `,"tools":[`...)
	for i := range req.Tools {
		t := &req.Tools[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"type":"function","function":{"name":`...)
		b = rawjson.AppendString(b, t.Name)
		b = append(b, `,"description":`...)
		b = rawjson.AppendString(b, t.Description)
		b = append(b, `,"parameters":`...)
		b = append(append(b, t.Params.JSONSchema()...), '}', '}')
	}
	return append(b, ']')
}

// appendForm asks for the reply's form natively. The engine asks for it in
// words too, so leaving it out loses no more than the endpoint's help. Servers
// that hold a model to a schema keep it from calling tools, so the two go
// together only where they are known to.
func appendForm(b []byte, req *model.Request, p params) []byte {
	if req.Replies == nil || len(req.Tools) > 0 && !p.noTools && !p.formWithTools {
		return b
	}
	switch p.form {
	case formSchema:
		schema := req.Replies.JSONSchema()
		if !strings.HasPrefix(string(schema), `{"type":"object"`) {
			return b // only objects are taken everywhere
		}
		b = append(b, `,"response_format":{"type":"json_schema","json_schema":{"name":"reply","strict":true,"schema":`...)
		return append(append(b, schema...), '}', '}')
	case formObject:
		return append(b, `,"response_format":{"type":"json_object"}`...)
	}
	return b
}

// plain puts a conversation into the form that strict chat templates want: no
// two messages of one role behind each other, and, if asked, no system message.
// A sender's name moves into the text.
func plain(in []model.Message, noSystem bool) []model.Message {
	out := make([]model.Message, 0, len(in))
	for _, m := range in {
		if m.Role == "system" && noSystem {
			m.Role = "user"
		}
		if m.Name != "" {
			m.Content = "[" + m.Name + "]\n" + m.Content
			m.Name = ""
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role && m.Role != "tool" && len(m.ToolCalls)+len(out[n-1].ToolCalls) == 0 {
			out[n-1].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}
