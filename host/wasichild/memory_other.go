//go:build !linux && !darwin

package wasichild

import "github.com/parley-rpc/parley/host"

// No guest is started here.

func mapMemory(int64) ([]byte, error) { return nil, host.ErrUnsupported }

func unmapMemory([]byte) error { return nil }
