//go:build linux || darwin

package control

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCTL1DirectoryIsTheAccountsAndNotTheEnvironments(t *testing.T) {
	before, err := Directory()
	if err != nil {
		t.Skip("no account here: ", err)
	}
	t.Setenv("HOME", "/nowhere")
	t.Setenv("USER", "nobody")
	after, err := Directory()
	if err != nil || after != before || strings.HasPrefix(after, "/nowhere") {
		t.Errorf("Directory() = %q, %v; before %q", after, err, before)
	}
	if !strings.HasSuffix(after, "/.parley/sockets") {
		t.Errorf("Directory() = %q", after)
	}
}

func TestCTL1PlacesAreTheOwnersAlone(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	s := serveWith(t, Options{})
	for path, want := range map[string]os.FileMode{
		filepath.Dir(s.Path()): os.ModeDir | 0o700,
		s.Path():               os.ModeSocket | 0o600,
	} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
	if base := filepath.Base(s.Path()); base != socketName(os.Getpid()) {
		t.Errorf("the socket is called %s", base)
	}
}

func TestCTL1OpensNoPort(t *testing.T) {
	s := serveWith(t, Options{})
	if network := s.listener.Addr().Network(); network != "unix" {
		t.Errorf("it listens on %s", network)
	}
}

// badPlaces are folders that no socket is put into and none is looked for in.
var badPlaces = []struct {
	name string
	make func(t *testing.T, directory string)
	want string
}{
	{"the folder is a symbolic link", func(t *testing.T, directory string) {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		must(t, os.Mkdir(elsewhere, 0o700))
		must(t, os.Symlink(elsewhere, directory))
	}, "symbolic link"},
	{"the link leads nowhere", func(t *testing.T, directory string) {
		must(t, os.Symlink("/nowhere", directory))
	}, "symbolic link"},
	{"the folder around it is a symbolic link", func(t *testing.T, directory string) {
		elsewhere := filepath.Join(t.TempDir(), "elsewhere")
		must(t, os.MkdirAll(filepath.Join(elsewhere, "sockets"), 0o700))
		must(t, os.Remove(filepath.Dir(directory)))
		must(t, os.Symlink(elsewhere, filepath.Dir(directory)))
	}, "symbolic link"},
	{"it is a file", func(t *testing.T, directory string) {
		must(t, os.WriteFile(directory, nil, 0o600))
	}, "no folder"},
	{"others may read the folder", func(t *testing.T, directory string) {
		must(t, os.Mkdir(directory, 0o700))
		must(t, os.Chmod(directory, 0o750))
	}, "mode 0750"},
	{"others may write the folder around it", func(t *testing.T, directory string) {
		must(t, os.Mkdir(directory, 0o700))
		must(t, os.Chmod(filepath.Dir(directory), 0o777))
	}, "mode 0777"},
	{"the folder is another account's", func(t *testing.T, directory string) {
		must(t, os.Mkdir(directory, 0o700))
		giveAway(t, directory)
	}, "another account"},
	{"the folder around it is another account's", func(t *testing.T, directory string) {
		must(t, os.Mkdir(directory, 0o700))
		giveAway(t, filepath.Dir(directory))
	}, "another account"},
}

func TestCTL1RefusesPlacesThatOthersReach(t *testing.T) {
	for _, place := range badPlaces {
		t.Run(place.name, func(t *testing.T) {
			directory := folder(t)
			place.make(t, directory)
			s, err := Listen(Options{Directory: directory})
			if !errors.Is(err, ErrNotPrivate) || !strings.Contains(err.Error(), place.want) {
				t.Errorf("Listen: %v, want %s", err, place.want)
			}
			if err == nil {
				s.Close()
			}
			if _, err := Discover(t.Context(), directory, nil); !errors.Is(err, ErrNotPrivate) {
				t.Errorf("Discover: %v", err)
			}
			if found, _ := filepath.Glob(filepath.Join(directory, "*"+socketSuffix)); len(found) > 0 {
				t.Errorf("it left %v", found)
			}
		})
	}
}

