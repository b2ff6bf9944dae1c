//go:build unix

package bridge

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-rpc/parley/core"
)

func TestOptionsThatAreRefused(t *testing.T) {
	sound := scriptedServer("plain")
	for want, o := range map[string]Options{
		"no server":            {},
		"two servers":          {Servers: []Server{sound, sound}},
		"server name":          {Servers: []Server{{Name: "a/b", Command: []string{"x"}}}},
		"no command":           {Servers: []Server{{Name: "a"}}},
		"unsupported":          {Servers: []Server{{Name: "a", Command: []string{"x"}, Profile: core.ProfileControl}}},
		"profile 99":           {Servers: []Server{{Name: "a", Command: []string{"x"}, Profile: 99}}},
		"PingEvery":            {Servers: []Server{sound}, PingEvery: -1},
		"DeadAfter":            {Servers: []Server{sound}, DeadAfter: -time.Second},
		"SessionsMax":          {Servers: []Server{sound}, SessionsMax: -1},
		"MessageBytesMax is 1": {Servers: []Server{sound}, MessageBytesMax: 1},
		"MessageBytesMax is 2": {Servers: []Server{sound}, MessageBytesMax: 268435457},
		"BytesMax":             {Servers: []Server{sound}, ResumeBytesMax: -1},
		"allowed host":         {Servers: []Server{sound}, AllowHosts: []string{"a/b"}},
		"allowed origin":       {Servers: []Server{sound}, AllowOrigins: []string{"*"}},
		"no such file":         {Servers: []Server{sound}, Root: "/nowhere/at/all"},
	} {
		b, err := New(o)
		if err == nil {
			t.Errorf("%s: accepted", want)
			_ = b.Close() // only the mistake matters
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want it to say %s", err, want)
		}
	}
}
