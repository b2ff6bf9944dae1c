//go:build !((cgo && !osusergo && !android) || darwin || windows)

package control

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// accountHome reads the database's file. Package os/user, built without C, falls back to $HOME where an
// account has no line there, which is what must not be believed (CTL-1).
func accountHome() (string, error) {
	const database = "/etc/passwd"
	file, err := os.Open(database)
	if err != nil {
		return "", err
	}
	defer file.Close()
	uid := strconv.Itoa(os.Geteuid())
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if fields := strings.Split(lines.Text(), ":"); len(fields) == 7 && fields[2] == uid {
			return fields[5], nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", fmt.Errorf("%s has no account %s", database, uid)
}
