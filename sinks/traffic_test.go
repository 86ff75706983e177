package sinks

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// calls are n requests to a cluster, of which some fail.
func calls(cluster string, n, failed int) string {
	var b strings.Builder
	for i := range n {
		a := access{cluster: cluster, id: fmt.Sprintf("0d9d52f7-1a1e-4c55-8f0e-%012d", i), time: fmt.Sprintf("2026-05-04T03:%02d:%02d.000Z", i/60%60, i%60)}
		if i < failed {
			a.code, a.flags, a.details = "503", "UH", "no_healthy_upstream"
		}
		b.WriteString(a.String())
	}
	return b.String()
}

// What failed of a service's own requests: its subsets are one, applications'
// own proxies and what has no cluster are left out.
func TestServices(t *testing.T) {
	log := calls("outbound|8080|v1|cart.shop.svc.cluster.local", 60, 30) + calls("outbound|8080|v2|cart.shop.svc.cluster.local", 40, 5) +
		calls("outbound|8080||stock.shop.svc.cluster.local", 10, 2) + calls("inbound|8080||", 50, 20) + calls("-", 5, 5)
	r := reportOf(log)
	want := []Traffic{{"cart.shop:8080", 100, 35, 0.35, nil}, {"stock.shop:8080", 10, 2, 0.2, nil}}
	if !slices.Equal(r.Services, want) {
		t.Errorf("services %v, want %v", r.Services, want)
	}
	if got := r.Causes[0].Traffic; !slices.Equal(got, want) {
		t.Errorf("traffic of the cause %v, want %v", got, want)
	}
	out := string(render(t, r, TextOptions{Width: 80}))
	if want := "where       cart.shop:8080 35 of its 100 requests (35.0 %)\n"; !strings.Contains(out, want) {
		t.Errorf("%q is not in\n%s", want, out)
	}
}

// canary is a service with two subsets, one of which fails from the fifth
// minute on: all of it, or half.
func canary(half bool) string {
	var b strings.Builder
	for i := range 1200 {
		for subset, host := range map[string]string{"v1": "10.44.1.7:8080", "v2": "10.44.1.8:8080"} {
			if subset == "v2" && i%4 != 0 {
				continue
			}
			a := access{cluster: "outbound|8080|" + subset + "|cart.shop.svc.cluster.local", host: host, id: fmt.Sprintf("0d9d52f7-1a1e-4c55-8f%s-%012d", subset, i), time: fmt.Sprintf("2026-05-04T03:%02d:%02d.000Z", i/60, i%60)}
			if subset == "v2" && i >= 300 && (!half || i%8 == 0) {
				a.code, a.details = "500", "via_upstream"
			}
			b.WriteString(a.String())
		}
	}
	return b.String()
}

// What succeeded meanwhile is about the service that is named, with all of its
// subsets; a subset that fails is told by its own numbers.
func TestSubsets(t *testing.T) {
	for name, row := range map[string]struct {
		log       string
		failed    uint64
		meanwhile []uint64 // about
		where     string
	}{
		"all of one":  {canary(false), 225, []uint64{900, 0}, "cart.shop:8080 225 of its 1,500 requests (15.0 %), subset v2 225 of its 300 (75.0 %), where none succeeded meanwhile"},
		"half of one": {canary(true), 112, []uint64{1000, 111}, "cart.shop:8080 112 of its 1,500 requests (7.5 %), subset v2 112 of its 300 (37.3 %)"},
		"one of one":  {strings.ReplaceAll(calls("outbound|8080|v2|cart.shop.svc.cluster.local", 600, 300), "2026-05-04T03", "2026-05-04T04"), 300, []uint64{0}, "cart.shop:8080 300 of its 600 requests (50.0 %), none succeeded meanwhile"},
	} {
		r := reportOf(row.log)
		c := &r.Causes[0]
		got := []*uint64{c.Meanwhile}
		if s := c.Traffic[0].Subset; s != nil {
			got = append(got, s.Meanwhile)
			if s.Name != "v2" || s.Failed != row.failed || s.Requests != 300 {
				t.Errorf("%s: subset %+v", name, s)
			}
		}
		if len(got) != len(row.meanwhile) {
			t.Fatalf("%s: traffic %+v", name, c.Traffic)
		}
		for i, want := range row.meanwhile {
			if got[i] == nil || *got[i]+8 < want || *got[i] > want+8 || (*got[i] == 0) != (want == 0) {
				t.Errorf("%s: %d succeeded meanwhile, want about %d", name, *got[i], want)
			}
		}
		for format, out := range allFormats(t, r) {
			if format == "html" {
				out = textOf(out)
			}
			if out := whole(out); (format == "html" || format == "markdown" || format == "wide") && !strings.Contains(out, row.where) {
				t.Errorf("%s: %s has no %q", name, format, row.where)
			}
		}
	}
}

