package control

import (
	"net"
	"os"

	"golang.org/x/sys/windows"
)

const socketPathBytesMax = 107

// unsupported: what stands here compiles and has never been seen to run.
const unsupported = "it was never tested on Windows"

// protect gives a folder one rule that nothing above it adds to: full control for this account, on it
// and on what is made in it.
func protect(directory string) error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return err
	}
	list, err := windows.ACLFromEntries([]windows.EXPLICIT_ACCESS{{
		AccessPermissions: windows.GENERIC_ALL,
		AccessMode:        windows.SET_ACCESS,
		Inheritance:       windows.SUB_CONTAINERS_AND_OBJECTS_INHERIT,
		Trustee: windows.TRUSTEE{
			TrusteeForm:  windows.TRUSTEE_IS_SID,
			TrusteeType:  windows.TRUSTEE_IS_USER,
			TrusteeValue: windows.TrusteeValueFromSID(user.User.Sid),
		},
	}}, nil)
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(directory, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION,
		user.User.Sid, nil, list, nil)
}

// owned: the list that protect sets admits the owner alone.
func owned(os.FileInfo) bool { return true }

func permissions(os.FileInfo) os.FileMode { return 0 }

func alive(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return err == windows.ERROR_ACCESS_DENIED
	}
	defer windows.CloseHandle(process)
	var code uint32
	const stillActive = 259
	return windows.GetExitCodeProcess(process, &code) == nil && code == stillActive
}

func refused(err error) bool { return false }

type party struct{ uid, pid int }

// partyOf: Windows names nobody; the folder's list is what keeps others out.
func partyOf(*net.UnixConn) (party, error) { return party{uid: os.Geteuid()}, nil }
