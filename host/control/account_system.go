//go:build (cgo && !osusergo && !android) || darwin || windows

package control

import (
	"os"
	"os/user"
	"runtime"
	"strconv"
)

// accountHome asks the system's account database, directories on the network included.
func accountHome() (string, error) {
	if runtime.GOOS == "windows" {
		account, err := user.Current()
		if err != nil {
			return "", err
		}
		return account.HomeDir, nil
	}
	account, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return "", err
	}
	return account.HomeDir, nil
}