// How many requests succeeded meanwhile is one number, wherever it is said, and
// not said of a time that is shorter than what is counted together.
func TestOneNumberMeanwhile(t *testing.T) {
	log := func(from, to int) string {
		return minutes(func(i int) string { return map[bool]string{true: "UH"}[i >= from && i < to && i%4 == 0] })
	}
	for name, row := range map[string]struct {
		from, to int
		want     uint64 // about; 0: not known
	}{
		"ends within steps": {303, 905, 450},
		"ends with steps":   {300, 901, 450},
		"to the end":        {607, 1200, 445},
		"within a step":     {301, 309, 0},
	} {
		r := reportOf(log(row.from, row.to))
		c := &r.Causes[0]
		if row.want == 0 {
			if c.Meanwhile != nil || strings.Contains(saysOf(c)+c.traffic(), "meanwhile") {
				t.Errorf("%s: %v, %s", name, c.Meanwhile, saysOf(c))
			}
			continue
		}
		if n := c.Meanwhile; n == nil || *n+5 < row.want || *n > row.want+5 {
			t.Fatalf("%s: %v succeeded meanwhile, want about %d", name, n, row.want)
		}
		n := number(*c.Meanwhile)
		if !strings.Contains(c.traffic(), "; about "+n+" succeeded meanwhile") || !strings.Contains(saysOf(c), "; about "+n+" requests of its cluster succeeded meanwhile") {
			t.Errorf("%s: %s\n%s", name, c.traffic(), saysOf(c))
		}
	}
}

// A host that no route is found for has no cluster: it is where the cause is.
func TestHostsWithoutCluster(t *testing.T) {
	lost := flow{from: 0, to: 600, n: 60, code: "404", flags: "NR", authority: "www.till.example", path: 9}
	r := reportOf(streamOf(lost, lost.with(func(f *flow) { f.n, f.authority = 20, "api.till.example" })))
	if got, want := fmt.Sprint(r.hit(1)), "[www.till.example 60 failed requests 1 more]"; got != want {
		t.Errorf("where %s, want %s", got, want)
	}
}

// Where records were chosen by what they are, nobody knows all of a service's
// requests, and no share looks like one of them.
func TestSelectedHasNoTraffic(t *testing.T) {
	s := count("log", calls("outbound|8080||cart.shop.svc.cluster.local", 60, 30))
	r := s.ReportWith(ReportOptions{Selected: true}, Input{Name: "log", Bytes: 1})
	if len(r.Services)+len(r.Causes[0].Traffic) > 0 || r.Causes[0].Meanwhile != nil {
		t.Errorf("services %v, traffic %v", r.Services, r.Causes[0].Traffic)
	}
	for name, out := range allFormats(t, r) {
		switch name {
		case "table", "wide", "narrow", "broad", "ascii":
			if !strings.Contains(out, "of the chosen access records") || strings.Count(out, "of chosen") != 2 {
				t.Errorf("%s does not say of what its shares are:\n%s", name, out)
			}
		case "html":
			if !strings.Contains(out, "of 60 chosen requests") || !strings.Contains(out, ">of chosen<") {
				t.Errorf("html does not say of what its shares are")
			}
		}
	}
}

