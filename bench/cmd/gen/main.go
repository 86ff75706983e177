// Gen writes a made-up access log to standard output:
//
//	go run ./bench/cmd/gen -dialect istio-text -bytes 1G -fail 6% -seed 1 > big.log
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/flagwatch/flagwatch/bench/gen"
)

func main() {
	dialect := flag.String("dialect", "istio-text", "one of "+strings.Join(gen.Dialects(), ", "))
	size := flag.String("bytes", "128M", "bytes of records, wrappers not counted; K, M and G are powers of 1024")
	fail := flag.String("fail", "6%", "share of failed requests")
	seed := flag.Uint64("seed", 1, "the same seed gives the same bytes")
	flag.Parse()
	if err := run(*dialect, *size, *fail, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dialect, size, fail string, seed uint64) error {
	n, err := gen.ParseSize(size)
	if err != nil {
		return fmt.Errorf("-bytes: %w", err)
	}
	percent, err := strconv.ParseFloat(strings.TrimSuffix(fail, "%"), 64)
	if err != nil {
		return fmt.Errorf("-fail %q: not a percentage", fail)
	}
	g, err := gen.New(gen.Config{Dialect: dialect, Fail: percent / 100, Seed: seed})
	if err != nil {
		return err
	}
	_, err = g.Write(os.Stdout, n)
	return err
}
