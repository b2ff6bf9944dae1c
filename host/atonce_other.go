//go:build !unix

package host

// atOnce is nothing where a descriptor cannot be written without waiting: the writer writes.
type atOnce struct{}

func newAtOnce(any) *atOnce { return nil }

func (*atOnce) write([]byte) int { return 0 }
