package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// An expansion is the list of inputs that arguments stand for.
type expansion struct {
	rows  []*row
	seen  map[string]string // places of files, and their names
	dirs  map[string]string // places of directories
	again []Repeat
}

// A Repeat is a file that arguments stand for more than once. It is read once.
type Repeat struct{ Name, First string }

// Expand returns the inputs that arguments of New stand for, unread, and the
// files that were named again. "-" has the name Stdin.
func Expand(args []string) (list []Input, again []Repeat, err error) {
	x, err := expand(args)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range x.rows {
		list = append(list, w.Input)
	}
	return list, x.again, nil
}

func expand(args []string) (*expansion, error) {
	x := &expansion{seen: map[string]string{}}
	for _, arg := range args {
		if err := x.add(arg); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// add appends what arg stands for.
func (x *expansion) add(arg string) error {
	if arg == "-" {
		x.input(Stdin, "", nil)
		return nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		x.dir(arg)
	case err == nil:
		x.once(arg, info)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[{"):
		return x.glob(arg)
	default:
		x.input(arg, arg, err)
	}
	return nil
}

func (x *expansion) input(name, path string, err error) {
	if err != nil {
		err = &InputError{name, NotOpened, cause(err)}
	}
	x.rows = append(x.rows, &row{Input: Input{Name: name, Err: err}, path: path})
}

func (x *expansion) file(path string, info fs.FileInfo) {
	x.input(path, path, nil)
	if info.Mode().IsRegular() {
		x.rows[len(x.rows)-1].Size = info.Size()
	}
}

// once adds a file, unless it is there already under some name. What is no
// regular file may have something else to say each time.
func (x *expansion) once(path string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		x.file(path, info)
		return
	}
	x.onceAt(x.place(path), path, info)
}

func (x *expansion) onceAt(at, path string, info fs.FileInfo) {
	if first, ok := x.seen[at]; ok {
		x.again = append(x.again, Repeat{path, first})
		return
	}
	x.seen[at] = path
	x.file(path, info)
}

// found adds a file that expansion came upon, and says whether it is one.
func (x *expansion) found(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	x.once(path, info)
	return true
}

// foundHere is found for what a directory lists, which is rarely a link.
func (x *expansion) foundHere(path string, d fs.DirEntry) bool {
	if d.Type() != 0 {
		return x.found(path)
	}
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	x.onceAt(x.placeHere(path), path, info)
	return true
}

// dir adds the files below a directory in the order of their names.
func (x *expansion) dir(root string) {
	count := 0
	top := root + string(filepath.Separator) // the slash follows a link
	filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			count++
			x.input(path, path, err)
		case path == top:
		case strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && x.foundHere(path, d):
			count++
		}
		return nil
	})
	if count == 0 {
		x.input(root, root, errors.New("no log file in this directory"))
	}
}

// glob adds the files that match a pattern, in the order of their names.
func (x *expansion) glob(pattern string) error {
	if !doublestar.ValidatePathPattern(pattern) {
		return fmt.Errorf("%s: malformed pattern", pattern)
	}
	paths, err := matching(pattern, doublestar.WithFailOnIOErrors())
	if err != nil {
		x.input(pattern, pattern, err)
		paths, _ = matching(pattern)
	}
	slices.Sort(paths)
	count := 0
	for _, path := range paths {
		if x.found(path) {
			count++
		}
	}
	if count == 0 && err == nil {
		x.input(pattern, pattern, errors.New("no file matches"))
	}
	return nil
}

// matching are the files that match a pattern. A link to a directory is followed
// where the pattern has a name or a * for it; ** would run in circles on one
// that leads back.
func matching(pattern string, opts ...doublestar.GlobOption) (paths []string, err error) {
	opts = append(opts, doublestar.WithFilesOnly(), doublestar.WithNoHidden())
	top, deep := cutDeep(pattern)
	if deep == "" {
		return doublestar.FilepathGlob(pattern, opts...)
	}
	dirs := []string{top}
	if strings.ContainsAny(top, `*?[{\`) {
		if dirs, err = doublestar.FilepathGlob(top, doublestar.WithNoHidden()); err != nil {
			return nil, err
		}
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		names, err := doublestar.Glob(os.DirFS(dir), deep, append(opts, doublestar.WithNoFollow())...)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return paths, nil
}

// cutDeep cuts a pattern in front of its first **. Of one with ** in braces all
// is deep, and all without ** is not.
func cutDeep(pattern string) (top, deep string) {
	pattern = filepath.ToSlash(filepath.Clean(pattern))
	at := strings.Index("/"+pattern, "/**")
	switch {
	case !strings.Contains(pattern, "**"):
		return pattern, ""
	case at < 0 || strings.Count(pattern[:at], "{") > strings.Count(pattern[:at], "}"):
		top, deep = doublestar.SplitPattern(pattern)
	case at == 0:
		top, deep = ".", pattern
	default:
		top, deep = pattern[:max(at-1, 1)], pattern[at:]
	}
	return top, deep
}

// place is one name for a file, however it was reached. Directories are looked
// up once.
func (x *expansion) place(path string) string {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return realPath(path)
	}
	return x.placeHere(path)
}

// placeHere is place for what is no link.
func (x *expansion) placeHere(path string) string {
	dir, base := filepath.Split(path)
	at, ok := x.dirs[dir]
	if !ok {
		if x.dirs == nil {
			x.dirs = map[string]string{}
		}
		at = realPath(filepath.Clean(dir))
		x.dirs[dir] = at
	}
	return filepath.Join(at, base)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}
