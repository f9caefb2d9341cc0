package load

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// maxLinks bounds how many symbolic links one path may pass through.
const maxLinks = 40

// resolve leads a slash-separated path, seen from dir, to a clean name inside
// files. It refuses whatever points outside: absolute paths, too many `..`, and
// symbolic links that lead out. Why is empty where the path may be read.
func resolve(files fs.FS, dir, name string) (clean, why string) {
	switch {
	case files == nil:
		return "", "there is no such folder"
	case name == "":
		return "", "the path is empty"
	case strings.ContainsRune(name, 0) || strings.Contains(name, `\`):
		return "", "paths are written with forward slashes"
	case path.IsAbs(name) || len(name) > 1 && name[1] == ':':
		return "", "paths are relative and stay inside the project"
	}
	clean = path.Join(dir, name)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", "it leads outside the project"
	}
	if _, why := followLinks(files, clean, 0); why != "" {
		return "", why
	}
	return clean, ""
}

// followLinks walks name element by element and answers why it leaves files.
func followLinks(files fs.FS, name string, depth int) (real, why string) {
	if depth > maxLinks {
		return "", "it passes through too many symbolic links"
	}
	at := ""
	parts := strings.Split(name, "/")
	for i, part := range parts {
		next := path.Join(at, part)
		info, err := fs.Lstat(files, next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := fs.ReadLink(files, next)
		if err != nil {
			return "", "a symbolic link on the way cannot be read"
		}
		rest := path.Join(append([]string{at, target}, parts[i+1:]...)...)
		if path.IsAbs(target) || rest == ".." || strings.HasPrefix(rest, "../") {
			return "", "a symbolic link on the way leads outside the project"
		}
		return followLinks(files, rest, depth+1)
	}
	return at, ""
}

// readCapped reads a whole file of at most limit bytes.
func readCapped(files fs.FS, name string, limit int64) ([]byte, error) {
	// Opening a pipe would wait for its other end, and a device may have no end.
	if info, err := fs.Stat(files, name); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is not a plain file")
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var buf bytes.Buffer
	if info, err := f.Stat(); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("it is a folder")
		}
		buf.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, err
	}
	data := buf.Bytes()
	if int64(len(data)) > limit {
		if limit == MaxSource {
			return nil, errTooLarge
		}
		return nil, fmt.Errorf("the file is larger than %d MiB", limit>>20)
	}
	return data, nil
}
