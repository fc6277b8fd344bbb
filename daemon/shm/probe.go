package shm

import (
	"errors"
	"fmt"
	"os"

	sysv "github.com/gen2brain/shm"
	"golang.org/x/sys/unix"
)

// Probe tests shared memory on this machine: it makes, maps and removes a System V segment
// and a sealed memfd. It returns an error for each that does not work.
func Probe() (segment, sealed error) { return probeSegment(), probeMemfd() }

// probeBytes is the size of the memory that a probe makes: one page.
const probeBytes = 4096

// probeSegment makes, maps and removes a small System V segment and returns the first error.
func probeSegment() error {
	id, err := sysv.Get(sysv.IPC_PRIVATE, probeBytes, sysv.IPC_CREAT|0o600)
	if err != nil {
		return fmt.Errorf("cannot make a segment: %w", err)
	}
	defer sysv.Rm(id)
	r := &region{name: "probe"}
	if err := attach(r, id, Self()); err != nil {
		return err
	}
	_, err = r.memory.write()
	return errors.Join(err, r.memory.close())
}

// probeMemfd makes, seals and maps a small memfd, a file in memory, as a client does, and returns the
// first error. It shows whether this machine supports that.
func probeMemfd() error {
	fd, err := unix.MemfdCreate("plumb", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("cannot make a memfd: %w", err)
	}
	err = unix.Ftruncate(fd, probeBytes)
	if err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
	}
	if err != nil {
		unix.Close(fd)
		return fmt.Errorf("cannot seal a memfd: %w", os.NewSyscallError("fcntl", err))
	}
	file, why := adopt(fd)
	if why != "" {
		return errors.New("cannot use a memfd: " + why)
	}
	_, err = file.write()
	return errors.Join(err, file.close())
}
