package imports

import (
	"encoding/json"
	"fmt"
	"strings"
)

// effect says where in the world a tool's call shows once it has been made.
type effect struct {
	list   string            // the state's list in which it shows
	fresh  string            // the field that tells new elements; empty where old ones change
	also   string            // what else holds of the element, called m
	fields map[string]string // of arguments whose field is called otherwise
	record string            // the state's record in which it shows
}

var bookingFields = map[string]string{"hotel": "name", "company": "name", "restaurant": "name", "start_day": "start", "end_day": "end", "start_time": "start", "end_time": "end"}

var effects = map[string]effect{
	"send_money":                   {list: "transactions", fresh: "id"},
	"schedule_transaction":         {list: "scheduled_transactions", fresh: "id"},
	"update_scheduled_transaction": {list: "scheduled_transactions"},
	"update_password":              {record: "user"},
	"update_user_info":             {record: "user"},

	"send_direct_message":  {list: "direct_messages", also: `m.sender == "bot"`},
	"send_channel_message": {list: "channel_messages", also: `m.sender == "bot"`, fields: map[string]string{"channel": "recipient"}},
	"invite_user_to_slack": {list: "invitations", fields: map[string]string{"user_email": "email"}},
	"add_user_to_channel":  {list: "memberships"},

	"reserve_hotel":      {list: "reservations", also: `m.kind == "hotel"`, fields: bookingFields},
	"reserve_car_rental": {list: "reservations", also: `m.kind == "car"`, fields: bookingFields},
	"reserve_restaurant": {list: "reservations", also: `m.kind == "restaurant"`, fields: bookingFields},

	"send_email":                      {list: "emails", fresh: "id_"},
	"delete_email":                    {list: "trash", fields: map[string]string{"email_id": "id_"}},
	"create_calendar_event":           {list: "events", fresh: "id_"},
	"cancel_calendar_event":           {list: "events", also: `m.status == "canceled"`, fields: map[string]string{"event_id": "id_"}},
	"reschedule_calendar_event":       {list: "events", fields: map[string]string{"event_id": "id_", "new_start_time": "start_time", "new_end_time": "end_time"}},
	"add_calendar_event_participants": {list: "events", fields: map[string]string{"event_id": "id_"}},

	"create_file":    {list: "files", fresh: "id_"},
	"append_to_file": {list: "files", also: `any(before.state.files, .id_ == m.id_ && len(.content) < len(m.content))`, fields: map[string]string{"file_id": "id_"}},
	"delete_file":    {list: "deleted_files", fields: map[string]string{"file_id": "id_"}},
	"share_file":     {list: "files", fields: map[string]string{"file_id": "id_"}},
}

// effectOf writes the predicates that hold when the calls have had their effect.
func (s *suite) effectOf(writes []writeFacts) ([]string, error) {
	trashed := sentThenDeleted(writes)
	var out []string
	for i, w := range writes {
		if n := sameAs(writes[:i], w); n > 0 {
			continue // counted with its first twin
		}
		var pred string
		var err error
		switch times := sameAs(writes, w); {
		case w.tool == "get_webpage":
			pred = fmt.Sprintf("any(reads, .effected && .uri == %s)", quoted("page:"+escaped(textOf(w.arg("url")))))
		case w.tool == "post_webpage":
			pred, err = s.pageEffect(w)
		case w.tool == "remove_user_from_slack":
			pred = fmt.Sprintf("none(after.state.users, # == %s)", quoted(textOf(w.arg("user"))))
		case w.tool == "add_user_to_channel" && removedLater(writes[i:], textOf(w.arg("user"))):
			pred = fmt.Sprintf("any(calls, .effected && .tool == %s && .args.user == %s && .args.channel == %s)",
				quoted(w.tool), quoted(textOf(w.arg("user"))), quoted(textOf(w.arg("channel"))))
		default:
			pred, err = s.listEffect(w, trashed[i], times)
		}
		if err != nil {
			return nil, err
		}
		if pred != "" {
			out = append(out, pred)
		}
	}
	return out, nil
}

// sentThenDeleted says which sent mails are deleted by a later call of the list.
func sentThenDeleted(writes []writeFacts) []bool {
	out := make([]bool, len(writes))
	var pending []int
	for i, w := range writes {
		switch {
		case w.tool == "send_email":
			pending = append(pending, i)
		case w.tool == "delete_email" && w.arg("email_id") == justSent:
			for _, k := range pending {
				out[k] = true
			}
			pending = nil
		}
	}
	return out
}

func removedLater(writes []writeFacts, user string) bool {
	for _, w := range writes {
		if w.tool == "remove_user_from_slack" && textOf(w.arg("user")) == user {
			return true
		}
	}
	return false
}

// sameAs counts the calls in a list that are exactly w.
func sameAs(list []writeFacts, w writeFacts) int {
	n := 0
	for _, x := range list {
		if fmt.Sprint(x) == fmt.Sprint(w) {
			n++
		}
	}
	return n
}

