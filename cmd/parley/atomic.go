package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// toFile writes a file whole or not at all, for its owner's eyes.
func toFile(path string, write func(io.Writer) error) error { return toFileOfMode(path, 0o600, write) }

// toFileOfMode writes a file of some mode whole or not at all.
func toFileOfMode(path string, mode fs.FileMode, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".parley-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %s", path, reason(err))
	}
	_, err = f.Write(b.Bytes())
	if err == nil {
		err = f.Chmod(mode)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what is left of it; the error says what matters
		return fmt.Errorf("cannot write %s: %s", path, reason(err))
	}
	return nil
}
