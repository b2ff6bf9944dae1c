package host

import "github.com/parley-rpc/parley/core"

// Native is the default engine: the core compiled into this program.
func Native(cfg core.Config) (Machine, error) {
	conn, err := core.New(cfg)
	if err != nil {
		return nil, err
	}
	return native{conn}, nil
}

// native is a *core.Conn, which cannot fail but by a panic and holds nothing but memory.
type native struct{ *core.Conn }

func (native) Err() error   { return nil }
func (native) Close() error { return nil }