func (s *suite) pageEffect(w writeFacts) (string, error) {
	url := textOf(w.arg("url"))
	text := fmt.Sprintf("(after.files[%s] ?? \"\")", quoted(url))
	conds := stateConds(text, "content", w.arg("content"))
	if len(conds) == 0 {
		conds = []string{text + ` != ""`}
	}
	return strings.Join(conds, " && "), nil
}

// listEffect is `an element of the list has the call's arguments`.
func (s *suite) listEffect(w writeFacts, trashed bool, times int) (string, error) {
	e, ok := effects[w.tool]
	if !ok {
		return "", &Problem{File: s.file, Field: w.tool, Want: "a tool whose effect is known", Got: "another"}
	}
	if e.record != "" {
		var conds []string
		for _, a := range w.args {
			conds = append(conds, stateConds("after.state."+e.record+"."+a.name, a.name, a.value)...)
		}
		return strings.Join(conds, " && "), nil
	}
	from := "after.state." + e.list
	if trashed {
		from = "after.state.trash"
	}
	if e.fresh != "" {
		from = fmt.Sprintf("filter(%s, let x = #; none(before.state.%s, .%s == x.%s))", from, e.list, e.fresh, e.fresh)
	}
	var conds []string
	if e.also != "" {
		conds = append(conds, e.also)
	}
	for _, a := range w.args {
		if p := everyOne[textOf(a.value)]; p != "" {
			return p, nil
		}
		name := a.name
		if f := e.fields[name]; f != "" {
			name = f
		}
		conds = append(conds, elementConds(w, "m."+name, a)...)
	}
	if len(conds) == 0 {
		conds = []string{"true"}
	}
	test := "let m = #; " + strings.Join(conds, " && ")
	if times > 1 {
		return fmt.Sprintf("count(%s, %s) >= %d", from, test, times), nil
	}
	return fmt.Sprintf("any(%s, %s)", from, test), nil
}

// elementConds are the conditions of one argument on the element it shows in,
// where the field has another form than the argument.
func elementConds(w writeFacts, field string, a argFacts) []string {
	switch {
	case w.tool == "add_user_to_channel" && a.name == "channel":
		return []string{quoted(textOf(a.value)) + " in m.channels"}
	case w.tool == "share_file" && a.name == "email":
		return []string{fmt.Sprintf("any(m.shared_with, .email == %s && .permission == %s)", quoted(textOf(a.value)), quoted(textOf(w.arg("permission"))))}
	case w.tool == "share_file" && a.name == "permission", a.value == justSent:
		return nil
	case w.tool == "append_to_file" && a.name == "content", w.tool == "create_file" && a.name == "content":
		return stateConds("m.content", a.name, a.value)
	case a.name == "recipients":
		if list, ok := a.value.([]string); ok {
			return append(stateConds(field, a.name, a.value), fmt.Sprintf("len(%s) == %d", field, len(list)))
		}
	}
	return stateConds(field, a.name, a.value)
}

// stateConds are the conditions under which a place of the finished run has an
// argument's value.
func stateConds(at, name string, value any) []string {
	switch v := value.(type) {
	case json.Number:
		return []string{at + " == " + v.String()}
	case bool:
		return []string{fmt.Sprintf("%s == %t", at, v)}
	case []string:
		if name == "attachments" {
			ids := make([]string, len(v))
			for i, f := range v {
				ids[i] = strings.TrimPrefix(f, "file ")
			}
			v = ids
		}
		return []string{fmt.Sprintf("all(%s, # in %s)", list(v), at)}
	case string:
		return textConds(at, name, v, true)
	}
	return nil
}

// textConds are the conditions of a text or a pattern. What depends on the world
// before the run is left out where that cannot be asked.
func textConds(at, name, v string, before bool) []string {
	switch {
	case v == "*" || v == "":
		return nil
	case strings.HasPrefix(v, "<"), strings.HasPrefix(v, "~"):
		if m, ok := meanings[v]; ok {
			if m.cond == "" || !before && strings.Contains(m.cond, "before.") {
				return nil
			}
			return []string{strings.ReplaceAll(m.cond, "TEXT", at)}
		}
		if strings.HasPrefix(v, "<") {
			return nil
		}
		return needles(at, strings.TrimPrefix(v, "~"))
	case strings.HasPrefix(v, "*"):
		return []string{at + " contains " + quoted(v[1:])}
	case name == "city": // people write the state and the code behind it
		return []string{at + " contains " + quoted(v)}
	case strings.Contains(name, "start_time") && len(v) == len("2024-05-01"):
		return []string{at + " startsWith " + quoted(v)}
	}
	return []string{at + " == " + quoted(v)}
}

// needles: every part between & must stand in the text; of parts between | one.
func needles(at, pattern string) []string {
	var out []string
	for part := range strings.SplitSeq(pattern, "&") {
		var any []string
		for p := range strings.SplitSeq(part, "|") {
			any = append(any, fmt.Sprintf("lower(%s) contains %s", at, quoted(strings.ToLower(strings.TrimSpace(p)))))
		}
		if len(any) == 1 {
			out = append(out, any[0])
		} else {
			out = append(out, "("+strings.Join(any, " || ")+")")
		}
	}
	return out
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}
