// The guest of the tests: what it does is its first argument.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	behaviours[os.Args[1]](os.Args[2:])
}

var behaviours = map[string]func(args []string){
	"echo": echo,
	"loop": func([]string) {
		ready()
		for {
		}
	},
	"recurse": func([]string) {
		ready()
		for {
			_ = recurse(1)
		}
	},
	"sleep": func([]string) {
		ready()
		time.Sleep(time.Hour)
	},
	"sleep-reading": func([]string) {
		go func() {
			for {
				_, _ = os.Stdin.Read(make([]byte, 1)) // also once it has ended
				time.Sleep(time.Hour)
			}
		}()
		ready()
		time.Sleep(time.Hour)
	},
	"ignore-end": func([]string) {
		ready()
		for {
			if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
				time.Sleep(time.Hour)
			}
		}
	},
	"flood": func([]string) {
		ready()
		for { // also once nobody takes it
			fmt.Println(`{"jsonrpc":"2.0","method":"flood","params":["` + strings.Repeat("x", 1<<12) + `"]}`)
		}
	},
	"stderr": func([]string) {
		ready()
		for {
			fmt.Fprintln(os.Stderr, strings.Repeat("x", 1<<12))
		}
	},
	"memory": func([]string) {
		ready()
		var kept [][]byte
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	},
	"panic": func([]string) {
		ready()
		panic("on purpose")
	},
	"exit": func(args []string) {
		code, err := strconv.Atoi(args[0])
		must(err)
		os.Exit(code)
	},
	"environment": func([]string) {
		say("environment", append(os.Args[1:], os.Environ()...))
	},
	"files": func(args []string) {
		outcomes := make(map[string]string)
		for _, arg := range args {
			verb, path, _ := strings.Cut(arg, ":")
			outcomes[arg] = attempt(verb, path)
		}
		say("files", outcomes)
	},
}

// attempt is "ok", with what was found, or the error.
func attempt(verb, path string) (outcome string) {
	var err error
	switch verb {
	case "read":
		var text []byte
		text, err = os.ReadFile(path)
		outcome = string(text)
	case "write":
		err = os.WriteFile(path, []byte("written"), 0o600)
	case "append":
		var f *os.File
		if f, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			_, err = f.WriteString(" more")
			must(f.Close())
		}
	case "seek":
		var f *os.File
		if f, err = os.OpenFile(path, os.O_RDWR, 0); err == nil {
			_, err = f.Seek(2, 0)
			must(err)
			_, err = f.Write([]byte("XX"))
			must(err)
			must(f.Truncate(5))
			must(f.Sync())
			must(f.Close())
		}
	case "empty": // what a file that is only to be read must not suffer
		var f *os.File
		if f, err = os.OpenFile(path, os.O_RDONLY|os.O_TRUNC, 0); err == nil {
			must(f.Close())
		}
	case "make":
		var f *os.File
		if f, err = os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600); err == nil {
			must(f.Close())
		}
	case "list":
		var entries []os.DirEntry
		entries, err = os.ReadDir(path)
		for _, entry := range entries {
			outcome += entry.Name() + " "
		}
	case "mkdir":
		err = os.Mkdir(path, 0o700)
	case "remove":
		err = os.Remove(path)
	case "rename":
		err = os.Rename(path, path+".new")
	case "link":
		err = os.Link(path, path+".link")
	case "symlink":
		err = os.Symlink("/etc", path)
	case "touch":
		err = os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0))
	case "hoard":
		for range 10_000 {
			if _, err = os.Open(path); err != nil {
				break
			}
		}
	default:
		panic(verb)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return "ok " + outcome
}

// echo answers each request of a line with its params, until its input ends.
func echo([]string) {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request struct {
			ID     json.RawMessage `json:"id"`
			Params json.RawMessage `json:"params"`
		}
		must(json.Unmarshal(line, &request))
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", request.ID, request.Params)
	}
}

// recurse keeps every frame alive.
func recurse(n int) int { return recurse(n+1) + n }

func ready() { say("ready", []int{}) }

func say(method string, params any) {
	text, err := json.Marshal(params)
	must(err)
	fmt.Printf(`{"jsonrpc":"2.0","method":%q,"params":%s}`+"\n", method, text)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
