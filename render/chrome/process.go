package chrome

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// process is an entry of the process table.
type process struct {
	pid    int
	zombie bool
	bytes  int64 // memory of its own: not shared with files
}

// browserProcesses returns the processes of a browser: those in its process group, and those with
// its profile folder in their command line, such as crash handlers in groups of their own.
func browserProcesses(group int, dir string) []process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() { // this program may be in the group, or name the folder, itself
			continue
		}
		pgrp, state, ok := processStat(pid)
		if !ok || pgrp != group && !commandLineContains(pid, dir) {
			continue
		}
		all = append(all, process{pid: pid, zombie: state == 'Z', bytes: ownMemory(pid)})
	}
	return all
}

// processStat returns the process group of a browser process and its state, such as 'Z' for a
// zombie. ok is false if there is no such process.
func processStat(pid int) (pgrp int, state byte, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// The program's name is in parentheses and may hold any character, also ')'. After it come the state,
	// the parent and the group.
	nameEnd := bytes.LastIndexByte(data, ')')
	fields := bytes.Fields(data[nameEnd+1:])
	if len(fields) < 3 {
		return 0, 0, false
	}
	pgrp, err = strconv.Atoi(string(fields[2]))
	return pgrp, fields[0][0], err == nil
}

// commandLineContains reports whether the command line of a process contains dir.
func commandLineContains(pid int, dir string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && bytes.Contains(b, []byte(dir))
}

// ownMemory returns how many bytes of memory a process holds for itself, without those that it shares with
// files, such as its program; 0 if the process is gone. The kernel gives kilobytes.
func ownMemory(pid int) int64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	var sum int64
	for _, key := range []string{"\nRssAnon:", "\nRssShmem:"} {
		_, rest, ok := bytes.Cut(data, []byte(key))
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

// killRemaining kills the remaining processes of a browser and waits until they are gone, for at
// most five seconds. It returns how many are left. It also collects zombies that this program has
// inherited, as the first process of a container does.
func killRemaining(group int, dir string) (left int) {
	const tries, pause = 250, 20 * time.Millisecond // five seconds
	for range tries {
		left = 0
		for _, process := range browserProcesses(group, dir) {
			if process.zombie {
				// A zombie does not count as left: it is collected here, or later by the process that
				// inherited it.
				var ws syscall.WaitStatus
				syscall.Wait4(process.pid, &ws, syscall.WNOHANG, nil)
				continue
			}
			left++
			syscall.Kill(process.pid, syscall.SIGKILL)
		}
		if left == 0 {
			return 0
		}
		time.Sleep(pause)
	}
	return left
}
