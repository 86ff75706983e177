package sinks_test

import (
	"fmt"

	"github.com/flagwatch/flagwatch/classify"
	"github.com/flagwatch/flagwatch/parser"
	"github.com/flagwatch/flagwatch/sinks"
)

func Example() {
	line := `[2026-03-02T10:00:00.000Z] "GET /reviews/7 HTTP/1.1" 503 UH no_healthy_upstream - "-" 0 19 0 - "-" "curl/8.9.1" "5f0c9a44-6c1e-4a57-9d0a-2f8f6f1b0a01" "reviews:9080" "-" outbound|9080||reviews.shop.svc.cluster.local - 10.96.7.1:9080 10.42.1.7:51000 - default` + "\n"
	block := make([]byte, len(line), len(line)+parser.Padding)
	copy(block, line)

	causes, delta := classify.Default(), sinks.NewDelta()
	p := parser.NewParser(sinks.Wanted | causes.Fields())
	p.Reset(block)
	for r, ok := p.Next(); ok; r, ok = p.Next() {
		delta.Add(&sinks.Origin{Input: "frontend.log", Block: block}, r, causes.Classify(r))
	}
	snapshot := sinks.NewSnapshot()
	snapshot.Merge(delta)

	report := snapshot.Report()
	for _, f := range report.Flags {
		fmt.Println(f.Name, f.Long, f.Count)
	}
	// Output: UH NoHealthyUpstream 1
}
