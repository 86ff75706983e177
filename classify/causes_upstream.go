package classify

import (
	"slices"
	"strings"
)

// upstreamCauses are why the way to the upstream, or the upstream, failed.
var upstreamCauses = slices.Concat(connectCauses, tlsCauses, breakCauses, timeCauses)

// A response that had begun decides before anything else; a refused retry
// before the failure it was to repair; the reason of the transport before the
// flag it stands beside; a retry limit after all that it was spent on.
var upstreamRules = slices.Concat(truncatedRules, overflowRules, hostRules, againRules, reasonRules(), connectRules, timeRules, breakRules, retryRules)

// againRules are for records whose flag says what ended them, and whose reason
// is that of an attempt before.
var againRules = []Rule{
	{"flag:UF flag:UR tcp host both-ways", "upstream-remote-reset", "plaintext-to-strict-mtls upstream-closed", Medium},
	{"flag:UC inbound reason:connection_refused,connect_error_111", "app-crash", "upstream-closed", Medium},
}

// A reason is what the text of a transport failure proves. It stands in its
// own column and, since Envoy 1.11, inside the details of UF; a reason beside
// another flag was left there by an earlier attempt.
type reason struct {
	words      string // phrases of a condition
	when       string // further terms
	cause      string
	rivals     string
	confidence Confidence
}

// reasonPlaces are where reasons stand: the terms of a rule, with the words of
// the reason at the end, and the cause that the other flag speaks for.
var reasonPlaces = []struct{ terms, rival string }{
	{"flag:UF reason:", ""},
	{"details:^upstream_reset_before_response_started_connection_failure,^upstream_reset_before_response_started_remote_connection_failure,^upstream_reset_before_response_started_local_connection_failure details:", ""},
	{"flag:DC reason:", "client-disconnected"},
	{"flag:UT reason:", "route-timeout"},
	{"flag:URX !flag:UC,UR,UPE,UO reason:", "retries-exhausted"},
	{"code:0 !flag:UC,UR,UPE,UO reason:", ""},
}

func reasonRules() (rules []Rule) {
	for _, place := range reasonPlaces {
		for _, r := range slices.Concat(tlsReasons, connectReasons) {
			rule := Rule{When: place.terms + r.words, Cause: r.cause, Rivals: strings.TrimSpace(r.rivals + " " + place.rival), Confidence: r.confidence}
			if r.when != "" {
				rule.When += " " + r.when
			}
			if place.rival != "" {
				rule.Confidence = min(rule.Confidence, Medium)
			}
			rules = append(rules, rule)
		}
	}
	return rules
}
