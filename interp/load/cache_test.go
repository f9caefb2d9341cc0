package load_test

import (
	"reflect"
	"testing"

	"parley/interp/load"
)

// Columns that are kept are those of the same records in the same order, and what
// is added to them stays with who added it.
func TestCacheInfer(t *testing.T) {
	cache := load.NewCache()
	a := load.Record{N: 1, Fields: map[string]any{"x": 1, "y": "t"}}
	b := load.Record{N: 2, Fields: map[string]any{"x": 2.5}}
	c := load.Record{N: 2, Fields: map[string]any{"x": "text"}}
	for range 2 {
		for _, records := range [][]load.Record{{a, b}, {a, c}, {a}, {b, a}, {a, b, c}, nil} {
			got, want := cache.Infer(records), load.Infer(records)
			if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Errorf("%v: kept %v, want %v", records, got, want)
			}
			_ = append(got, load.Column{Name: "z"})
		}
	}
	if got := (*load.Cache)(nil).Infer([]load.Record{a}); !reflect.DeepEqual(got, load.Infer([]load.Record{a})) {
		t.Errorf("without a cache: %v", got)
	}
}
