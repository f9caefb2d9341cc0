package model

import "strings"

// WireName writes an agent's name as every endpoint accepts it in a message's
// name: debater[2] becomes debater_2.
func WireName(name string) string {
	if !strings.Contains(name, "[") {
		return name
	}
	return strings.ReplaceAll(strings.ReplaceAll(name, "[", "_"), "]", "")
}
