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
// has no lists yet. Like Envoy, it goes to a temporary folder first.
func installPrometheus() (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "prometheus-debian")
	bin := filepath.Join(dir, "usr", "bin")
	if _, err := os.Stat(filepath.Join(bin, "promtool")); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	deb, err := downloadPackage(tmp, "prometheus")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("dpkg", "-x", deb, filepath.Join(tmp, "root")).CombinedOutput(); err != nil {
		return "", fmt.Errorf("dpkg -x: %w: %s", err, out)
	}
	if err := os.Rename(filepath.Join(tmp, "root"), dir); err != nil && !os.IsExist(err) {
		return "", err
	}
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

// needPrometheus returns the folder, or ends the test: as a failure unless
// E2E_ALLOW_MISSING names prometheus.
func needPrometheus(t *testing.T) (bin string, ok bool) {
	t.Helper()
	bin, err := installPrometheus()
	switch {
	case err == nil:
		return bin, true
	case allowedMissing("prometheus"):
		t.Logf("MISSING prometheus, as allowed: nothing of it was tested: %v", err)
		return "", false
	}
	t.Fatalf("MISSING prometheus: %v", err)
	return "", false
}
