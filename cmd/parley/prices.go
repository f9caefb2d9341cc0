package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"parley/runtime/queue"
)

// price is what a model's tokens cost, in USD per million.
type price struct {
	Input  float64 `json:"input"`
	Output float64 `json:"output"`
}

// priceTable gives prices by "provider/name".
type priceTable map[string]price

// readPrices reads a price table; no file is an empty one.
func readPrices(file string) (priceTable, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--prices %s: %s", file, reason(err))
	}
	var t priceTable
	if err := json.Unmarshal(data, &t); err != nil {
		return nil, fmt.Errorf("--prices %s: not a price table such as {\"openai/NAME\": {\"input\": 2.5, \"output\": 10}}", file)
	}
	for name, p := range t {
		if p.Input < 0 || p.Output < 0 {
			return nil, fmt.Errorf("--prices %s: %s has a negative price", file, name)
		}
	}
	return t, nil
}

// byModel is the table as the run queue takes it: by the model's own name.
func (t priceTable) byModel() map[string]queue.Price {
	out := make(map[string]queue.Price, len(t))
	for name, p := range t {
		if _, after, ok := strings.Cut(name, "/"); ok {
			name = after
		}
		out[name] = queue.Price{Input: p.Input, Output: p.Output}
	}
	return out
}
