package main

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"

	"parley/interp"
	"parley/interp/diff"
	"parley/stdlib"
)

// tree is a folder, or one file in it, at one point in time.
type tree struct {
	root  fs.FS
	at    string // the file or folder that is meant, inside root
	close func()
}

// openTree opens a file, a folder, or a git revision: REV for the whole
// repository, REV:PATH for a part of it.
func openTree(ctx context.Context, name string, h host) (*tree, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		root := projectRoot(absolute(name))
		return folderTree(root, absolute(name))
	case err == nil:
		return folderTree(projectRoot(filepath.Dir(absolute(name))), absolute(name))
	}
	rev, within, _ := strings.Cut(name, ":")
	if t, gitErr := gitTree(ctx, rev, within); gitErr == nil {
		return t, nil
	} else if strings.Contains(name, ":") {
		return nil, fmt.Errorf("%s: %w", name, gitErr)
	}
	return nil, fmt.Errorf("%s: %s, and no such revision", name, reason(err))
}

func absolute(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return name // the working folder is gone: what follows fails and says so
	}
	return abs
}

func folderTree(dir, target string) (*tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", dir, reason(err))
	}
	rel, err := filepath.Rel(dir, target)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", target, err), root.Close())
	}
	return &tree{root: root.FS(), at: filepath.ToSlash(rel), close: func() { _ = root.Close() }}, nil
}

// gitTree reads a revision of the repository that the working folder is in.
func gitTree(ctx context.Context, rev, within string) (*tree, error) {
	if rev == "" || strings.HasPrefix(rev, "-") {
		return nil, errors.New("no such revision")
	}
	prefix, err := git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	if _, err := git(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}"); err != nil {
		return nil, errors.New("no such revision")
	}
	top, err := git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	archive, err := git(ctx, "-C", strings.TrimSpace(string(top)), "archive", "--format=tar", rev)
	if err != nil {
		return nil, err
	}
	files, err := untar(archive)
	if err != nil {
		return nil, err
	}
	at := "."
	if within != "" {
		at = path.Join(strings.TrimSpace(string(prefix)), within)
	}
	if _, err := fs.Stat(files, at); err != nil {
		return nil, fmt.Errorf("there is no %s in that revision", at)
	}
	return &tree{root: files, at: at, close: func() {}}, nil
}

// git runs git and returns what it prints.
func git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("git is not installed")
		}
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(said.String()))
	}
	return out.Bytes(), nil
}

// maxTree bounds what is read of a revision, in bytes.
const maxTree = 256 << 20

func untar(archive []byte) (fstest.MapFS, error) {
	if len(archive) > maxTree {
		return nil, fmt.Errorf("the revision is larger than %d MiB", maxTree>>20)
	}
	files := fstest.MapFS{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the revision cannot be read: %w", err)
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("the revision cannot be read: %w", err)
		}
		files[strings.TrimSuffix(head.Name, "/")] = &fstest.MapFile{Data: data, Mode: 0o444}
	}
}

// side compiles the files that are meant. What is wrong has been said where it
// answers false.
func (t *tree) side(h host) (*diff.Side, bool) {
	files, err := t.files()
	if err != nil {
		fmt.Fprintf(h.stderr, "parley: %s\n", reason(err))
		return nil, false
	}
	project := interp.Project{Root: t.root, Std: stdlib.FS, Getenv: h.getenv, Parsed: interp.NewParsed()}
	side, good := diff.NewSide(), true
	for _, name := range files {
		mod, found := project.Load(name)
		if !found.HasErrors() && mod != nil {
			src, err := fs.ReadFile(t.root, name)
			if err != nil {
				fmt.Fprintf(h.stderr, "parley: %s: %s\n", name, reason(err))
				return nil, false
			}
			found = side.Add(mod, t.within(name), src)
		}
		if found.HasErrors() || mod == nil {
			report(h, found, mod)
			good = false
		}
	}
	return side, good
}

// within is a file's name inside of the folder that is meant, so that two folders
// compare; a file that is meant alone has no name that counts.
func (t *tree) within(name string) string {
	if name == t.at {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, t.at), "/")
}

// files lists the .parley files that are meant, sorted.
func (t *tree) files() ([]string, error) {
	info, err := fs.Stat(t.root, t.at)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{t.at}, nil
	}
	return parleyFiles(t.root, t.at)
}
