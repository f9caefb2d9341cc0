package openai

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/runtime/model"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// search is the one call that the fixtures make.
func search(id, args string) []model.ToolCall {
	return []model.ToolCall{{ID: id, Name: "search", Args: args}}
}

func usage(in, out int) *model.Usage { return &model.Usage{Input: in, Output: out} }

func TestDecode(t *testing.T) {
	for name, want := range map[string]model.Response{
		"openai": {Content: "Oslo.", Finish: "stop", Model: "gpt-4o-2024-08-06 fp_0123456789", Usage: usage(21, 3)},
		"ollama": {
			Content: "Oslo.", Reasoning: "Norway's capital, so Oslo.", Finish: "stop", Model: "qwen3:4b fp_ollama", Usage: usage(21, 19),
		},
		"ollama_calls": {
			ToolCalls: append(search("call_a", `{"query":"one"}`), search("call_b", `{"query":"two"}`)...),
			Finish:    "tool_calls", Model: "qwen3:4b fp_ollama", Usage: usage(80, 30),
		},
		"vllm_reasoning_content": {Content: "Oslo.", Reasoning: "Think first.", Finish: "stop", Model: "m", Usage: usage(9, 3)},
		"vllm_named_choice": {
			ToolCalls: search("chatcmpl-tool-1", `{"query": "x"}`), Finish: "tool_calls", Model: "m", Usage: usage(9, 3),
		},
		"vllm_required_none": {Content: "I need no tool.", Finish: "stop", Model: "m", Usage: usage(9, 4)},
		"vllm_calls_as_text": {
			Content: "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"x\"}}\n</tool_call>", Finish: "stop", Model: "m", Usage: usage(9, 21),
		},
		"llamacpp": {Content: "Oslo.", Finish: "stop", Model: "local.gguf b6100-abc", Usage: usage(14, 3)},
		"lmstudio": {Content: "<think>Norway has Oslo.</think>\n\nOslo.", Finish: "stop", Model: "deepseek-r1", Usage: usage(12, 14)},
		"mlx": {
			ToolCalls: search("", `{"query":"x"}`), Finish: "tool_calls", Model: "default_model 0.29", Usage: usage(30, 9),
			Odd: []string{oddNoID, oddArgs},
		},
		"numbers":       {ToolCalls: search("12", "{}"), Finish: "tool_calls", Model: "m", Usage: usage(30, 9)},
		"function_call": {ToolCalls: search("", `{"query":"x"}`), Finish: "tool_calls", Usage: usage(30, 9), Odd: []string{oddLegacy, oddNoID}},
		"parts":         {Content: "Oslo.", Reasoning: "Hm.", Finish: "stop", Model: "m", Usage: usage(3, 2), Odd: []string{oddParts}},
		"part_refusal":  {Refusal: "I will not.", Finish: "stop", Model: "m", Usage: usage(3, 2), Odd: []string{oddParts}},
		"refusal":       {Refusal: "I will not.", Finish: "stop", Model: "m", Usage: usage(3, 2)},
		"filtered":      {Content: "Half of", Finish: "content_filter", Model: "m", Usage: usage(3, 2)},
		"shadow":        {Content: "Oslo.", Finish: "stop", Usage: usage(3, 2)},
		"surrogate":     {Content: "Os\uFFFDlo \uFFFD 😀.", Finish: "stop", Model: "m", Usage: usage(3, 2)},
		"escapes":       {Content: "\x1b]0;title\aOslo\x1b[2J.", Finish: "stop", Model: "m", Usage: usage(3, 2)},
		"no_usage":      {Content: "Oslo.", Finish: "stop", Model: "m"},
		"null_usage":    {Content: "Oslo.", Finish: "stop", Model: "m", Odd: []string{oddNoFinish}},
		"zero_usage":    {Content: "Oslo.", Finish: "stop", Model: "m"},
		"empty_content": {Finish: "stop", Model: "m", Usage: usage(3, 0), Odd: []string{oddNoContent}},
		"null_content":  {Finish: "length", Model: "m", Usage: usage(3, 100), Odd: []string{oddNoContent}},
		"abort":         {Content: "Os", Finish: "length", Model: "m", Usage: usage(3, 1), Odd: []string{oddCutShort}},
		"object_content": {
			Content: `{"answer":"Oslo"}`, Finish: "stop", Model: "m", Usage: usage(3, 4), Odd: []string{oddForm, oddFinish},
		},
	} {
		got, f := decode(fixture(t, name+".json"))
		if f != nil {
			t.Errorf("%s: %v", name, f)
			continue
		}
		if d := cmp.Diff(&want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestDecodeFaults(t *testing.T) {
	type want struct {
		kind      string
		status    int
		temporary bool
		says      string
	}
	for name, want := range map[string]want{
		"vllm_flat_error.json":   {kindError, 503, true, "being loaded"},
		"abort_empty.json":       {kindBroken, 200, true, ""},
		"no_choices.json":        {kindNoChoice, 200, true, ""},
		"null_choices.json":      {kindNoChoice, 200, true, ""},
		"empty_choices.json":     {kindNoChoice, 200, true, ""},
		"null_choice.json":       {kindNoChoice, 200, true, ""},
		"no_message.json":        {kindNoMessage, 200, true, ""},
		"null_message.json":      {kindNoMessage, 200, true, ""},
		"error_in_200.json":      {kindError, 200, true, "overloaded"},
		"error_code_in_200.json": {kindError, 429, true, "Rate limit"},
		"error_text_in_200.json": {kindError, 200, true, "unexpectedly stopped"},
		"error_in_choice.json":   {kindBroken, 200, true, "upstream broke"},
		"half.json":              {kindHalf, 200, true, ""},
		"two.json":               {kindNotJSON, 200, true, ""},
		"page.html":              {kindPage, 200, true, "502 Bad Gateway"},
	} {
		got, f := decode(fixture(t, name))
		if f == nil {
			t.Errorf("%s was taken for an answer: %+v", name, got)
			continue
		}
		if f.Kind != want.kind || f.Status != want.status || f.Temporary != want.temporary || !strings.Contains(f.Error(), want.says) {
			t.Errorf("%s: %q status %d temporary %v: %v", name, f.Kind, f.Status, f.Temporary, f)
		}
	}
	if _, f := decode([]byte(" \n")); f == nil || f.Kind != kindEmpty {
		t.Errorf("an empty body: %v", f)
	}
}

// TestFixtures holds that each fixture is looked at by a test.
func TestFixtures(t *testing.T) {
	source := string(fixture(t, "../decode_test.go"))
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) < 30 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if !strings.Contains(source, `"`+name+`"`) && !strings.Contains(source, `"`+filepath.Base(f)+`"`) {
			t.Errorf("no test reads %s", f)
		}
	}
}

// FuzzDecode holds that no body breaks the decoder, that an answer says what it
// is made of, and that what is no answer has a cause.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		f.Add(fixture(f, filepath.Base(name)))
	}
	finishes := []string{"stop", "length", "tool_calls", "content_filter"}
	f.Fuzz(func(t *testing.T, body []byte) {
		resp, fault := decode(body)
		if (resp == nil) == (fault == nil) {
			t.Fatalf("answer %v, fault %v", resp, fault)
		}
		if fault != nil {
			if fault.Err == nil || fault.Kind == "" || fault.Status == 0 {
				t.Fatalf("a fault without a cause: %+v", fault)
			}
			return
		}
		if !slices.Contains(finishes, resp.Finish) || (resp.Finish == "tool_calls") != (len(resp.ToolCalls) > 0) {
			t.Fatalf("finish %q with %d calls", resp.Finish, len(resp.ToolCalls))
		}
		if resp.Usage != nil && (resp.Usage.Input < 1 || resp.Usage.Output < 0) {
			t.Fatalf("usage %+v", resp.Usage)
		}
		for _, c := range resp.ToolCalls {
			if c.Args == "" {
				t.Fatal("empty arguments")
			}
		}
	})
}
