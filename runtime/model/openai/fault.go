package openai

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/runtime/model"
	"parley/runtime/model/rawjson"
)

// mayPass reports whether a call that failed with this status may do better
// later.
func mayPass(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

// refused turns a failed exchange into a fault, or into an answer where what
// failed is the request itself: a context that is too long, a content filter.
func refused(x *exchange, now time.Time) (*model.Response, *model.Fault) {
	s := complaintOf(x.raw)
	switch {
	case x.status < 500 && overflows(s):
		return &model.Response{Finish: "context", Usage: &model.Usage{}}, nil
	case x.status < 500 && filtered(s):
		return &model.Response{Refusal: s.String(), Finish: "content_filter", Usage: &model.Usage{}}, nil
	}
	f := &model.Fault{
		Status: x.status, Temporary: mayPass(x.status), RetryAfter: retryAfter(x.header, now),
		Kind: strings.TrimSpace(fmt.Sprintf("status %d %s", x.status, statusText(x.status))),
	}
	switch x.header.Get("X-Should-Retry") {
	case "true":
		f.Temporary = true
	case "false":
		f.Temporary = false
	}
	switch {
	case s.code == "insufficient_quota" || s.kind == "insufficient_quota":
		f.Temporary, f.Lasting = false, true
	case x.status == http.StatusUnauthorized || x.status == http.StatusPaymentRequired || x.status == http.StatusNotFound:
		f.Lasting = true
	case x.status >= 500 && templateFailed.MatchString(s.message):
		f.Temporary = false // the same prompt fails again
	}
	text := fmt.Sprintf("the endpoint answered %d", x.status)
	if t := statusText(x.status); t != "" {
		text += " (" + t + ")"
	}
	if said := s.String(); said != "" {
		text += ": " + said
	}
	f.Err = errors.New(text)
	return nil, f
}

func statusText(status int) string {
	if status == 529 {
		return "overloaded"
	}
	return strings.ToLower(http.StatusText(status))
}

// complaintOf reads an error's body, JSON or not.
func complaintOf(raw []byte) said {
	v, err := rawjson.Parse(raw)
	if err == nil && v.Object() {
		return readComplaint(v)
	}
	text := strings.TrimSpace(string(raw))
	if strings.HasPrefix(text, "<") {
		text = "a web page " + strconv.Quote(excerpt(pageTitle(text)))
	}
	return said{message: text}
}

var (
	contextWords = regexp.MustCompile(`(?i)context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|exceed\w* (the )?(maximum|available) (number of )?(context|input|prompt|tokens)|input length`)
	// templateFailed is how llama.cpp says that a chat template raised an error.
	templateFailed = regexp.MustCompile(`(?i)jinja|chat template|at row \d+, column \d+`)
)

func overflows(s said) bool {
	return s.code == "context_length_exceeded" || s.kind == "exceed_context_size_error" || contextWords.MatchString(s.message)
}

func filtered(s said) bool {
	return s.code == "content_filter" || s.code == "content_policy_violation" || s.code == "ResponsibleAIPolicyViolation"
}

// retryAfter is how long the endpoint asks us to wait: seconds, milliseconds or
// a date, the last by the endpoint's own clock where it tells it.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return positive(ms / 1000)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return positive(s)
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if there, err := http.ParseTime(h.Get("Date")); err == nil {
		now = there
	}
	return positive(at.Sub(now).Seconds())
}

// positive is a time from seconds; what is negative or no number is none, and
// nothing is longer than a year.
func positive(seconds float64) time.Duration {
	const year = 365 * 24 * 3600
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, year) * float64(time.Second))
}
