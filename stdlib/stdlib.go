// Package stdlib holds Parley's standard library: teams, workspaces, attacks,
// defenses and measures, written in Parley. A file imports one of them by its path
// below std: use "std/debate" reads debate.parley.
package stdlib

import (
	"embed"
	"io/fs"
)

//go:embed *.parley attacks/*.parley defenses/*.parley measures/*.parley teams/*.parley
var files embed.FS

// FS holds the library's files under their paths, such as debate.parley and
// attacks/madbench.parley.
var FS fs.FS = files
