// Package polled makes reads and writes of the streams that a process was started with wait in the runtime's
// poller, as those of a pipe that it opens itself do.
//
// Standard input and output come as descriptors that wait in the kernel. Such a read keeps the processor of its
// goroutine until the runtime's monitor notices, 20 to 60 µs in which others wait, and wakes the monitor when it ends;
// and closing the File does not end it.
package polled

import "os"

// File is an os.File. Its Close gives a socket back as it was, for whoever shares it.
type File struct {
	*os.File
	isChanged bool // the descriptor was in blocking mode, and is shared
}

// Close closes the file.
func (f *File) Close() error {
	if f.isChanged {
		f.block()
	}
	return f.File.Close()
}
