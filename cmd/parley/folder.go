package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/interp"
)

// runnable is the file that a folder stands for: the one named like the folder,
// else the only one in it that declares an experiment.
func runnable(name string, h host) (string, error) {
	if !isFolder(name) {
		return name, nil
	}
	own := filepath.Join(name, filepath.Base(absolute(name))+".parley")
	if _, err := os.Stat(own); err == nil {
		return own, nil
	}
	files, err := filepath.Glob(filepath.Join(name, "*.parley"))
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var found []string
	for _, f := range files {
		if hasExperiment(f, h) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%s holds no file with an experiment; name a file", name)
	}
	return "", fmt.Errorf("%s holds several files with experiments; name one of them: %s", name, strings.Join(found, ", "))
}

func hasExperiment(file string, h host) bool {
	o, err := openProject(file, h.getenv)
	if err != nil {
		return false
	}
	defer func() { _ = o.Close() }() // a folder opened for reading: nothing can be lost
	mod, _ := o.project.Load(o.path)
	if mod == nil {
		return false
	}
	for _, t := range mod.Targets() {
		if t.Kind == interp.ExperimentTarget {
			return true
		}
	}
	return false
}
