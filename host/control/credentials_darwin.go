package control

import "golang.org/x/sys/unix"

func peerCredentials(fd int) (party, error) {
	credentials, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return party{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		pid = 0 // the answer to the first call says it too
	}
	return party{uid: int(credentials.Uid), pid: pid}, nil
}
