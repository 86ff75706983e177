//go:build unix

package tail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flagwatch/flagwatch/internal/safe"
)

// S23: a pod that owns its log directory plants links that lead out of it.
func TestPlantedLinks(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "0.log")
	if err := os.WriteFile(secret, []byte(cri("F", lines(100, 110))), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Options{History: true}, "pods")
	r.check(os.MkdirAll(r.path("pods"), 0o755))
	roots, err := safe.OpenRoots(r.path("pods"))
	r.check(err)
	defer roots.Close()
	r.opt.System = Jail{roots}
	r.start()

	other := func(name string) string { return strings.Replace(podDir, "cart", name, 1) }
	r.append(podDir+"0.log", cri("F", lines(0, 3)))
	for name, target := range map[string]string{"absolute": secret, "up": "../../../../" + filepath.Base(outside) + "/0.log"} {
		r.check(os.MkdirAll(r.path(other(name)), 0o755))
		r.check(os.Symlink(target, r.path(other(name)+"0.log")))
	}
	r.check(os.MkdirAll(filepath.Dir(r.path(strings.TrimSuffix(other("dir"), "/"))), 0o755))
	r.check(os.Symlink(outside, r.path(strings.TrimSuffix(other("dir"), "/"))))
	r.check(os.Symlink(outside, r.path("pods/shop_till_0b0e")))
	r.pass(5 * time.Second)

	// A log that is followed is swapped for a link.
	r.rename(podDir+"0.log", podDir+"0.log.20260317-000001")
	r.check(os.Symlink(secret, r.path(podDir+"0.log")))
	r.append(podDir+"0.log.20260317-000001", cri("F", lines(3, 4))).pass(10 * time.Second)
	r.want(cri("F", lines(0, 4)))
	if r.f.counts.Refused < 3 {
		t.Errorf("%d refused: %q", r.f.counts.Refused, r.f.bad)
	}
	for path, why := range r.f.bad {
		if strings.HasPrefix(why, path) {
			t.Errorf("%s is named once more: %s", path, why)
		}
	}
}

// The kubelet's own chain of links is followed.
func TestChainOfLinks(t *testing.T) {
	r := newRig(t, Options{}, "containers/*.log")
	for _, dir := range []string{"containers", podDir, "docker/id"} {
		r.check(os.MkdirAll(r.path(dir), 0o755))
	}
	roots, err := safe.OpenRoots(r.path("containers"), r.path("pods"), r.path("docker"))
	r.check(err)
	defer roots.Close()
	r.opt.System = Jail{roots}
	r.start()
	r.append("docker/id/id-json.log", cri("F", lines(0, 3)))
	r.check(os.Symlink(r.path("docker/id/id-json.log"), r.path(podDir+"0.log")))
	r.check(os.Symlink(r.path(podDir+"0.log"), r.path("containers/cart-6d5f7c9b8-x2x7k_shop_istio-proxy-0123.log")))
	r.pass(2 * time.Second).want(cri("F", lines(0, 3)))
	if s := r.f.order[0]; s.src.Namespace != "shop" || s.src.Name != r.path("docker/id/id-json.log") {
		t.Errorf("%+v", s.src)
	}
}
