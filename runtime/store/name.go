package store

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/runtime/key"
)

// Ending is the ending of run files.
const Ending = ".run"

// reserve makes the empty file of a new run and gives the run its id, which
// follows from when and what it is; where two agree, the next id is taken.
func reserve(dir string, m Meta) (string, Meta, error) {
	for try := range 1000 {
		if m.ID == "" || try > 0 {
			k := key.Of("run", m.Started.UnixNano(), m.Target, m.Digest, try)
			m.ID = strings.ToLower(base32.StdEncoding.EncodeToString(k[:])[:6])
		}
		path := filepath.Join(dir, fileName(m))
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", m, explain("create", path, err)
		}
		return path, m, explain("create", path, f.Close())
	}
	return "", m, fmt.Errorf("%s: a thousand runs of this name began at the same moment", dir)
}

// fileName is TIME_NAME_ID.run, in universal time, safe on every file system.
func fileName(m Meta) string {
	return m.Started.UTC().Format("2006-01-02T15-04-05") + "_" + sanitise(m.Name) + "_" + sanitise(m.ID) + Ending
}

// sanitise keeps letters, digits and dots of ASCII and makes dashes of the rest.
func sanitise(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() == 60 {
			break
		}
	}
	if out := strings.TrimRight(b.String(), "-."); out != "" {
		return out
	}
	return "run"
}

func runName(base string) string { return strings.TrimSuffix(base, Ending) }
