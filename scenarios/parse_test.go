package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"parley/lang"
)

func TestScenariosParse(t *testing.T) {
	files, err := filepath.Glob("*.parley")
	if err != nil || len(files) < 3 {
		t.Fatalf("found %v: %v", files, err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, diags := lang.Parse(name, src); len(diags) > 0 {
			t.Errorf("%v", diags)
		}
	}
}
