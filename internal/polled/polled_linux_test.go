package polled

import (
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Standard input as it comes: a descriptor in blocking mode, of a pipe with or without a writer, or a socket.
func TestReadsWhatWasThere(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (reader, writer *os.File){
		"a pipe":   openPipe,
		"a socket": openSocket,
	} {
		for _, isOver := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				before, writer := open(t)
				if _, err := writer.WriteString("as it was"); err != nil {
					t.Fatal(err)
				}
				if isOver {
					writer.Close()
				}
				reader := Open(before)
				defer reader.Close()
				if err := reader.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
					t.Error("reads do not wait in the poller:", err)
				}
				if !isOver {
					if _, err := writer.WriteString(", and on"); err != nil {
						t.Fatal(err)
					}
					writer.Close()
				}
				want := map[bool]string{true: "as it was", false: "as it was, and on"}[isOver]
				if got, err := io.ReadAll(reader); err != nil || string(got) != want {
					t.Errorf("read %q, %v", got, err)
				}
			})
		}
	}
}

func TestSocketIsGivenBackAsItWas(t *testing.T) {
	socket, writer := openSocket(t)
	defer writer.Close()
	shared, err := unix.Dup(int(socket.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(shared)
	reader := Open(socket)
	if isBlocking(t, shared) {
		t.Error("the socket still blocks")
	}
	if err := reader.Close(); err != nil {
		t.Error(err)
	}
	if !isBlocking(t, shared) {
		t.Error("the socket does not block any more")
	}
}

func TestLeavesFilesAlone(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if reader := Open(null); reader.File != null {
		t.Error("got another file")
	}
}

func openPipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "writer")
}

func openSocket(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(ends[0]), "reader"), os.NewFile(uintptr(ends[1]), "writer")
}

func isBlocking(t *testing.T, descriptor int) bool {
	t.Helper()
	flags, err := unix.FcntlInt(uintptr(descriptor), unix.F_GETFL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return flags&unix.O_NONBLOCK == 0
}
