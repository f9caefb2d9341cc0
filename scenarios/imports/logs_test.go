package imports

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp"
	"parley/runtime"
	"parley/runtime/trace"
	"parley/runtime/world"
)

// The logs are replayed call by call. Upstream writes results as YAML, as Python
// dicts or as sentences, and we as JSON; equal means that both say the same words
// and numbers, field names and sentence labels aside.

func TestCleanLogsReplay(t *testing.T) {
	replayLogs(t, "clean", 132, 132)
}

func TestAttackedLogsReplay(t *testing.T) {
	replayLogs(t, "attacked", 35, 35)
}

// replayLogs replays all logs below a folder, and demands that at least some of
// them replay whole.
func replayLogs(t *testing.T, dir string, logs, least int) {
	root := os.DirFS(filepath.Join(heldData(t), "agentdojo-runs"))
	cells := map[string]*interp.Cell{}
	for _, suite := range suiteNames {
		cells[suite] = compiled(t, suite, suite+"_clean").Cells[0]
	}
	var names []string
	err := fs.WalkDir(root, dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".json") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, calls, equal := 0, 0, 0
	agree, judged, won, tried, strays := 0, 0, 0, 0, 0
	attacked := map[string][]*interp.Cell{}
	for _, name := range names {
		log, err := readLog(root, name)
		if err != nil {
			t.Fatal(err)
		}
		got, row := replayLog(t, withInjections(cells[log.Suite], log.Injections), log)
		n, same, misses := compareLog(log, got)
		calls, equal = calls+n, equal+same
		if n == same {
			whole++
		}
		for _, m := range misses {
			t.Logf("%s %s %s: %s", log.Suite, log.Task, log.Goal, m)
		}
		if log.Goal != "" {
			if attacked[log.Suite] == nil {
				attacked[log.Suite] = compiled(t, log.Suite, log.Suite+"_attacked").Cells
			}
			tried++
			if v := goalVerdict(t, attacked[log.Suite], log); v == log.Security {
				won++
			} else {
				t.Logf("%s %s %s: upstream says the goal is reached: %t; we: %t", log.Suite, log.Task, log.Goal, log.Security, v)
			}
		}
		if strings.HasPrefix(log.Task, "user_task") {
			v := verdicts(t, cells[log.Suite], runtime.Clean, row, got)
			judged++
			if v["any(writes, !.authorized)"].Holds == "yes" && dir == "clean" {
				strays++
				t.Logf("%s %s: a write of the clean run is not authorized: %s", log.Suite, log.Task, v["any(writes, !.authorized)"].Why)
			}
			if (v["task.upstream"].Holds == "yes") == log.Utility {
				agree++
			} else {
				t.Logf("%s %s %s: upstream says %t, our check %s: %s", log.Suite, log.Task, log.Goal, log.Utility, v["task.upstream"].Holds, v["task.upstream"].Why)
			}
		}
	}
	if tried > 0 {
		t.Logf("%s: upstream and we agree on %d of %d goals", dir, won, tried)
	}
	t.Logf("%s: %d of %d logs replay whole, %d of %d calls; upstream's judgement and ours agree on %d of %d user tasks", dir, whole, len(names), equal, calls, agree, judged)
	if strays > 0 {
		t.Errorf("%d clean runs write what their task does not authorize", strays)
	}
	if len(names) != logs || whole < least {
		t.Errorf("%d of %d logs replay; there should be %d logs, and at least %d replay", whole, len(names), logs, least)
	}
}

func replayLog(t testing.TB, cell *interp.Cell, log *runLog) (*trace.Trial, int) {
	t.Helper()
	return replayLogIn(t, cell, runtime.Clean, log)
}

func replayLogIn(t testing.TB, cell *interp.Cell, arm runtime.ArmName, log *runLog) (*trace.Trial, int) {
	t.Helper()
	r := &replayer{}
	for _, m := range log.Messages {
		if m.Role == "assistant" {
			r.answer = string(m.Content)
		}
		if m.Role != "tool" || m.Call == nil {
			continue
		}
		args, err := json.Marshal(m.Call.Args)
		if err != nil {
			t.Fatal(err)
		}
		r.calls = append(r.calls, call{m.Call.Tool, string(args)})
	}
	row := 0
	for i, c := range cell.Plan.Cases {
		if c.Name == log.Task {
			row = i
		}
	}
	return replayed(t, cell, arm, row, r), row
}

// withInjections is the cell with other texts in its holes. Upstream reads a text
// twice, which halves its line breaks; words stay.
func withInjections(cell *interp.Cell, texts map[string]string) *interp.Cell {
	if len(texts) == 0 {
		return cell
	}
	plan := *cell.Plan
	plan.Arms = append([]runtime.Arm(nil), plan.Arms...)
	for i := range plan.Arms {
		p := *plan.Arms[i].Program
		p.World.Holes = append([]runtime.Hole(nil), p.World.Holes...)
		for k, h := range p.World.Holes {
			if text, ok := texts[h.Name]; ok {
				p.World.Holes[k].Default = runtime.Expr{Src: strconv.Quote(text)}
			}
		}
		plan.Arms[i].Program = &p
	}
	return &interp.Cell{Plan: &plan, Spec: cell.Spec}
}

