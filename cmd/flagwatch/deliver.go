package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func (p *presentation) toFile() bool { return p.file != "" && p.file != "-" }

// deliver calls work, which writes to standard output, and puts that into the
// file that the user wants. The error of the work stays, since a report may be
// incomplete and is written all the same.
func (p *presentation) deliver(std streams, work func(streams) error) error {
	if !p.toFile() {
		return work(std)
	}
	var out bytes.Buffer
	std.out = &out
	err := work(std)
	if out.Len() == 0 {
		return err
	}
	if writeErr := replaceFile(p.file, out.Bytes()); writeErr != nil {
		return fmt.Errorf("cannot write the report: %w", openError(p.file, writeErr))
	}
	return err
}

// replaceFile writes a file so that nobody ever sees a part of it.
// What is no file, such as /dev/null, is written to.
func replaceFile(name string, data []byte) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(name, data, 0o644)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // there is none when all went well
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
