package control

import "golang.org/x/sys/unix"

func peerCredentials(fd int) (party, error) {
	credentials, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return party{}, err
	}
	return party{uid: int(credentials.Uid), pid: int(credentials.Pid)}, nil
}
