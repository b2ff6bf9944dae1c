// Benchmarks prints the tables that METHOD.md describes: contenders side by side, interleaved.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/parley-rpc/parley/host/wasmhost"
)

func main() {
	rounds := flag.Int("rounds", 10, "how often each contender runs")
	slice := flag.Duration("slice", 200*time.Millisecond, "about how long one contender runs in a round")
	flag.Parse()
	if err := run(*rounds, *slice); err != nil {
		fmt.Fprintln(os.Stderr, "benchmarks:", err)
		os.Exit(1)
	}
}

func run(rounds int, slice time.Duration) error {
	ctx := context.Background()
	engine, err := wasmhost.New(ctx)
	if err != nil {
		return err
	}
	defer engine.Close(ctx)
	scanTest, err := buildScanTest()
	if err != nil {
		return err
	}
	defer os.Remove(scanTest)

	fmt.Printf("%s %s/%s, %d cores, %d rounds of %v a contender\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds, slice)
	for _, c := range []contest{
		decodeOne(scanTest, engine.Machine),
		decodeBlock(engine.Machine),
		decodeLarge(scanTest, engine.Machine),
		echo(1, engine.Machine),
		echo(64, engine.Machine),
	} {
		if err := c.run(rounds, slice); err != nil {
			return fmt.Errorf("%s: %w", c.title, err)
		}
	}
	return nil
}