// podLines puts the records of a pod behind its name, as kubectl logs --prefix does.
func podLines(pod, text string) string {
	return "[pod/" + pod + "/istio-proxy] " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n[pod/"+pod+"/istio-proxy] ") + "\n"
}

// Callers are workloads, where a log names its pods.
func TestCallers(t *testing.T) {
	cart := calls("outbound|8080||cart.shop.svc.cluster.local", 60, 30)
	for name, row := range map[string]struct{ log, callers, headline string }{
		"two pods":      {podLines("web-6d5f8b9c7d-x2v4q", cart) + podLines("web-6d5f8b9c7d-9k8ld", cart), "[{web 60}]", "from web to cart.shop:8080"},
		"two workloads": {podLines("web-6d5f8b9c7d-x2v4q", cart) + podLines("admin-7c9d8f6b5-qq7zx", cart), "[{admin 30} {web 30}]", " to cart.shop:8080"},
		"no pod":        {cart, "[]", " to cart.shop:8080"},
		"some pods":     {podLines("web-6d5f8b9c7d-x2v4q", cart) + cart, "[{web 30}]", " to cart.shop:8080"},
	} {
		r := reportOf(row.log)
		var got []string
		for _, v := range r.Causes[0].Callers {
			got = append(got, fmt.Sprintf("{%s %d}", v.Value, v.Count))
		}
		if fmt.Sprint(got) != row.callers || !strings.Contains(r.Headline, row.headline) || strings.Contains(r.Headline, "from web") != strings.Contains(row.headline, "from web") {
			t.Errorf("%s: callers %v, want %s; headline %q, want %q in it", name, got, row.callers, r.Headline, row.headline)
		}
	}
}

// An application's own proxy tells only a port: the report names the service
// as the proxies do that call the same address.
func TestServiceOfInbound(t *testing.T) {
	var own, callers strings.Builder
	for i := range 400 {
		at := fmt.Sprintf("2026-05-04T03:%02d:%02d.000Z", i/60, i%60)
		callers.WriteString(access{time: at, host: "10.44.1.7:8080", cluster: "outbound|8080||cart.shop.svc.cluster.local", id: fmt.Sprintf("0d9d52f7-1a1e-4c55-8f0e-%012d", i)}.String())
		a := access{time: at, host: "10.44.1.7:8080", cluster: "inbound|8080||", id: fmt.Sprintf("3c5b7d02-94a8-4d3b-b1fe-%012d", i)}
		if i%4 == 0 {
			a.code = "500"
		}
		own.WriteString(a.String())
	}
	r := reportOf(own.String() + callers.String())
	c := &r.Causes[0]
	if clusterShort(c.Service) != "cart.shop:8080" || !strings.Contains(r.Headline, "to cart.shop:8080") {
		t.Errorf("service %q, headline %q", c.Service, r.Headline)
	}
	if want := "kubectl get pods -n shop "; !strings.HasPrefix(c.Next[0], want) {
		t.Errorf("next %q, want %q...", c.Next[0], want)
	}
	if r := reportOf(own.String()); r.Causes[0].Service != "" {
		t.Errorf("nobody calls it, and it is %q", r.Causes[0].Service)
	}
}

// silent is a log in which requests to two services of a namespace are not
// answered from the third minute on, and those to others are.
func silent(spaces ...string) string {
	var b strings.Builder
	for i := range 600 {
		at := fmt.Sprintf("2026-05-04T03:%02d:%02d.000Z", i/60, i%60)
		for j, space := range spaces {
			a := access{time: at, cluster: fmt.Sprintf("outbound|8080||svc-%d.%s.svc.cluster.local", j, space), host: fmt.Sprintf("10.44.%d.7:8080", j), id: fmt.Sprintf("%08d-1a1e-4c55-8f0e-%012d", j, i)}
			if i >= 180 && j < 2 {
				a.code, a.flags, a.details = "503", "UF", "upstream_reset_before_response_started{connection_timeout}"
			}
			b.WriteString(a.String())
		}
	}
	return b.String()
}