// goalVerdict says whether a log's calls reach its goal here, in a world with the
// text that stood there then.
func goalVerdict(t testing.TB, cells []*interp.Cell, log *runLog) bool {
	t.Helper()
	for _, c := range cells {
		if !strings.Contains(c.Spec.Attack, log.Goal+"(") && c.Spec.Attack != log.Goal {
			continue
		}
		plan := *c.Plan
		plan.Arms = append([]runtime.Arm(nil), plan.Arms...)
		cell := &interp.Cell{Plan: &plan, Spec: c.Spec}
		disarmed(cell)
		cell = withInjections(cell, log.Injections)
		got, row := replayLogIn(t, cell, runtime.Attacked, log)
		return verdicts(t, cell, runtime.Attacked, row, got)["attack.won"].Holds == "yes"
	}
	t.Fatalf("no attack is called %s", log.Goal)
	return false
}

// compareLog counts the log's calls and those that gave the same here.
func compareLog(log *runLog, got *trace.Trial) (calls, same int, misses []string) {
	var ours []*trace.Call
	for _, e := range got.Events {
		if e.Kind == trace.KindCall {
			ours = append(ours, e.Call)
		}
	}
	for _, m := range log.Messages {
		if m.Role != "tool" || m.Call == nil {
			continue
		}
		c := ours[calls]
		calls++
		what := fmt.Sprintf("%s%v", c.Tool, short(fmt.Sprint(m.Call.Args)))
		switch {
		case (m.Error != "") != (c.Error != ""):
			misses = append(misses, fmt.Sprintf("%s: upstream's error is %q, ours %q", what, m.Error, c.Error))
			continue
		case m.Error == "" && len(c.Writes) == 0:
			if diff := differs(saidByLog(string(m.Content)), saidByUs(world.Plain(c.Result))); diff != "" {
				misses = append(misses, what+": "+diff)
				continue
			}
		}
		same++
	}
	return calls, same, misses
}

// differs says which words only one side has.
func differs(theirs, ours []string) string {
	count := map[string]int{}
	for _, w := range theirs {
		count[w]++
	}
	for _, w := range ours {
		count[w]--
	}
	var left, right []string
	for w, n := range count {
		if n > 0 {
			left = append(left, w)
		} else if n < 0 {
			right = append(right, w)
		}
	}
	if len(left)+len(right) == 0 {
		return ""
	}
	sort.Strings(left)
	sort.Strings(right)
	return fmt.Sprintf("only upstream says %s; only we say %s", short(strings.Join(left, " ")), short(strings.Join(right, " ")))
}

// saidByLog are the words of a result as upstream wrote it.
func saidByLog(content string) []string {
	var v any
	if text, err := literalJSON(content); err == nil && json.Unmarshal([]byte(text), &v) == nil {
		return leaves(v, true)
	}
	t, err := (&treeReader{from: fstest.MapFS{"r.yaml": {Data: []byte(content)}}}).read("r.yaml", 0)
	if err != nil || t.kind == scalarTree || t.kind == nullTree {
		return words(content)
	}
	return leaves(fromTree(t), true)
}

func saidByUs(v any) []string { return leaves(v, false) }

// leaves are the words of all values of a result. Keys that name no field are
// data of upstream's.
func leaves(v any, keys bool) []string {
	var out []string
	switch v := v.(type) {
	case nil:
	case []any:
		for _, x := range v {
			out = append(out, leaves(x, keys)...)
		}
	case map[string]any:
		for k, x := range v {
			if k == "timestamp" || k == "last_modified" {
				if s := fmt.Sprint(x); strings.Contains(s, ".") || strings.HasSuffix(s, " 00:00") {
					continue // the moment of the run, and ours
				}
			}
			if keys && !isField(k) {
				out = append(out, words(k)...)
			}
			out = append(out, leaves(x, keys)...)
		}
	default:
		out = words(fmt.Sprint(v))
	}
	return out
}

// fieldsOfResults are the keys that are names of fields in upstream's results.
var fieldsOfResults = regexp.MustCompile(`^(id|id_|sender|recipient|amount|subject|date|recurring|first_name|last_name|street|city|body|recipients|cc|bcc|` +
	`attachments|read|status|title|description|start_time|end_time|location|participants|all_day|content|filename|owner|shared_with|size|name|email|message|Hotel Names|` +
	`First Name|Last Name|ID Number|Email|Phone Number|Address|Passport Number|Bank Account Number|Credit Card Number|timestamp|last_modified)$`)

func isField(k string) bool { return fieldsOfResults.MatchString(k) }

var (
	labels = regexp.MustCompile(`(Price range|Rating|Reviews|Hotel Names|Restaurant in [^:\n]+|Car Rental Companies in [^:\n]+|Airline|Flight Number|` +
		`Departure Time|Arrival Time|Price|Contact Information): `)
	seconds = regexp.MustCompile(`(\d\d:\d\d):00\b`)
	word    = regexp.MustCompile(`[0-9]+(\.[0-9]+)?|\p{L}+`)
)

// words are the words and numbers of a text; 98.70 and 98.7 are one number.
func words(text string) []string {
	text = seconds.ReplaceAllString(labels.ReplaceAllString(text, ""), "$1")
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\n`, "\n"), `\t`, "\t")
	var out []string
	for _, w := range word.FindAllString(text, -1) {
		if f, err := strconv.ParseFloat(w, 64); err == nil {
			w = strconv.FormatFloat(f, 'f', -1, 64)
		}
		out = append(out, w)
	}
	return out
}

func fromTree(t *tree) any {
	switch t.kind {
	case scalarTree:
		return t.text
	case listTree:
		out := []any{}
		for _, v := range t.vals {
			out = append(out, fromTree(v))
		}
		return out
	case mapTree:
		out := map[string]any{}
		for i, k := range t.keys {
			out[k] = fromTree(t.vals[i])
		}
		return out
	}
	return nil
}
