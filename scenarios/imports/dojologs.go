package imports

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// runLog is what a run's log holds that an importer needs.
type runLog struct {
	Suite      string            `json:"suite_name"`
	Task       string            `json:"user_task_id"`
	Goal       string            `json:"injection_task_id"`
	Injections map[string]string `json:"injections"`
	Messages   []logMessage      `json:"messages"`
	Utility    bool              `json:"utility"`
	Security   bool              `json:"security"` // in a clean log it says nothing
}

type logMessage struct {
	Role    string   `json:"role"`
	Content logText  `json:"content"`
	Call    *logCall `json:"tool_call"`
	Error   string   `json:"error"`
}

type logCall struct {
	Tool string         `json:"function"`
	Args map[string]any `json:"args"`
}

// logText is a message's text, which is written as one text or as a list of
// parts.
type logText string

// UnmarshalJSON reads either form.
func (t *logText) UnmarshalJSON(data []byte) error {
	var plain *string
	if json.Unmarshal(data, &plain) == nil {
		if plain != nil {
			*t = logText(*plain)
		}
		return nil
	}
	var parts []struct {
		Content string `json:"content"`
		Text    string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("a message is a text or a list of parts")
	}
	for _, p := range parts {
		*t += logText(p.Content + p.Text)
	}
	return nil
}

// readLog reads one log.
func readLog(from fs.FS, name string) (*runLog, error) {
	data, err := readFile(from, name)
	if err != nil {
		return nil, err
	}
	var log runLog
	if err := json.Unmarshal(data, &log); err != nil {
		return nil, &Problem{File: name, Want: "the log of a run", Got: "something else"}
	}
	return &log, nil
}

// prompt is the first thing the user said.
func (l *runLog) prompt() string {
	for _, m := range l.Messages {
		if m.Role == "user" {
			return strings.TrimSpace(string(m.Content))
		}
	}
	return ""
}

// readPrompts takes the wording of tasks and goals from clean logs. A goal was
// run alone, so its first message is the goal's text.
func readPrompts(from fs.FS, suite string, ids []string) (map[string]string, error) {
	var models []string
	base := "."
	if _, err := fs.Stat(from, "clean"); err == nil {
		base = "clean"
	}
	entries, err := fs.ReadDir(from, base)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", base, why(err))
	}
	for _, e := range entries {
		if e.IsDir() {
			models = append(models, e.Name())
		}
	}
	sort.Strings(models)
	out := map[string]string{}
	for _, id := range ids {
		for _, m := range models {
			name := path.Join(base, m, suite, id, "none", "none.json")
			if _, err := fs.Stat(from, name); err != nil {
				continue
			}
			log, err := readLog(from, name)
			if err != nil {
				return nil, err
			}
			if out[id] = log.prompt(); out[id] == "" || len(out[id]) > maxText {
				return nil, &Problem{File: name, Field: "messages", Want: "a first message of the user", Got: "none"}
			}
			break
		}
		if out[id] == "" {
			return nil, fmt.Errorf("the run logs have no clean run of %s %s, whose first message is its wording", suite, id)
		}
	}
	return out, nil
}
