package sinks

import (
	"slices"
	"testing"

	"github.com/flagwatch/flagwatch/classify"
)

// What can be typed as it stands comes first; otherwise the catalogue's order
// stays.
func TestCompleteCommandsComeFirst(t *testing.T) {
	cause := &classify.Cause{Checks: []string{"logs {pod} -n {namespace}", "openssl </dev/null", "describe {pod} -n {namespace}", "get service {service}"}}
	for _, test := range []struct {
		values map[string]string
		want   []string
	}{
		{map[string]string{"service": "cart"}, []string{"openssl </dev/null", "get service cart", "logs <pod> -n <namespace>", "describe <pod> -n <namespace>"}},
		{map[string]string{"service": "cart", "pod": "cart-7", "namespace": "shop"}, []string{"logs cart-7 -n shop", "openssl </dev/null", "describe cart-7 -n shop", "get service cart"}},
	} {
		if got := commands(cause, nil, test.values); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %q, want %q", test.values, got, test.want)
		}
	}
}

func TestNamespaceOfServerName(t *testing.T) {
	for sni, want := range map[string]string{
		"outbound_.8080_._.cart.shop.svc.cluster.local":   "shop",
		"outbound_.8080_.v2_.cart.shop.svc.cluster.local": "shop",
		"outbound_.443_._.api.example.com":                "",
		"outbound_.80_._.cart.shop":                       "",
		"cart.shop.svc.cluster.local":                     "",
		"outbound_.":                                      "",
		"":                                                "",
	} {
		if got := namespaceOf(sni); got != want {
			t.Errorf("%q: got %q, want %q", sni, got, want)
		}
	}
}
