package query_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"parley/interp/load"
	"parley/interp/query"
	"parley/stdlib"
)

// large is a file of about 100 KB: the world many times over.
func large() string {
	var b strings.Builder
	head, rest, _ := strings.Cut(world, "model pupil")
	b.WriteString(head)
	for i := 0; b.Len() < 100<<10; i++ {
		text := "model pupil" + rest
		for _, name := range []string{"pupil", "desk", "shop", "flatter", "sale", "many", "sold"} {
			for _, before := range []string{"model ", "team ", "workspace ", "attack ", "scenario ", "experiment ", "test \""} {
				text = strings.ReplaceAll(text, before+name, fmt.Sprintf("%s%s%d", before, name, i))
			}
		}
		b.WriteString(text)
	}
	return b.String()
}

// BenchmarkKeystroke is one letter typed into a file of 100 KB, and then a question.
func BenchmarkKeystroke(b *testing.B) {
	text := large()
	root := fstest.MapFS{"facts.jsonl": {Data: []byte(facts)}, "lib/guests.parley": {Data: []byte(guests)}}
	p := query.Project{Root: root, Std: stdlib.FS, Cache: load.NewCache()}
	at := strings.LastIndex(text, "open.reply.sure") + len("open.re")
	type1 := func(i int) {
		root["x.parley"] = &fstest.MapFile{Data: []byte(text[:at] + strings.Repeat("x", i%5) + text[at:])}
	}
	for name, ask := range map[string]func() error{
		"complete": func() error { _, err := query.Complete(p, "x.parley", at); return err },
		"hover": func() error {
			f, err := query.Open(p, "x.parley")
			if err == nil {
				_, err = f.At(at)
			}
			return err
		},
		"outline": func() error {
			f, err := query.Open(p, "x.parley")
			if err == nil {
				_, err = f.Outline()
			}
			return err
		},
		"colors": func() error {
			f, err := query.Open(p, "x.parley")
			if err == nil {
				_, err = f.Colors()
			}
			return err
		},
		"diagnose": func() error { _, _, err := query.Diagnose(p, "x.parley"); return err },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for i := 0; b.Loop(); i++ {
				type1(i)
				if err := ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The benchmark's file is right, so that all of it is looked at.
func TestLargeIsRight(t *testing.T) {
	root := fstest.MapFS{"facts.jsonl": {Data: []byte(facts)}, "lib/guests.parley": {Data: []byte(guests)}, "x.parley": {Data: []byte(large())}}
	found, _, err := query.Diagnose(query.Project{Root: root, Std: stdlib.FS}, "x.parley")
	if err != nil || found.HasErrors() {
		t.Errorf("%v %s", err, found.Error()[:min(len(found.Error()), 500)])
	}
}
