package atomicfile

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// suffix ends the names of partial files.
const suffix = ".partial"

// maxBase is how many bytes of a file's name its partial file's name begins with:
// file systems allow 255.
const maxBase = 200

// prefix begins the names of the partial files of path.
func prefix(path string) string {
	base := filepath.Base(path)
	return base[:min(len(base), maxBase)] + "."
}

// Leftover is a partial file that is there.
type Leftover struct {
	Path    string
	Bytes   int64
	Time    time.Time // of the last write
	Running bool      // a process is still writing it
}

// Leftovers lists the partial files of path: what runs left that were killed or
// ended early, and those of runs that are not over.
func Leftovers(path string) []Leftover {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	start := prefix(path)
	return list(filepath.Dir(path), func(name string) bool { return strings.HasPrefix(name, start) && len(name) == len(start)+8+len(suffix) })
}

// LeftoversIn lists all partial files in a folder.
func LeftoversIn(dir string) []Leftover {
	return list(dir, func(string) bool { return true })
}

func list(dir string, mine func(name string) bool) (all []Leftover) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has nothing to tell
	for _, e := range entries {
		if !IsPartial(e.Name()) || !mine(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // gone meanwhile
		}
		path := filepath.Join(dir, e.Name())
		all = append(all, Leftover{Path: path, Bytes: info.Size(), Time: info.ModTime(), Running: locked(path)})
	}
	return all
}

// IsPartial reports whether a path ends as those of partial files do.
func IsPartial(path string) bool {
	name := filepath.Base(path)
	stem, ok := strings.CutSuffix(name, suffix)
	if !ok || len(stem) < 9 || stem[len(stem)-9] != '.' {
		return false
	}
	_, err := hex.DecodeString(stem[len(stem)-8:])
	return err == nil
}

// locked reports whether a process holds the lock of a partial file: the kernel
// takes it away when the process ends, however it does.
func locked(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}
