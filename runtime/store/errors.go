package store

import (
	"errors"
	"fmt"
	"io/fs"

	"modernc.org/sqlite"
)

// What can be wrong with a run file or the place it lies in.
var (
	ErrForeign  = errors.New("this is not a run file")
	ErrNewer    = errors.New("this run was written by a newer version of the program, and nothing was changed in it")
	ErrOlder    = errors.New("this run was written by an earlier version of the program, whose format is read no more")
	ErrDamaged  = errors.New("this run file is damaged")
	ErrFull     = errors.New("the disk is full; free some space and resume the run")
	ErrReadOnly = errors.New("it cannot be written; check the permissions of the folder and the file")
	ErrBusy     = errors.New("another process is using this run")
	ErrNoRun    = errors.New("there is no such run")
	ErrClosed   = errors.New("the run is open for reading only, or closed")
)

// Primary result codes of SQLite.
const (
	codeBusy       = 5
	codeLocked     = 6
	codeReadOnly   = 8
	codeInput      = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCannotOpen = 14
	codeNotADB     = 26
)

func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// explain says what was tried on which file, and what is wrong in plain words.
func explain(what, path string, err error) error {
	if err == nil {
		return nil
	}
	plain := map[int]error{
		codeBusy: ErrBusy, codeLocked: ErrBusy, codeReadOnly: ErrReadOnly, codeCorrupt: ErrDamaged,
		codeFull: ErrFull, codeNotADB: ErrForeign,
	}[code(err)]
	switch {
	case plain != nil:
		err = plain
	case code(err) == codeCannotOpen:
		err = errors.New("the file cannot be opened, or its folder cannot be written")
	case code(err) == codeInput:
		err = errors.New("the disk failed to read or write")
	case isFull(err):
		err = ErrFull
	case errors.Is(err, fs.ErrNotExist):
		err = ErrNoRun
	case errors.Is(err, fs.ErrPermission), isReadOnly(err):
		err = ErrReadOnly
	}
	return fmt.Errorf("%s %s: %w", what, path, err)
}
