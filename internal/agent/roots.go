package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/flagwatch/flagwatch/internal/safe"
	"github.com/flagwatch/flagwatch/internal/tail"
)

// openRoots opens those of the allowed directories that are there. The others
// are opened when they come.
func (a *agent) openRoots() (*safe.Roots, error) {
	if err := checkPaths(&a.cfg); err != nil {
		return nil, err
	}
	roots := new(safe.Roots)
	if a.absent = a.openThose(roots, a.cfg.Roots); len(a.absent) == len(a.cfg.Roots) {
		return nil, fmt.Errorf("none of the directories %v is there", a.cfg.Roots)
	}
	return roots, nil
}

// openThose opens directories, and returns those that can not be opened now.
func (a *agent) openThose(roots *safe.Roots, dirs []string) (absent []string) {
	for _, dir := range dirs {
		err := roots.Add(dir)
		if err == nil {
			continue
		}
		absent = append(absent, dir)
		if errors.Is(err, fs.ErrNotExist) {
			a.log.Debug("no such directory", "root", dir)
		} else {
			a.tell("root "+dir, "directory can not be opened", err)
		}
	}
	return absent
}

// checkPaths demands that something that a path of an input names may be opened.
func checkPaths(cfg *Config) error {
	var list []error
	for i, in := range cfg.Inputs {
		for j, path := range in.Paths {
			if !meetsAny(cfg.Roots, path) {
				list = append(list, fmt.Errorf("inputs[%d].paths[%d]: %q lies outside of the roots %v", i, j, path, cfg.Roots))
			}
		}
	}
	return errors.Join(list...)
}

// meetsAny says whether a path or a pattern lies in a directory, or may lead
// into one. A directory is known by its name, and by where that leads.
func meetsAny(dirs []string, path string) bool {
	base := tail.Base(path)
	for _, dir := range dirs {
		resolved, err := filepath.EvalSymlinks(dir)
		if meets(dir, base) || err == nil && meets(resolved, base) {
			return true
		}
	}
	return false
}

// meets says whether one of two paths lies in the other.
func meets(a, b string) bool { return contains(a, b) || contains(b, a) }

func contains(dir, path string) bool {
	dir, err1 := filepath.Abs(dir)
	path, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(dir, path)
	return errors.Join(err1, err2, err3) == nil && filepath.IsLocal(rel)
}
