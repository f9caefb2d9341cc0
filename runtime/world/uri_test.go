package world

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	tests := []struct{ lit, data, want string }{
		{"file:", "bills/december.txt", "file:bills/december.txt"},
		{"file:bills/", "../secret.txt", "file:secret.txt"},
		{"file:bills/", "../../etc/passwd", "file:%2E%2E/etc/passwd"},
		{"file:bills/", "a/./b//c/", "file:bills/a/b/c"},
		{"file:", "/etc/passwd", "file:etc/passwd"},
		{"file:bills/", "..%2Fsecret.txt", "file:bills/..%252Fsecret.txt"},
		{"file:bills/", "%2e%2e/secret.txt", "file:bills/%252e%252e/secret.txt"},
		{"file:bills/", `..\secret.txt`, "file:bills/..%5Csecret.txt"},
		{"file:", "*", "file:%2A"},
		{"file:", "file:x", "file:file%3Ax"},
		{"file:", "my notes?.txt#1", "file:my%20notes%3F.txt%231"},
		{"file:", "müll", "file:m%C3%BCll"},
		{"file:", "a\x00\n", "file:a%00%0A"},
		{"mail:", "ann@example.org", "mail:ann@example.org"},
		{"payment:", "UK1/../UK12345", "payment:UK1/%2E%2E/UK12345"},
		{"payment:", "..", "payment:%2E%2E"},
		{"payment:", "./x", "payment:%2E/x"},
		{"payment:", "UK12345", "payment:UK12345"},
		{"payment:", "a//b", "payment:a//b"},
	}
	for _, test := range tests {
		got, err := Clean(test.lit + Escape(test.data))
		if err != nil || got != test.want {
			t.Errorf("%s${%s}: got %q, %v, want %q", test.lit, test.data, got, err, test.want)
		}
	}
}

func TestCleanWritten(t *testing.T) {
	for in, want := range map[string]string{
		"file:my notes.txt":       "file:my%20notes.txt",
		"file:my%20notes.txt":     "file:my%20notes.txt",
		"file:%6dy.txt":           "file:my.txt",
		"file:a%2fb":              "file:a%2Fb",
		"file:%2e%2E/x":           "file:%2E%2E/x",
		"file:a/%2e%2e/x":         "file:a/%2E%2E/x",
		"file:bills/*":            "file:bills/*",
		"file:100%":               "file:100%25",
		"corpus:debater%5B1%5D/3": "corpus:debater%5B1%5D/3",
		"corpus:debater[1]/3":     "corpus:debater%5B1%5D/3",
	} {
		got, err := Clean(in)
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "notes.txt", ":x", "*:x", "a b:x", "../file:x", "1a:x"} {
		if got, err := Clean(in); err == nil || !strings.Contains(err.Error(), "scheme:path") {
			t.Errorf("%q: got %q, %v", in, got, err)
		}
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, uri string
		want         bool
	}{
		{"file:bills/*", "file:bills/a.txt", true},
		{"file:bills/*", "file:bills/", true},
		{"file:bills/*", "file:bills/x/a.txt", false},
		{"file:bills/*", "file:billsx/a.txt", false},
		{"file:*/*", "file:bills/a.txt", true},
		{"file:*.txt", "file:a.b.txt", true},
		{"file:*.txt", "file:a.txt.exe", false},
		{"file:a*b*c", "file:aXbYbZc", true},
		{"file:a*b*c", "file:aXb/bZc", false},
		{"corpus:*", "corpus:3", true},
		{"corpus:*", "corpus:", true},
		{"corpus:**", "corpus:a/b", false},
		{"file:a", "file:a", true},
		{"file:a", "file:A", false},
		{"file:a", "file:ab", false},
		{"file:*", "payment:x", false},
		{"file:secret", "file:%2A", false},
		{"file:%2A", "file:x", false},
	}
	for _, test := range tests {
		if got := Match(test.pattern, test.uri); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.pattern, test.uri, got)
		}
	}
}

// Whatever data is put behind a folder, a rule on that folder covers the clean
// name only if the file is in the folder; and cleaning twice changes nothing.
func TestDataCannotLeaveAFolder(t *testing.T) {
	alphabet := rapid.SampledFrom([]rune("ab./\\%2eF*:?ü\x00 "))
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.StringOf(alphabet).Draw(t, "data")
		uri, err := Clean("file:bills/" + Escape(data))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := Clean(uri); err != nil || again != uri {
			t.Fatalf("%q cleans to %q", uri, again)
		}
		inside := strings.HasPrefix(CleanPath("bills/"+data), "bills/")
		if Match("file:bills/*", uri) && !inside {
			t.Fatalf("%q is %q", data, uri)
		}
		path := strings.TrimPrefix(uri, "file:")
		if Unescape(path) != CleanPath("bills/"+data) {
			t.Fatalf("%q names %q, the file is %q", uri, Unescape(path), CleanPath("bills/"+data))
		}
		pay, err := Clean("payment:" + Escape(data))
		if err != nil || Unescape(pay) != "payment:"+data {
			t.Fatalf("payment to %q is %q, %v", data, pay, err)
		}
	})
}
