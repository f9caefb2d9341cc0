package imports

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func someOutput(text string) *Output {
	return &Output{Files: []File{{Name: "a.jsonl", Data: []byte(text)}, {Name: "b.parley", Data: []byte("x")}}}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// leftovers are what stands beside the folder that was written.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Name() != filepath.Base(dir) {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestWriteOnceThenOnlyByForce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "out")
	if err := someOutput("one").Write(dir, false); err != nil {
		t.Fatal(err)
	}
	err := someOutput("two").Write(dir, false)
	if err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a second import says %v", err)
	}
	if got := content(t, filepath.Join(dir, "a.jsonl")); got != "one" {
		t.Errorf("a refused import left %q", got)
	}
	if err := someOutput("two").Write(dir, true); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(dir, "a.jsonl")); got != "two" {
		t.Errorf("forced, it left %q", got)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("beside it stand %v", left)
	}
}

func TestForceSparesWhatOthersMade(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := someOutput("one").Write(dir, true)
	if err == nil || !strings.Contains(err.Error(), `"thesis.txt"`) {
		t.Errorf("got %v", err)
	}
	if content(t, filepath.Join(dir, "thesis.txt")) != "mine" {
		t.Error("the file is gone")
	}
}

func TestWriteIntoAnEmptyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "empty")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := someOutput("one").Write(dir, false); err != nil {
		t.Fatal(err)
	}
	if content(t, filepath.Join(dir, "b.parley")) != "x" {
		t.Error("a file is missing")
	}
}

// A file that cannot be written leaves nothing behind.
func TestNothingHalfWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	out := someOutput("one")
	out.Files = append(out.Files, File{Name: "a.jsonl/below.jsonl", Data: []byte("x")})
	if err := out.Write(dir, false); err == nil {
		t.Fatal("it was written")
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("the folder is there")
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("beside it stand %v", left)
	}
}

func TestWriteOverAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := someOutput("one").Write(path, true); err == nil {
		t.Error("a file was replaced by a folder")
	}
}
