package imports

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"parley/runtime/world"
)

// writesTo says which resources a tool's call changes, as patterns.
var writesTo = map[string][]string{
	"send_money": anyOf("payment"), "schedule_transaction": anyOf("order"), "update_scheduled_transaction": anyOf("order"),
	"update_password": {"account:password"}, "update_user_info": {"account:user"},

	"add_user_to_channel": anyOf("members"), "send_direct_message": anyOf("inbox"), "send_channel_message": anyOf("channel"),
	"invite_user_to_slack": anyOf("user"), "remove_user_from_slack": anyOf("user"), "post_webpage": anyOf("page"),

	"reserve_hotel": anyOf("booking"), "reserve_car_rental": anyOf("booking"), "reserve_restaurant": anyOf("booking"),

	"send_email": anyOf("mailbox"), "delete_email": anyOf("mail"),
	"create_calendar_event": anyOf("event", "mailbox"), "cancel_calendar_event": anyOf("event"),
	"reschedule_calendar_event": anyOf("event"), "add_calendar_event_participants": anyOf("event", "mailbox"),

	"create_file": anyOf("drive"), "append_to_file": anyOf("drive"), "delete_file": anyOf("drive-trash"), "share_file": anyOf("drive-access", "mailbox"),
}

// anyOf is every resource of some schemes, also those with a slash in the name.
func anyOf(schemes ...string) []string {
	var out []string
	for _, s := range schemes {
		out = append(out, s+":*", s+":*/*")
	}
	return out
}

// allReads are what the reading tools of a suite read.
var allReads = map[string][]string{
	"banking":   append(anyOf("file"), "account:*"),
	"slack":     anyOf("channels", "channel", "inbox", "members", "page"),
	"travel":    anyOf("user", "hotels", "hotel", "restaurants", "restaurant", "cars", "car", "flights", "calendar"),
	"workspace": anyOf("mail", "contacts", "clock", "calendar", "drive"),
}

// harmless is what any task may read: it says nothing about anybody.
var harmless = map[string][]string{"workspace": {"clock:today"}}

func escaped(s string) string { return world.Escape(s) }

// mayRead are the resources that a task's reading calls touch, where the calls
// name them; a task without any may read what the suite's tools read.
func (s *suite) mayRead(t taskFacts) []string {
	if len(t.reads) == 0 {
		return allReads[s.name]
	}
	out := append([]string(nil), harmless[s.name]...)
	for _, r := range t.reads {
		for _, uri := range s.readsOf(t, r) {
			if !contains(out, uri) {
				out = append(out, uri)
			}
		}
	}
	return out
}

var readCall = regexp.MustCompile(`^([a-z_]+)(?:\((.*)\))?$`)

// readsOf resolves one reading call of the facts, such as read_file(bill.txt).
func (s *suite) readsOf(t taskFacts, r string) []string {
	m := readCall.FindStringSubmatch(r)
	if m == nil {
		return nil
	}
	tool, arg := m[1], m[2]
	one := func(scheme string) []string {
		if arg == "" {
			return anyOf(scheme)
		}
		return []string{scheme + ":" + escaped(arg)}
	}
	switch tool {
	case "get_iban", "get_balance", "get_user_info":
		return []string{"account:" + map[string]string{"get_iban": "iban", "get_balance": "balance", "get_user_info": "user"}[tool]}
	case "get_most_recent_transactions":
		return []string{"account:transactions"}
	case "get_scheduled_transactions":
		return []string{"account:scheduled"}
	case "read_file":
		return one("file")
	case "get_channels":
		return []string{"channels:all"}
	case "read_channel_messages":
		return one("channel")
	case "read_inbox":
		return one("inbox")
	case "get_users_in_channel":
		return one("members")
	case "get_webpage":
		return one("page")
	case "get_user_information":
		return []string{"user:papers"}
	case "get_flight_information":
		from, to, _ := strings.Cut(arg, ", ")
		return []string{"flights:" + escaped(from) + "/" + escaped(to)}
	case "get_all_hotels_in_city":
		return one("hotels")
	case "get_all_restaurants_in_city":
		return one("restaurants")
	case "get_all_car_rental_companies_in_city":
		return one("cars")
	case "get_current_day":
		return []string{"clock:today"}
	case "get_day_calendar_events", "search_calendar_events":
		if day := isoDay.FindString(arg); day != "" {
			return []string{"calendar:" + day, "calendar:all"} // a search may leave the day out
		}
		return anyOf("calendar")
	case "get_unread_emails", "get_sent_emails", "get_received_emails", "get_draft_emails":
		return []string{"mail:" + strings.TrimSuffix(strings.TrimPrefix(tool, "get_"), "_emails")}
	case "search_emails":
		return []string{"mail:found"}
	case "search_contacts_by_name", "search_contacts_by_email":
		return anyOf("contacts")
	case "search_files":
		return append([]string{"drive:found"}, s.filesWith("content", arg)...)
	case "search_files_by_filename":
		return append(one("drive"), s.filesWith("filename", arg)...)
	case "list_files":
		return []string{"drive:all"}
	}
	return s.listings(t, tool, arg)
}

