package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"os/exec"
	"slices"

	"github.com/parley-rpc/parley/core"
	"github.com/parley-rpc/parley/host"
	"github.com/parley-rpc/parley/host/child"
)

// Endpoint is a server to connect to.
type Endpoint struct {
	// Key names the server in Options.Eras; empty: what is learned of it is not kept.
	Key string
	// Spawned says that Open starts the server anew: it may take longer for its first answer, and
	// is started once more where it cannot bear the probe (ERA-1, ERA-5).
	Spawned bool
	// Open starts a session. It is called once, and where Spawned once more after the first
	// session was closed. ctx bounds the start alone.
	Open func(ctx context.Context, options host.Options) (Conn, error)
}

// Conn is a session with one server: a *host.Peer, or something that embeds one and ends more with
// it, as *child.Peer does.
type Conn interface {
	host.Caller
	NotifyRaw(ctx context.Context, method string, params json.RawMessage) error
	Messages(ctx context.Context) iter.Seq2[*host.Message, error]
	SetVersion(version string) error
	Stats() core.Stats
	Done() <-chan struct{}
	Err() error
	Close() error
}

// Command is a server that is started for the session and ended with it. cmd is a template, never
// started itself: its Path, Args, Env, Dir, Stderr, ExtraFiles and SysProcAttr are used. Stdin and
// Stdout must be nil. The key is made of program, arguments, environment and directory.
func Command(cmd *exec.Cmd, options ...child.Option) Endpoint {
	return Endpoint{
		Key:     commandKey(cmd),
		Spawned: true,
		Open: func(ctx context.Context, session host.Options) (Conn, error) {
			if cmd.Stdin != nil {
				return nil, fmt.Errorf("mcp: Cmd.Stdin is set, but a server may be started twice: %w", host.ErrUnsupported)
			}
			fresh := &exec.Cmd{
				Path: cmd.Path, Args: slices.Clone(cmd.Args), Env: slices.Clone(cmd.Env), Dir: cmd.Dir,
				Stdout: cmd.Stdout, Stderr: cmd.Stderr, ExtraFiles: cmd.ExtraFiles,
				SysProcAttr: cmd.SysProcAttr, Err: cmd.Err,
			}
			peer, err := child.Start(ctx, fresh, session, options...)
			if err != nil {
				return nil, err // not peer: a nil *child.Peer is no nil Conn
			}
			return peer, nil
		},
	}
}

// Over is a server that is already there, behind a transport. key names it in Options.Eras; empty:
// what is learned of it is not kept.
func Over(transport *host.Transport, key string) Endpoint {
	return Endpoint{
		Key: key,
		Open: func(_ context.Context, session host.Options) (Conn, error) {
			peer, err := host.New(transport, session)
			if err != nil {
				return nil, err
			}
			return peer, nil
		},
	}
}

// commandKey is a digest: an environment may hold secrets, which nobody is to keep.
func commandKey(cmd *exec.Cmd) string {
	digest := sha256.New()
	write := func(fields ...string) {
		text := binary.AppendUvarint(nil, uint64(len(fields)))
		for _, field := range fields {
			text = binary.AppendUvarint(text, uint64(len(field)))
			text = append(text, field...)
		}
		digest.Write(text)
	}
	write(cmd.Path, cmd.Dir)
	write(cmd.Args...)
	write(cmd.Environ()...)
	return string(digest.Sum(nil))
}
