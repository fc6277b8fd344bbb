package atomicfile

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// partialSuffix ends the names of partial files.
const partialSuffix = ".partial"

// maxBase is how many bytes of a file's name the name of its partial file repeats at
// most, because file systems allow 255 bytes.
const maxBase = 200

// partialPrefix begins the names of the partial files of path.
func partialPrefix(path string) string {
	base := filepath.Base(path)
	return base[:min(len(base), maxBase)] + "."
}

// Leftover is a partial file that exists on disk.
type Leftover struct {
	Path    string
	Bytes   int64
	Time    time.Time // of the last write
	Running bool      // a process is still writing it
}

// randomDigits is how many hexadecimal digits stand in the name of a partial file, before its suffix.
const randomDigits = 8

// Leftovers lists the partial files of path: those of runs that were killed or ended early, and those that
// other processes are still writing (Running).
func Leftovers(path string) []Leftover {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	start := partialPrefix(path)
	size := len(start) + randomDigits + len(partialSuffix)
	return leftoversIn(filepath.Dir(path), func(name string) bool { return strings.HasPrefix(name, start) && len(name) == size })
}

// LeftoversIn lists all partial files in a folder; none where it cannot be read.
func LeftoversIn(dir string) []Leftover {
	return leftoversIn(dir, func(string) bool { return true })
}

// leftoversIn returns the partial files in a folder whose names the function isWanted accepts. A folder that cannot
// be read has none.
func leftoversIn(dir string, isWanted func(name string) bool) (all []Leftover) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !IsPartial(entry.Name()) || !isWanted(entry.Name()) {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			continue // removed meanwhile
		}
		path := filepath.Join(dir, entry.Name())
		all = append(all, Leftover{Path: path, Bytes: info.Size(), Time: info.ModTime(), Running: isLocked(path)})
	}
	return all
}

// IsPartial reports whether a path is named like a partial file: it ends in a dot, 8
// hexadecimal digits and ".partial".
func IsPartial(path string) bool {
	name := filepath.Base(path)
	stem, ok := strings.CutSuffix(name, partialSuffix)
	dot := len(stem) - randomDigits - 1
	if !ok || dot < 0 || stem[dot] != '.' {
		return false
	}
	_, err := hex.DecodeString(stem[dot+1:])
	return err == nil
}

// isLocked reports whether a process holds the lock of the partial file at path and so is writing it. It
// tries to take the lock itself. The kernel releases a lock when its process ends in any way.
func isLocked(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}
