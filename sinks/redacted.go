package sinks

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// addressHidden stands for an address of a client.
const addressHidden = "(address)"

// Redact returns the report without what may not leave the team: query
// strings, tokens and addresses in the records that it quotes, and clients'
// addresses, which become numbers. Upstream hosts stay where they are evidence.
// The report itself stays as it is.
func (r *Report) Redact() *Report {
	c := *r
	c.Redacted = true
	c.Samples = Samples{redactSamples(r.Samples.Invalid), redactSamples(r.Samples.Suspicious), redactSamples(r.Samples.Noise), redactSamples(r.Samples.Kubectl)}
	names := r.numbers()
	c.Clients = r.Clients.redacted(names)
	if len(r.Causes) > 0 {
		c.Headline = mapAddresses(r.Headline, r.Causes[0].numbered(names))
	}
	c.Causes = slices.Clone(r.Causes)
	for i := range c.Causes {
		c.Causes[i].hideClients(names)
		c.Causes[i].Samples = slices.Clone(c.Causes[i].Samples)
		for j := range c.Causes[i].Samples {
			s := &c.Causes[i].Samples[j]
			s.Text = withoutAddresses(redact(s.Text))
		}
	}
	return &c
}

// clientName is what the nth client goes by.
func clientName(n int) string { return "client-" + strconv.Itoa(n) }

// numbered returns what the cause's clients go by; other addresses stay.
func (c *Card) numbered(names map[string]string) func(string) string {
	return func(address string) string {
		if slices.ContainsFunc(c.Clients, func(v ValueCount) bool { return bare(v.Value) == address }) {
			return names[address]
		}
		return address
	}
}

// isPod says whether an address is one that only the cluster or its network
// knows. A command that looks for the pod of an address is of no use without
// it, and outside nobody can tell anything by it.
// Source: https://www.rfc-editor.org/rfc/rfc1918, rfc4193 and rfc6598
func isPod(address string) bool {
	a, err := netip.ParseAddr(address)
	return err == nil && (a.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(a))
}

// hideClients numbers the clients, also where evidence names them, and where a
// command names one that is no pod.
func (c *Card) hideClients(names map[string]string) {
	numbered := c.numbered(names)
	c.Evidence, c.Next = slices.Clone(c.Evidence), slices.Clone(c.Next)
	for i := range c.Evidence {
		c.Evidence[i].Text = mapAddresses(c.Evidence[i].Text, numbered)
	}
	for i := range c.Next {
		c.Next[i] = mapAddresses(c.Next[i], func(address string) string {
			if name := numbered(address); name != address && !isPod(address) {
				return "<" + name + ">" // to be filled in
			}
			return address
		})
	}
	list := slices.Clone(c.Clients)
	for i := range list {
		list[i].Value = names[bare(list[i].Value)]
	}
	c.Clients = list
}

func redactSamples(list []Sample) []Sample {
	list = slices.Clone(list)
	for i := range list {
		list[i].Text = withoutAddresses(redact(list[i].Text))
	}
	return list
}

// withoutAddresses hides the IP addresses in a text; ports stay.
func withoutAddresses(s string) string {
	return mapAddresses(s, func(string) string { return addressHidden })
}

// mapAddresses changes the IP addresses in a text.
func mapAddresses(s string, change func(string) string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := 0
		for n < len(s) && !isAddressByte(s[n]) {
			n++
		}
		b.WriteString(s[:n])
		s = s[n:]
		n = 0
		for n < len(s) && isAddressByte(s[n]) {
			n++
		}
		b.WriteString(mapAddress(s[:n], change))
		s = s[n:]
	}
	return b.String()
}

func isAddressByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == ':' || c|' ' >= 'a' && c|' ' <= 'z' || c == '_'
}

// mapAddress changes a word if it is an address, with or without a port.
func mapAddress(word string, change func(string) string) string {
	bare := strings.TrimRight(word, ".:")
	if _, err := netip.ParseAddr(bare); err == nil && len(bare) > 2 {
		return change(bare) + word[len(bare):]
	}
	host, port, _ := strings.Cut(bare, ":")
	if _, err := netip.ParseAddr(host); err == nil && !strings.Contains(port, ":") {
		return change(host) + word[len(host):]
	}
	return word
}