func TestCTL1PathOfASocketIsBounded(t *testing.T) {
	directory := folder(t)
	room := socketPathBytesMax - len(filepath.Join(directory, socketName(os.Getpid())))
	fits := directory + strings.Repeat("x", room)
	serveWith(t, Options{Directory: fits})
	if _, err := Listen(Options{Directory: fits + "x"}); !errors.Is(err, ErrPathTooLong) || !strings.Contains(err.Error(), fits) {
		t.Errorf("one byte more: %v", err)
	}
	if _, err := os.Lstat(fits + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it made the folder: %v", err)
	}
}

func TestCTL1AProcessHasOneSocket(t *testing.T) {
	s := serveWith(t, Options{})
	if _, err := Listen(Options{Directory: filepath.Dir(s.Path())}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second one: %v", err)
	}
	if _, err := clientOf(t, s, nil).Sessions(t.Context()); err != nil {
		t.Errorf("the first one: %v", err)
	}
}

func TestCTL1ReplacesWhatADeadProcessWithThisIDLeft(t *testing.T) {
	directory := folder(t)
	must(t, makeDirectory(directory))
	leaveSocket(t, filepath.Join(directory, socketName(os.Getpid())))
	s := serveWith(t, Options{Directory: directory})
	if _, err := clientOf(t, s, nil).Sessions(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCTL1RefusesAConnectionOfAnotherAccount(t *testing.T) {
	for _, answer := range []struct {
		who party
		err error
	}{{party{uid: os.Geteuid() + 1}, nil}, {party{uid: os.Geteuid()}, errors.New("the kernel does not tell")}} {
		s := newServer(Options{}, time.Second)
		s.partyOf = func(*net.UnixConn) (party, error) { return answer.who, answer.err }
		path := filepath.Join(filepath.Dir(folder(t)), "s")
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		must(t, err)
		s.listener, s.path = listener, path
		s.connections.Go(s.accept)
		dialRaw(t, s).wantEnd()
		if served, _ := s.places.counts(); served != 0 {
			t.Error("it was admitted")
		}
		must(t, s.Close())
	}
}

func TestCTL1TheKernelNamesTheOtherSide(t *testing.T) {
	s := serveWith(t, Options{})
	conn, err := net.Dial("unix", s.Path())
	must(t, err)
	defer conn.Close()
	who, err := partyOf(conn.(*net.UnixConn))
	if err != nil || who.uid != os.Geteuid() || who.pid != os.Getpid() {
		t.Errorf("partyOf = %+v, %v", who, err)
	}
}

func TestCTL4IdleTimeoutIsWholeSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1": time.Second, "120": 120 * time.Second, "007": 7 * time.Second,
		"0": 0, "121": 0, "": 0, "-1": 0, "1.5": 0, "1s": 0, " 1": 0, "99999999999999999999": 0,
	} {
		t.Setenv(idleTimeoutVariable, text)
		got, err := idleTimeout(0)
		if got != want || (want == 0) != errors.Is(err, ErrIdleTimeout) {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	t.Setenv(idleTimeoutVariable, "soon")
	if _, err := Listen(Options{Directory: folder(t)}); !errors.Is(err, ErrIdleTimeout) {
		t.Errorf("Listen with a bad environment: %v", err)
	}
	for _, bad := range []time.Duration{-time.Second, time.Second - 1, 1500 * time.Millisecond, 121 * time.Second} {
		if _, err := Listen(Options{Directory: folder(t), IdleTimeout: bad}); !errors.Is(err, ErrIdleTimeout) {
			t.Errorf("Listen with %v: %v", bad, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func giveAway(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	must(t, os.Lchown(path, 65534, 65534))
}

// leaveSocket makes what a process leaves that was killed.
func leaveSocket(t *testing.T, path string) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	must(t, err)
	listener.SetUnlinkOnClose(false)
	must(t, listener.Close())
}
