package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// maxMessage bounds one message, in bytes.
const maxMessage = 64 << 20

// message is a request, a notification or a response, as JSON-RPC has them.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is an error as the protocol has it.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

// The protocol's error codes.
const (
	parseError       = -32700
	invalidRequest   = -32600
	methodNotFound   = -32601
	invalidParams    = -32602
	internalError    = -32603
	notInitialized   = -32002
	requestFailed    = -32803
	requestCancelled = -32800
)

var errMalformed = errors.New("the message has no JSON in it")

// read reads one message. An errMalformed leaves the stream behind the message; any
// other error ends the connection.
func read(r *bufio.Reader) (message, error) {
	size := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return message{}, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return message{}, fmt.Errorf("a header line has no colon")
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if size, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || size < 0 {
				return message{}, fmt.Errorf("a message says no length that can be read")
			}
		}
	}
	if size < 0 {
		return message{}, fmt.Errorf("a message does not say its length")
	}
	if size > maxMessage {
		return message{}, fmt.Errorf("a message is larger than %d MiB", maxMessage>>20)
	}
	var body strings.Builder
	if _, err := io.CopyN(&body, r, int64(size)); err != nil {
		return message{}, err
	}
	var m message
	if err := json.Unmarshal([]byte(body.String()), &m); err != nil {
		return message{}, errMalformed
	}
	return m, nil
}

// writer writes messages, one at a time.
type writer struct {
	mu sync.Mutex
	w  io.Writer
}

func (w *writer) write(m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.w, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

func (w *writer) notify(method string, params any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return w.write(message{Method: method, Params: raw})
}