// Several services of one namespace that do not answer are the namespace's
// matter: its policies come first.
func TestOneNamespace(t *testing.T) {
	for name, row := range map[string]struct {
		spaces []string
		want   string
	}{
		"one namespace":     {[]string{"books", "books", "web"}, "books"},
		"two namespaces":    {[]string{"books", "films", "web"}, ""},
		"another answers":   {[]string{"books", "books", "books"}, ""},
		"nothing else runs": {[]string{"books", "books"}, ""},
	} {
		r := reportOf(silent(row.spaces...))
		c := &r.Causes[0]
		if c.Namespace != row.want || strings.Contains(r.Headline, "all of them to services of namespace books") != (row.want != "") || (c.Next[0] == "kubectl get networkpolicies -A") != (row.want != "") {
			t.Errorf("%s: namespace %q, want %q; headline %q, next %q", name, c.Namespace, row.want, r.Headline, c.Next[0])
		}
	}
}

// Causes that hit one service at the same time are told of together.
func TestTogether(t *testing.T) {
	fails := func(second int) string {
		switch {
		case second < 600:
			return ""
		case second%3 == 0:
			return "UO"
		}
		return map[bool]string{true: "UH"}[second%3 == 1]
	}
	r := reportOf(minutes(fails))
	if want := "; outlier-all-ejected hits the same service meanwhile."; !strings.HasSuffix(r.Headline, want) {
		t.Errorf("headline %q, want %q in it", r.Headline, want)
	}
}

// The name of the only input says nothing of a place.
func TestPlaceIsNoInput(t *testing.T) {
	event := "2026-05-04T03:00:00.000000Z\terror\tFailed to start in-agent SDS server: open /etc/istio/proxy: permission denied\n"
	log := strings.Repeat("[2026-05-04 03:00:00.000][21][warning][config] [source/a.cc:12] DeltaAggregatedResources gRPC config stream to xds-grpc closed since 45s ago: 14, connection error\n", 6) + event
	r := count("proxy.log", log).Report(Input{Name: "proxy.log", Bytes: int64(len(log))})
	for i := range r.Causes {
		p := newPage(TextOptions{})
		p.show(r)
		if got := p.place(&r.Causes[i], true); got != "" {
			t.Errorf("%s is at %q", r.Causes[i].ID, got)
		}
	}
	if len(r.Causes) == 0 {
		t.Error("the log has no cause")
	}
}

// A number of others is said only where all of them are known: of each field
// the most frequent values are kept.
func TestOthersAreCountedOrBounded(t *testing.T) {
	for n, want := range map[int]map[string]bool{
		5:          {", 4 others": true, "; 4 other services": true, "cart-00.shop:8080 +4": true, " 3 more\n": true, "at least 3": false, "or more": false},
		maxTop - 1: {", 14 others": true, "; 14 other services": true, "at least 1": false, "or more": false},
		maxTop:     {"at least 15 others": true, "at least 15 other services": true},
		3 * maxTop: {"at least 15 others": true, "at least 15 other services": true, "+15 or more": true, "at least 14 more": true, ", 15 others": false, "; 15 other": false},
	} {
		var b strings.Builder
		for i := range 6 * n {
			a := access{cluster: fmt.Sprintf("outbound|8080||cart-%02d.shop.svc.cluster.local", i%n), host: fmt.Sprintf("10.44.1.%d:8080", i%n), code: "503", flags: "UF"}
			a.id, a.time = fmt.Sprintf("0d9d52f7-1a1e-4c55-8f0e-%012d", i), fmt.Sprintf("2026-05-04T03:%02d:%02d.000Z", i/60%60, i%60)
			b.WriteString(a.String())
		}
		r := reportOf(b.String())
		out := string(render(t, r, TextOptions{Width: 120}))
		for text, there := range want {
			if strings.Contains(out, text) != there {
				t.Errorf("%d: %q: %v, want %v in\n%s", n, text, !there, there, out)
			}
		}
		var html bytes.Buffer
		if err := WriteHTML(&html, r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(html.String(), "at least 13 more"); got != (n >= maxTop) {
			t.Errorf("%d: a bound in HTML: %v", n, got)
		}
	}
}
