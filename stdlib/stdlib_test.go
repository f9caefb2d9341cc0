package stdlib

import (
	"io/fs"
	"path"
	"testing"

	"parley/lang"
	"parley/lang/ast"
)

func eachFile(t *testing.T, visit func(t *testing.T, name string, file *ast.File)) {
	t.Helper()
	seen := 0
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".parley" {
			return err
		}
		seen++
		src, err := fs.ReadFile(FS, name)
		if err != nil {
			return err
		}
		t.Run(name, func(t *testing.T) {
			file, diags := lang.Parse("std/"+name, src)
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			visit(t, name, file)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 4 {
		t.Fatalf("%d files are embedded, want at least 4", seen)
	}
}

func TestEveryFileHasTests(t *testing.T) {
	eachFile(t, func(t *testing.T, _ string, file *ast.File) {
		tests := 0
		for _, d := range file.Decls {
			if d.Test == nil {
				continue
			}
			tests++
			expects := 0
			for _, m := range d.Test.Members {
				if m.Expect != nil {
					expects++
				}
			}
			if expects == 0 {
				t.Errorf("the test %q expects nothing", d.Test.Title)
			}
		}
		if tests < 3 {
			t.Errorf("%d tests, want at least 3", tests)
		}
	})
}

func TestEveryDeclarationIsDocumented(t *testing.T) {
	eachFile(t, func(t *testing.T, _ string, file *ast.File) {
		if file.Language == nil || *file.Language != 1 {
			t.Error("the file does not state its language version")
		}
		for _, d := range file.Decls {
			if d.Doc == "" && d.Test == nil {
				t.Errorf("a declaration at byte %d has no comment above it", d.Start)
			}
			if d.Workspace == nil {
				continue
			}
			for _, m := range d.Workspace.Members {
				if m.Tool != nil && m.Tool.Doc == "" && m.Tool.About == nil {
					t.Errorf("the tool %s has no description", m.Tool.Name.Name)
				}
			}
		}
	})
}
