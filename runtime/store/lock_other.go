//go:build !unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// fileLock keeps other processes from going on with the same run. Where files
// in use cannot be removed, an old lock that can be is nobody's.
type fileLock struct{ f *os.File }

func lockFile(path string) (*fileLock, error) {
	name := path + ".lock"
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, ErrBusy)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	if err != nil {
		return nil, explain("lock", path, err)
	}
	return &fileLock{f}, nil
}

func (l *fileLock) release() error {
	return errors.Join(l.f.Close(), os.Remove(l.f.Name()))
}
