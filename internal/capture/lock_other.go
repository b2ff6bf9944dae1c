//go:build !unix

package capture

import "os"

const openFlags = 0

// lock does nothing here: who records two sessions at once gives two names.
func lock(*os.File) error { return nil }
