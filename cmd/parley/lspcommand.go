package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"parley/cmd/parley/lsp"
	"parley/lang/diag"
	"parley/stdlib"
)

// lspCommand serves an editor.
func lspCommand() command {
	return command{
		name: "lsp", summary: "speak the Language Server Protocol with an editor, over standard input and output",
		examples: []string{"parley lsp"},
		setup: func(f *pflag.FlagSet) action {
			f.Bool("stdio", true, "what editors pass; there is no other way to connect")
			delay := f.Duration("delay", 150*time.Millisecond, "how long typing has to rest before a file is looked at again")
			return func(ctx context.Context, args []string, h host) int {
				if len(args) > 0 {
					return usageError(h, "lsp", "takes no arguments")
				}
				return serveEditor(ctx, *delay, h)
			}
		},
	}
}

func serveEditor(ctx context.Context, delay time.Duration, h host) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	defer close(done)
	go func() { // until the client is gone
		select {
		case <-h.interrupts:
			stop()
		case <-done:
		}
	}()
	ended, err := lsp.Serve(ctx, h.stdin, h.stdout, lsp.Host{
		Std: stdlib.FS, Getenv: h.getenv, Root: projectRoot, Library: libraryFile, Delay: delay, Version: buildVersion(),
	})
	if err != nil {
		fmt.Fprintln(h.stderr, "parley lsp: "+diag.Safe(err.Error()))
		return exitFailed
	}
	if !ended {
		return exitFailed
	}
	return exitOK
}

// libraryFile writes a file of the library to the user's cache, where an editor can
// open it. Each version of the library has a folder of its own.
func libraryFile(name, text string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(name + "\x00" + text))
	path := filepath.Join(cache, "parley", "library", hex.EncodeToString(sum[:6]), filepath.FromSlash(name))
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, []byte(text), 0o444)
}
