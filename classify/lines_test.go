package classify

import (
	"testing"

	"github.com/flagwatch/flagwatch/parser"
)

// record reads one line, which must be of the given kind.
func record(t testing.TB, line string, kind parser.Kind) *parser.Record {
	t.Helper()
	r := firstRecord(line)
	if r == nil || r.Kind != kind {
		t.Fatalf("line is no %v: %s", kind, line)
	}
	return r
}

// firstRecord reads the first record of a text, nil if there is none.
func firstRecord(text string) *parser.Record {
	block := append(make([]byte, 0, len(text)+1+parser.Padding), text+"\n"...)
	p := parser.NewParser(parser.AllFields)
	p.Reset(block)
	r, ok := p.Next()
	if !ok {
		return nil
	}
	return r
}

const (
	when  = `[2026-03-02T09:14:07.482Z] `
	users = ` "-" "curl/8.5.0" "0f6c8e2a-5b1d-4c3f-9a77-2f1d6f0f3c55" "cart:8080" `
)

// outbound is a line of a client's proxy in Istio's layout since 1.9; columns
// begin at the code and end with the service time.
func outbound(columns string) string {
	return when + `"GET /cart HTTP/1.1" ` + columns + users + `"10.8.1.7:8080" outbound|8080||cart.shop.svc.cluster.local 10.8.2.3:51514 10.96.14.2:8080 10.8.2.3:41324 - default`
}

// refusedBy is the same without an upstream host.
func refusedBy(columns string) string {
	return when + `"GET /cart HTTP/1.1" ` + columns + users + `"-" outbound|8080||cart.shop.svc.cluster.local - 10.96.14.2:8080 10.8.2.3:41324 - default`
}

// inbound is a line of the server's proxy.
func inbound(columns string) string {
	return when + `"GET /cart HTTP/1.1" ` + columns + users + `"10.8.1.7:8080" inbound|8080|| 127.0.0.6:48711 10.8.1.7:8080 10.8.2.3:51514 outbound_.8080_._.cart.shop.svc.cluster.local default`
}

// tcp is a line of a TCP proxy: columns end with the duration.
func tcp(columns, host string) string {
	return when + `"- - -" ` + columns + ` - "-" "-" "-" "-" "` + host + `" outbound|3306||db.shop.svc.cluster.local - 10.96.8.1:3306 10.8.2.3:50112 - -`
}

// plain is a line in Envoy's default layout.
func plain(columns, host string) string {
	return when + `"GET /cart HTTP/1.1" ` + columns + users + `"` + host + `"`
}

// object is a line in Istio's JSON layout with a gRPC status of its own.
func object(pairs string) string {
	return `{"start_time":"2026-03-02T09:14:07.482Z","method":"POST","path":"/shop.Cart/Add","protocol":"HTTP/2","authority":"cart:8080",` +
		`"request_id":"0f6c8e2a-5b1d-4c3f-9a77-2f1d6f0f3c55","downstream_remote_address":"10.8.2.3:41324",` + pairs + `}`
}

// ztunnel is a line of ztunnel with its counters and result.
func ztunnel(level, result string) string {
	return "2026-03-02T09:14:07.482113Z\t" + level + "\taccess\tconnection complete\tsrc.addr=10.8.2.3:41324 src.workload=\"web-6d\" src.namespace=\"shop\" " +
		`src.identity="spiffe://cluster.local/ns/shop/sa/web" dst.addr=10.8.1.7:15008 dst.hbone_addr=10.8.1.7:8080 dst.service="cart.shop.svc.cluster.local" ` +
		`dst.workload="cart-7f" dst.namespace="shop" dst.identity="spiffe://cluster.local/ns/shop/sa/cart" ` + result
}
