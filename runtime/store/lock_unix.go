//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// fileLock keeps other processes from going on with the same run. It is a file
// of its own: closing any handle of a SQLite file would drop SQLite's locks.
type fileLock struct{ f *os.File }

func lockFile(path string) (*fileLock, error) {
	name := path + ".lock"
	for {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, explain("lock", path, err)
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			_ = f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, fmt.Errorf("%s: %w", path, ErrBusy)
			}
			return nil, explain("lock", path, err)
		}
		// The holder before us removes the file: what we locked may be gone.
		mine, err1 := f.Stat()
		there, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(mine, there) {
			return &fileLock{f}, nil
		}
		_ = f.Close()
	}
}

func (l *fileLock) release() error {
	return errors.Join(os.Remove(l.f.Name()), l.f.Close())
}
