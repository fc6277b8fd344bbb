package shm

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// file is a memfd with seals against changes of its size, so that no access to its mapping
// faults.
type file struct {
	fd    *os.File
	bytes int64

	mu                 sync.Mutex // guards what follows
	readable, writable []byte     // the mappings for reading and for writing; nil before the first use
	closed             bool
}

// adopt takes ownership of a descriptor that a client has sent. It returns the memfd, or
// closes the descriptor and returns the reason why it cannot be used.
func adopt(fd int) (*file, string) {
	f := &file{fd: os.NewFile(uintptr(fd), "memfd")}
	why := f.whyRefused(fd)
	if why != "" {
		f.fd.Close()
		return nil, why
	}
	return f, ""
}

// whyRefused returns the reason why the memfd of a client cannot be used, "" if it can be. Access to its mapping
// must never fault, so its size must be sealed and its pages must be plain ones. whyRefused also sets file.bytes.
func (file *file) whyRefused(fd int) string {
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	const want = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW // access beyond the end of a file that shrank faults
	if err != nil {
		return "it is no memfd that takes seals (MFD_ALLOW_SEALING)"
	}
	if seals&want != want {
		return "it can change its size: want the seals F_SEAL_SHRINK and F_SEAL_GROW"
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC {
		return "it is no plain memfd: huge pages can run out while they are used"
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return "it is no memfd"
	}
	if st.Size <= 0 || st.Size > MaxSegment {
		return fmt.Sprintf("it has %d bytes: want 1 to %d", st.Size, MaxSegment)
	}
	file.bytes = st.Size
	return ""
}

func (file *file) size() int64 { return file.bytes }

func (file *file) read() ([]byte, error) { return file.mapped(&file.readable, unix.PROT_READ) }

func (file *file) write() ([]byte, error) {
	return file.mapped(&file.writable, unix.PROT_READ|unix.PROT_WRITE)
}

// mapped returns the mapping of the whole file that is kept in *data, and makes it at the first call, with
// the access (PROT_READ, PROT_WRITE) that is asked for. After close it is an error.
func (file *file) mapped(data *[]byte, access int) ([]byte, error) {
	file.mu.Lock()
	defer file.mu.Unlock()
	if file.closed {
		return nil, os.ErrClosed
	}
	if *data != nil {
		return *data, nil
	}
	var err error
	*data, err = unix.Mmap(int(file.fd.Fd()), 0, int(file.bytes), access, unix.MAP_SHARED)
	return *data, err
}

// alive returns living, because the region ends with its connection.
func (file *file) alive() lease { return living }

// close closes the descriptor and removes both mappings. It goes on after an error and
// returns the first one.
func (file *file) close() error {
	file.mu.Lock()
	defer file.mu.Unlock()
	file.closed = true
	err := file.fd.Close()
	for _, data := range [][]byte{file.readable, file.writable} {
		if data == nil {
			continue
		}
		if e := unix.Munmap(data); err == nil {
			err = e
		}
	}
	file.readable, file.writable = nil, nil
	return err
}
