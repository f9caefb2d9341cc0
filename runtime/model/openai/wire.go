package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"parley/runtime/model"
)

// Bounds of what an endpoint may send and of what is kept of it.
const (
	MaxBody  = 16 << 20 // a longer answer is a failure
	MaxKept  = 64 << 10 // of a body, on record
	maxError = 1 << 20  // of an error's body
)

// exchange is one request with its answer, as they travelled.
type exchange struct {
	body   []byte
	status int
	header http.Header
	raw    []byte
	err    error
}

type exchangeKey struct{}

var errLarge = errors.New("the answer is too large")

// Do sends what the exchange in the request's context holds in place of what
// the client library wrote, and keeps what comes back. The library sees errors
// whole, and of an answer only that there was one: it would drop and mistake
// parts of it.
func (e *endpoint) Do(r *http.Request) (*http.Response, error) {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		return nil, errors.New("a request without an exchange")
	}
	if e.project != "" {
		r.Header.Set("OpenAI-Project", e.project)
	}
	resp, err := e.carry(r, x)
	if err != nil {
		return nil, err
	}
	shown := x.raw
	if good(resp) {
		shown = []byte("{}")
	}
	resp.Body = io.NopCloser(bytes.NewReader(shown))
	return resp, nil
}

func good(resp *http.Response) bool { return resp.StatusCode >= 200 && resp.StatusCode < 300 }

// carry sends an exchange's body and reads what comes back.
func (e *endpoint) carry(r *http.Request, x *exchange) (*http.Response, error) {
	r.ContentLength = int64(len(x.body))
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	r.Body, _ = r.GetBody()
	resp, err := e.http.Do(r)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer resp.Body.Close()
	x.status, x.header = resp.StatusCode, resp.Header
	most := int64(MaxBody)
	if !good(resp) {
		most = maxError
	}
	x.raw, x.err = bounded(resp, most)
	return resp, nil
}

func bounded(resp *http.Response, most int64) ([]byte, error) {
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 && n <= most {
		b.Grow(int(n) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(resp.Body, most+1))
	if n > most {
		return b.Bytes()[:most], errLarge
	}
	return b.Bytes(), err
}

// keep is the part of a body that goes on record.
func keep(raw []byte) []byte {
	if len(raw) > MaxKept {
		return append([]byte(nil), raw[:MaxKept]...)
	}
	return raw
}

// Kinds of failures on the way.
const (
	kindTimeout  = "no answer in time"
	kindUnheard  = "no connection"
	kindCut      = "a broken connection"
	kindTooLarge = "an answer over the limit"
	kindTLS      = "no safe connection"
	kindRedirect = "a redirect"
)

// lost says why no answer arrived.
func (e *endpoint) lost(err error) *model.Fault {
	f := &model.Fault{Temporary: true}
	var dial *net.OpError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, errLarge):
		f.Kind, f.Temporary = kindTooLarge, false
		f.Err = fmt.Errorf("the answer of %s is larger than %d MB, and was not read further", e.host, MaxBody>>20)
	case errors.As(err, &cert):
		f.Kind, f.Temporary, f.Lasting = kindTLS, false, true
		f.Err = fmt.Errorf("the certificate of %s is not accepted: %w", e.host, cert.Err)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		f.Kind, f.Temporary, f.Lasting = kindTLS, false, true
		f.Err = fmt.Errorf("%s speaks http, and base_url says https", e.host)
	case errors.Is(err, context.DeadlineExceeded) || timedOut(err):
		f.Kind, f.Err = kindTimeout, fmt.Errorf("%s did not answer in time", e.host)
	case errors.As(err, &dial) && dial.Op == "dial":
		f.Kind, f.Err = kindUnheard, fmt.Errorf("no connection to %s: %s", e.host, plainly(dial.Err))
	default:
		f.Kind, f.Err = kindCut, fmt.Errorf("the connection to %s broke before the answer was whole", e.host)
	}
	return f
}

func timedOut(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// plainly is a system's reason without the call that met it.
func plainly(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		text = text[i+2:]
	}
	return text
}

// redirected refuses to be sent elsewhere.
func (e *endpoint) redirected(x *exchange) *model.Fault {
	where := "elsewhere"
	if u, err := x.location(); err == nil {
		where = "to " + clip(u, 200)
	}
	return &model.Fault{
		Status: x.status, Kind: kindRedirect, Lasting: true,
		Err: fmt.Errorf("%s sends us %s; nothing is sent there. If that is the endpoint, say so in base_url", e.host, where),
	}
}

// location is where a redirect points: scheme and host, no more.
func (x *exchange) location() (string, error) {
	resp := http.Response{Header: x.header}
	u, err := resp.Location()
	if err != nil || u.Host == "" {
		return "", errors.New("no location")
	}
	return u.Scheme + "://" + u.Host, nil
}
