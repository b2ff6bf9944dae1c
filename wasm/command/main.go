// Command command is package core as a program: it reads inputs from stdin and writes observations to
// stdout, as MessagePack records (docs/abi.md), and ends with stdin. It is built for WASI, where any
// runtime with pipes can drive it, and runs natively as well. Whatever goes wrong is said in one line
// on stderr, with exit code 1.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"

	"github.com/parley-rpc/parley/internal/transcript"
)

func main() {
	if err := transcript.Serve(bufio.NewReaderSize(os.Stdin, 64<<10), os.Stdout); err != nil {
		quoted := strconv.QuoteToASCII(err.Error())
		fmt.Fprintln(os.Stderr, quoted[1:len(quoted)-1])
		os.Exit(1)
	}
}
