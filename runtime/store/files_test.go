package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"parley/runtime/store"
)

// A file that is not ours, is damaged or is from a later version gives a plain
// error and keeps every byte.
func TestStrangeFiles(t *testing.T) {
	dir := t.TempDir()
	r, err := store.Create(dir, meta())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.PutTrial(context.Background(), debate(1), nil, true), r.Close()); err != nil {
		t.Fatal(err)
	}
	good, _ := os.ReadFile(r.Path())
	file := func(name string, b []byte) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	newer, older := file("newer.run", good), file("older.run", good)
	foreign := filepath.Join(dir, "foreign.run")
	for p, q := range map[string]string{newer: "PRAGMA user_version = 99", older: "PRAGMA user_version = 1", foreign: "CREATE TABLE t (x)"} {
		db, _ := sql.Open("sqlite", p)
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
		db.Close()
	}
	damaged := append([]byte(nil), good...)
	for i := 100; i < 4000; i++ {
		damaged[i] = 0xaa
	}
	for p, want := range map[string]error{
		newer: store.ErrNewer, older: store.ErrOlder, foreign: store.ErrForeign, file("text.run", []byte(strings.Repeat("not a run\n", 1000))): store.ErrForeign,
		file("empty.run", nil): store.ErrForeign, file("damaged.run", damaged): store.ErrDamaged,
		filepath.Join(dir, "absent.run"): store.ErrNoRun,
	} {
		before, _ := os.ReadFile(p)
		for name, open := range map[string]func(string) (*store.Run, error){"open": store.Open, "resume": store.Resume} {
			if _, err := open(p); !errors.Is(err, want) || !strings.Contains(err.Error(), p) {
				t.Errorf("%s %s: %v", name, filepath.Base(p), err)
			}
		}
		after, _ := os.ReadFile(p)
		if string(before) != string(after) {
			t.Errorf("%s was changed", p)
		}
	}
	infos, err := store.List(dir)
	if err != nil || len(infos) != 7 {
		t.Fatalf("%d runs, %v", len(infos), err)
	}
	readable := 0
	for _, i := range infos {
		if i.Err == nil {
			readable++
		}
	}
	if readable != 1 {
		t.Errorf("%d runs can be read", readable)
	}
}

func TestWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(filepath.Join(file, "runs"), meta()); err == nil {
		t.Error("a run is created below a file")
	}
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not hold for this user")
	}
	r, err := store.Create(filepath.Join(dir, "runs"), meta())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Dir(r.Path())
	if err := os.Chmod(sub, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(sub, 0o777) })
	if _, err := store.Create(sub, meta()); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("create: %v", err)
	}
	if _, err := store.Resume(r.Path()); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("resume: %v", err)
	}
	r, err = store.Open(r.Path())
	if err != nil {
		t.Fatalf("a run in a read-only folder cannot be read: %v", err)
	}
	_ = r.Close()
}

func TestNamesAndLists(t *testing.T) {
	dir := t.TempDir()
	if infos, err := store.List(filepath.Join(dir, "absent")); len(infos) != 0 || err != nil {
		t.Error(infos, err)
	}
	var paths []string
	for i, name := range []string{"collusion", "collusion", "../../etc: a\x1b[2J/name with spaces and more than sixty letters in it, really", ""} {
		m := meta()
		m.Name, m.Target = name, fmt.Sprint("target", i%2)
		if i > 1 {
			m.Started = began.Add(time.Duration(i) * time.Minute)
		}
		r, err := store.Create(dir, m)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			defer func() { // it is still running when it is listed
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}()
		} else if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, r.Path())
		base := filepath.Base(r.Path())
		if filepath.Dir(r.Path()) != dir || strings.Trim(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
			t.Errorf("the name is not safe: %q", r.Path())
		}
	}
	if !strings.HasPrefix(filepath.Base(paths[0]), "2026-11-30T06-07-08_collusion_") || paths[0] == paths[1] {
		t.Errorf("names %q", paths[:2])
	}
	infos, err := store.List(dir)
	if err != nil || len(infos) != 4 || infos[0].Path != paths[3] {
		t.Fatalf("%v, %v", infos, err)
	}
	for target, want := range map[string]string{"": paths[3], "target0": paths[2], "target1": paths[3]} {
		if i, err := store.Latest(dir, target); err != nil || i.Path != want {
			t.Errorf("latest of %q is %s, %v", target, i.Path, err)
		}
	}
	if _, err := store.Latest(dir, "target2"); !errors.Is(err, store.ErrNoRun) {
		t.Error(err)
	}
	id := infos[0].Meta.ID
	for _, name := range []string{id, infos[0].Name, paths[3], filepath.Base(paths[3]), infos[0].Name[:19]} {
		if p, err := store.Find(dir, name); err != nil || p != paths[3] {
			t.Errorf("%q finds %s, %v", name, p, err)
		}
	}
	if _, err := store.Find(dir, "2026"); err == nil {
		t.Error("a name of four runs finds one")
	}
	if _, err := store.Find(dir, "zzz"); !errors.Is(err, store.ErrNoRun) {
		t.Error(err)
	}
}
