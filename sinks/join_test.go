package sinks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const resetDetails = "upstream_reset_before_response_started{connection_termination}"

// What two proxies say of one request, and which of them is right: the table
// of the two sides. at is in milliseconds; clocks of two nodes differ.
func TestJoin(t *testing.T) {
	for _, c := range []struct {
		name           string
		client, server access
		clientAt       int
		serverAt       int
		blamed, freed  string // causes; freed "" for none
	}{
		{"the server's proxy lost the application", access{code: "503"}, access{code: "503", flags: "UC", details: resetDetails}, 0, 1, "", "upstream-5xx"},
		{"the application answered", access{code: "500"}, access{code: "500"}, 0, 2, "app-error", "upstream-5xx"},
		{"its clock is behind", access{code: "500"}, access{code: "500"}, 5, 2, "app-error", "upstream-5xx"},
		{"both cut", access{code: "503", flags: "UC", details: resetDetails}, access{code: "503", flags: "UC", details: resetDetails}, 3, 1, "", ""},
		{"the client's proxy gave up", access{code: "504", flags: "UT", details: "response_timeout"}, access{code: "0", flags: "DC", details: "downstream_remote_disconnect"}, 0, 1, "route-timeout", "client-disconnected"},
		{"the client left, and the server says why it took so long", access{code: "0", flags: "DC", details: "downstream_remote_disconnect"}, access{code: "504", flags: "UT", details: "response_timeout"}, 0, 1, "route-timeout", "client-disconnected"},
		{"the client left", access{code: "0", flags: "DC", details: "downstream_remote_disconnect"}, access{code: "0", flags: "DC", details: "downstream_remote_disconnect"}, 0, 1, "client-disconnected", "client-disconnected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.server.cluster, c.client.cluster = inbound, reviews
			text := ""
			for i := range 20 {
				for _, side := range []struct {
					a  access
					at int
				}{{c.client, c.clientAt}, {c.server, c.serverAt}} {
					a := side.a
					a.time, a.id = fmt.Sprintf("2026-03-02T10:00:%02d.%03dZ", i, side.at), fmt.Sprintf("5f0c9a44-6c1e-4a57-9d0a-%012d", i)
					text += a.String()
				}
			}
			r := reportOf(text)
			if r.Join.Requests != 20 || r.Join.Joined != 20 || r.Join.Consequences != 20 || r.Join.Alone != 0 {
				t.Errorf("join %+v", r.Join)
			}
			own := uint64(0)
			for _, card := range r.Causes {
				own += card.Failed - card.Consequences
				if card.ID == c.freed && card.Consequences != 20 {
					t.Errorf("%s: %d consequences, want 20", card.ID, card.Consequences)
				}
				if card.ID == c.blamed && card.ID != c.freed && card.Consequences != 0 {
					t.Errorf("%s: %d consequences, want none", card.ID, card.Consequences)
				}
			}
			if own != 20 {
				t.Errorf("%d failures of their own, want 20: %s", own, cardList(r))
			}
			if alone := count("log", text).ReportWith(ReportOptions{Alone: true}); alone.Join.Consequences != 0 || alone.Join.Enabled {
				t.Errorf("join of what was not to be joined: %+v", alone.Join)
			}
		})
	}
}

