//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// installPrometheus returns the folder with prometheus and promtool. Debian's
// package is unpacked, not installed: nobody has to be root for it, unless apt
// has no lists yet.
func installPrometheus() (string, error) {
	dir, err := installed("prometheus-debian", func(tmp, root string) error {
		deb, err := downloadPackage(tmp, "prometheus")
		if err != nil {
			return err
		}
		return command("dpkg", "-x", deb, root)
	})
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "usr", "bin")
	_, err = os.Stat(filepath.Join(bin, "promtool"))
	return bin, err
}

// downloadPackage gets one of Debian's packages. A new machine has no lists of
// what there is.
func downloadPackage(dir, name string) (path string, err error) {
	download := func() ([]byte, error) {
		cmd := exec.Command("apt-get", "download", "-qq", name)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	out, err := download()
	if err != nil {
		if more, err := exec.Command("apt-get", "update", "-qq").CombinedOutput(); err != nil {
			return "", fmt.Errorf("apt-get download %s: %s; apt-get update: %w: %s", name, out, err, more)
		}
		if out, err = download(); err != nil {
			return "", fmt.Errorf("apt-get download %s: %w: %s", name, err, out)
		}
	}
	found, err := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("apt-get download %s: no package: %s", name, out)
	}
	return found[0], nil
}

func needPrometheus(t *testing.T) (bin string, ok bool) {
	t.Helper()
	return need(t, "prometheus", installPrometheus)
}
