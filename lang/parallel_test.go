package lang_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/lang"
)

// Files may be parsed at the same time: nothing is shared but the grammars.
func TestParallel(t *testing.T) {
	var wait sync.WaitGroup
	for path, text := range corpus(t) {
		for range 4 {
			wait.Go(func() {
				first, found := lang.Parse(path, []byte(text))
				second, _ := lang.Parse(path, []byte(text))
				if len(found) > 0 || !cmp.Equal(first, second) {
					t.Errorf("%s is read otherwise in parallel: %v", path, found)
				}
			})
		}
	}
	wait.Wait()
}
