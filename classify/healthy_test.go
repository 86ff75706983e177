package classify

import (
	"fmt"
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// What is healthy at a glance is so after a longer look.
func TestHealthy(t *testing.T) {
	healthy := 0
	for code := 100; code < 600; code++ {
		for _, cluster := range []string{"outbound|80||stock.shop.svc.cluster.local", "inbound|8080||", "PassthroughCluster", "InboundPassthroughCluster", "-"} {
			r := record(t, fmt.Sprintf(`[2026-03-02T09:14:07.482Z] "GET /stock/7 HTTP/1.1" %d - via_upstream - "-" 0 531 16 15 "-" "probe/1.0" "b7a0" "stock:80" "10.1.2.3:80" %s 10.1.2.9:40908 10.9.25.1:80 10.1.2.9:40831 - default`, code, cluster), parser.Access)
			if !Healthy(r) {
				continue
			}
			healthy++
			if failedAccess(r) || !unremarkable(r) {
				t.Errorf("code %d, cluster %s is not healthy", code, cluster)
			}
		}
	}
	if want := 300 * 3; healthy != want {
		t.Errorf("%d are healthy, want %d", healthy, want)
	}
}