// filesWith names the drive's files in which a search finds the words: what was
// found may also be opened by its id.
func (s *suite) filesWith(field, words string) []string {
	var out []string
	for _, f := range s.env.list("cloud_drive.initial_files") {
		if strings.Contains(strings.ToLower(s.plain(f.str(field))), strings.ToLower(words)) {
			out = append(out, "drive:"+escaped(f.str("id_")))
		}
	}
	return out
}

var isoDay = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}`)

// listings resolves what is read of hotels, restaurants and rented cars: those
// that the call names, else those of the cities whose lists the task asks for.
func (s *suite) listings(t taskFacts, tool, arg string) []string {
	kind := [3]string{"restaurant", "get_all_restaurants_in_city", "restaurants.restaurant_list"}
	switch {
	case strings.Contains(tool, "hotel"):
		kind = [3]string{"hotel", "get_all_hotels_in_city", "hotels.hotel_list"}
	case strings.Contains(tool, "car"):
		kind = [3]string{"car", "get_all_car_rental_companies_in_city", "car_rental.company_list"}
	}
	cities := map[string]bool{}
	for _, r := range t.reads {
		if m := readCall.FindStringSubmatch(r); m != nil && m[1] == kind[1] {
			cities[m[2]] = true
		}
	}
	if city, ok := strings.CutSuffix(arg, " hotels"); ok {
		cities = map[string]bool{city: true}
	}
	var out []string
	for _, x := range s.env.list(kind[2]) {
		if x.str("name") == arg || cities[x.str("city")] {
			out = append(out, kind[0]+":"+escaped(x.str("name")))
		}
	}
	if len(out) == 0 {
		return anyOf(kind[0])
	}
	return out
}

// rules writes a task's authority: what it may read, and each writing call with
// its arguments as the bound.
func (s *suite) rules(t taskFacts) []string {
	out := []string{"allow read " + uris(s.mayRead(t))}
	for _, w := range t.writes {
		rule := "allow write " + uris(writesTo[w.tool])
		var conds []string
		for _, a := range w.args {
			conds = append(conds, s.bound(w.tool, a)...)
		}
		if len(conds) > 0 {
			rule += " when " + strings.Join(conds, " && ")
		}
		if !contains(out, rule) {
			out = append(out, rule)
		}
	}
	return out
}

func uris(patterns []string) string {
	parts := make([]string, len(patterns))
	for i, p := range patterns {
		parts[i] = quoted(p)
	}
	return strings.Join(parts, ", ")
}

// bound is what an argument of an authorized call must be like. An argument that
// the tool needs must be there, so that the rule covers no other tool's calls;
// one that may be left out is no stray when it is. Of lists of people, each must
// be one of those named, or the owner. What a text has to say is the task's
// matter, not authority's: only a whole text binds.
func (s *suite) bound(tool string, a argFacts) []string {
	at := func(without string) string {
		if s.tools[tool].needs(a.name) {
			return "args." + a.name
		}
		return fmt.Sprintf("(args.%s ?? %s)", a.name, without)
	}
	var out []string
	switch v := a.value.(type) {
	case json.Number:
		out = []string{at(v.String()) + " == " + v.String()}
	case bool:
		out = []string{fmt.Sprintf("%s == %t", at(fmt.Sprint(v)), v)}
	case []string:
		if a.name != "attachments" {
			out = []string{fmt.Sprintf("all(%s, # in %s)", at("[]"), list(append(v[:len(v):len(v)], s.env.get("inbox").str("account_email"))))}
		}
	case string:
		if !strings.HasPrefix(v, "~") || a.name != "body" && a.name != "content" {
			out = textConds(at(quoted(strings.TrimLeft(v, "~*"))), a.name, v, false)
		}
	}
	if len(out) == 0 && s.tools[tool].needs(a.name) {
		out = []string{"args." + a.name + " != nil"}
	}
	return out
}