// A request that several proxies report is one failed request: the headline and
// the shares are of requests, and say of how many records.
func TestJoinedAmounts(t *testing.T) {
	text := ""
	for i := range 40 {
		for ms, cluster := range []string{reviews, inbound, ratings} {
			a := access{code: "500", cluster: cluster, time: fmt.Sprintf("2026-03-02T10:00:%02d.%03dZ", i, ms), id: fmt.Sprintf("5f0c9a44-6c1e-4a57-9d0a-%012d", i)}
			switch {
			case cluster == ratings: // another request, of one proxy
				a.code, a.flags, a.details, a.id = "503", "UH", "no_healthy_upstream", fmt.Sprintf("77aa9a44-6c1e-4a57-9d0a-%012d", i)
			case i%2 == 1:
				a.code = "200"
			}
			text += a.String()
		}
	}
	for name, row := range map[string]struct {
		alone    bool
		headline string
		shares   []string
	}{
		"joined": {false, ": 40 of 60 failed requests (503 UH), in 80 records, ", []string{"66.7 %", "33.3 %", "0 %"}},
		"alone":  {true, ": 40 of 80 failed requests (503 UH), from ", []string{"50.0 %", "25.0 %", "25.0 %"}},
	} {
		r := count("log", text).ReportWith(ReportOptions{Alone: row.alone})
		var shares []string
		for i := range r.Causes {
			shares = append(shares, shareOf(&r.Causes[i], r))
		}
		if !strings.Contains(r.Headline, row.headline) || !slices.Equal(shares, row.shares) {
			t.Errorf("%s: headline %q, want %q in it; shares %q, want %q", name, r.Headline, row.headline, shares, row.shares)
		}
	}
}

// A request over four proxies: the last one that failed by itself is blamed.
func TestJoinOfAChain(t *testing.T) {
	at := func(ms int) string { return fmt.Sprintf("2026-03-02T10:00:00.%03dZ", ms) }
	front := "outbound|80||front.shop.svc.cluster.local"
	way := []string{
		access{time: at(0), code: "503", cluster: front}.String(),
		strings.Replace(access{time: at(1), code: "503", cluster: "inbound|80||"}.String(), "reviews:9080", "front", 1),
		access{time: at(1), code: "503", flags: "UF", details: "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_Connection_refused}", cluster: reviews}.String(),
	}
	way[0] = strings.Replace(way[0], "reviews:9080", "front", 1)
	for range 3 {
		r := reportOf(strings.Join(way, ""))
		for _, c := range r.Causes {
			if refused := c.ID == "upstream-refused"; refused != (c.Consequences == 0) {
				t.Errorf("%s: %d consequences of %d", c.ID, c.Consequences, c.Failed)
			}
		}
		if r.Causes[0].ID != "upstream-refused" {
			t.Errorf("first %s", r.Causes[0].ID)
		}
		way = append(way[1:], way[0])
	}
}

// What a proxy passed on says so when the other side's record is missing.
func TestJoinWithoutTheOtherSide(t *testing.T) {
	text := ""
	for i := range 10 {
		text += access{code: "503", id: fmt.Sprintf("5f0c9a44-6c1e-4a57-9d0a-%012d", i)}.String()
	}
	r := reportOf(text)
	c := r.Causes[0]
	if r.Join.Alone != 10 || c.Consequences != 0 || !slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Kind == joinEvidence && e.Count == 10 }) {
		t.Errorf("join %+v, %+v", r.Join, c.Evidence)
	}
}

// Above the cap the ids of a fixed part are kept, on every side the same, so
// the estimate stays near and parts merge to the whole.
func TestJoinAboveTheCap(t *testing.T) {
	const n = 3 * maxHops
	whole, parts := newJoins(), []joins{newJoins(), newJoins(), newJoins()}
	for i := range n {
		for dir := range uint8(2) {
			h := hop{id: hashID(fmt.Appendf(nil, "request-%d", i)), at: int64(i), cause: 1 + uint16(dir), dir: 2 - dir, how: relayed &^ dir}
			whole.put(h)
			parts[(i+int(dir))%3].put(h)
		}
	}
	ids := []uint16{0, 1, 2}
	all := newJoins()
	for i := range parts {
		all.merge(&parts[i], ids)
	}
	a, b := all.join(), whole.join()
	if all.hops.n > maxHops || a.joined != b.joined || a.consequences[1][2] != b.consequences[1][2] {
		t.Errorf("parts: %d hops, %d joined; whole: %d joined", all.hops.n, a.joined, b.joined)
	}
	if got := a.consequences[1][2]; got < n*9/10 || got > n*11/10 {
		t.Errorf("%d consequences, want about %d", got, n)
	}
}
