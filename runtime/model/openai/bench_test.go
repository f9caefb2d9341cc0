package openai

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"parley/runtime/model"
	"parley/runtime/shape"
)

// canned answers every request on a connection at once with the same bytes,
// with as little work as a server can do.
func canned(b *testing.B, body string) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var wait sync.WaitGroup
	answer := []byte(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	wait.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer conn.Close()
				in := bufio.NewReaderSize(conn, 16<<10)
				for {
					length := 0
					for {
						line, err := in.ReadSlice('\n')
						if err != nil {
							return
						}
						if len(line) <= 2 {
							break
						}
						if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
							_, _ = fmt.Sscan(string(v), &length)
						}
					}
					if _, err := in.Discard(length); err != nil {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			})
		}
	})
	b.Cleanup(func() {
		_ = l.Close()
		wait.Wait()
	})
	return "http://" + l.Addr().String() + "/v1"
}

func benchRequest() *model.Request {
	req := &model.Request{Model: "m", Temperature: temperature(0), MaxTokens: 500, Seed: 1 << 50, User: strings.Repeat("a", 32)}
	req.Replies = &shape.Shape{Kind: shape.Record, Fields: []shape.Field{
		{Name: "answer", Shape: shape.Shape{Kind: shape.String}}, {Name: "reason", Shape: shape.Shape{Kind: shape.String}},
	}}
	req.Messages = append(req.Messages, model.Message{Role: "system", Content: strings.Repeat("You are a debater. ", 20)})
	for i := range 5 {
		req.Messages = append(req.Messages, model.Message{Role: "user", Name: fmt.Sprint("debater_", i), Content: strings.Repeat("The answer is Oslo. ", 25)})
	}
	return req
}

const benchAnswer = `{"id":"chatcmpl-1","object":"chat.completion","created":1731500000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"{\"answer\":\"Oslo\",\"reason\":\"Because it is the capital of Norway, as everybody in this debate has said so far.\"}","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":821,"completion_tokens":43,"total_tokens":864},"system_fingerprint":"fp_0123456789"}`

// BenchmarkCall is one call against an endpoint that answers at once: through
// the provider, through a tuned loop of the client library, and through a bare
// loop of the same bytes.
func BenchmarkCall(b *testing.B) {
	for _, inFlight := range []int{1, 16, 256} {
		b.Run(fmt.Sprint("provider/", inFlight), func(b *testing.B) {
			ends := New(Config{Connections: inFlight})
			defer ends.Close()
			p, err := ends.Provider(model.Spec{Name: "m", BaseURL: canned(b, benchAnswer)})
			if err != nil {
				b.Fatal(err)
			}
			req := benchRequest()
			loop(b, inFlight, func() error {
				_, err := p.Complete(context.Background(), req)
				return err
			})
		})
		b.Run(fmt.Sprint("library/", inFlight), func(b *testing.B) {
			c := openai.DefaultConfig("")
			c.BaseURL = canned(b, benchAnswer)
			hc := tuned(inFlight)
			defer hc.CloseIdleConnections()
			c.HTTPClient = hc
			client := openai.NewClientWithConfig(c)
			req := libraryRequest(benchRequest())
			loop(b, inFlight, func() error {
				_, err := client.CreateChatCompletion(context.Background(), req)
				return err
			})
		})
		b.Run(fmt.Sprint("bare/", inFlight), func(b *testing.B) {
			url := canned(b, benchAnswer) + "/chat/completions"
			hc := tuned(inFlight)
			defer hc.CloseIdleConnections()
			sent := body(benchRequest(), everything())
			loop(b, inFlight, func() error {
				resp, err := hc.Post(url, "application/json", bytes.NewReader(sent))
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				_, err = io.Copy(io.Discard, resp.Body)
				return err
			})
		})
	}
}

func tuned(inFlight int) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxConnsPerHost = 0, inFlight, inFlight
	return &http.Client{Transport: t}
}

func libraryRequest(req *model.Request) openai.ChatCompletionRequest {
	seed := int(req.Seed)
	out := openai.ChatCompletionRequest{
		Model: req.Model, MaxCompletionTokens: req.MaxTokens, Seed: &seed, User: req.User,
		ResponseFormat: &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: "reply", Strict: true, Schema: req.Replies.JSONSchema()},
		},
	}
	for _, m := range req.Messages {
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: m.Role, Name: m.Name, Content: m.Content})
	}
	return out
}

// loop makes b.N calls, so many at a time.
func loop(b *testing.B, inFlight int, call func() error) {
	b.ReportAllocs()
	b.ResetTimer()
	next := make(chan struct{}, inFlight)
	var wait sync.WaitGroup
	for range inFlight {
		wait.Go(func() {
			for range next {
				if err := call(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for range b.N {
		next <- struct{}{}
	}
	close(next)
	wait.Wait()
}
