package chrome

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// process is a line of the process table.
type process struct {
	pid    int
	zombie bool
	bytes  int64 // memory of its own: not shared with files
}

// family returns the processes of a browser: those in its process group, and
// those that name its profile folder, such as crash handlers in a group of
// their own.
func family(group int, dir string) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		pgrp, state, ok := stat(pid)
		if !ok || pgrp != group && !mentions(pid, dir) {
			continue
		}
		all = append(all, process{pid: pid, zombie: state == 'Z', bytes: ownMemory(pid)})
	}
	return all
}

// stat reads the group and the state of a process.
func stat(pid int) (pgrp int, state byte, ok bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The name is in parentheses and may hold anything; what follows does not.
	i := bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[i+1:])
	if len(f) < 3 {
		return 0, 0, false
	}
	pgrp, err = strconv.Atoi(string(f[2]))
	return pgrp, f[0][0], err == nil
}

func mentions(pid int, dir string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && bytes.Contains(b, []byte(dir))
}

// ownMemory returns the bytes that a process holds of memory that no file backs.
func ownMemory(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	var sum int64
	for _, key := range []string{"\nRssAnon:", "\nRssShmem:"} {
		_, rest, ok := bytes.Cut(b, []byte(key))
		if !ok {
			continue
		}
		if f := bytes.Fields(rest); len(f) > 0 {
			n, _ := strconv.ParseInt(string(f[0]), 10, 64)
			sum += n << 10
		}
	}
	return sum
}

// end kills what is left of a browser and waits until it is gone, at most five
// seconds. Where this program is the one that orphans fall to, as the first
// process of a container is, it also takes them off the process table.
func end(group int, dir string) (left int) {
	for range 250 {
		left = 0
		for _, p := range family(group, dir) {
			if p.zombie {
				var ws syscall.WaitStatus
				if n, _ := syscall.Wait4(p.pid, &ws, syscall.WNOHANG, nil); n != p.pid {
					continue // the process that inherited it will collect it
				}
				continue
			}
			left++
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
		if left == 0 {
			return 0
		}
		time.Sleep(20 * time.Millisecond)
	}
	return left
}
