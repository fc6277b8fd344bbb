package rig

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc, which Linux fixes at 1/100 s for programs.
const tick = 10 * time.Millisecond

// MachineBusyTime returns how long all processors of the machine together have worked since it started, for all
// processes and the kernel; 0 where the system does not say.
func MachineBusyTime() time.Duration {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(data), "\n")
	var sum time.Duration
	for i, field := range strings.Fields(line) {
		// The fields are: cpu user nice system idle iowait irq softirq steal, and the time of guests, which is
		// part of user. idle (4) and iowait (5) are no work.
		if i == 0 || i == 4 || i == 5 || i > 8 {
			continue
		}
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0
		}
		sum += time.Duration(n) * tick
	}
	return sum
}

// Processors returns how many processors MachineBusyTime counts.
func Processors() int { return runtime.NumCPU() }

// CoreTimeOf returns the processor time that the process with the number pid has taken so far, in steps of a
// tick; 0 if it has ended.
func CoreTimeOf(pid int) time.Duration {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The program's name, in brackets, may hold anything, so fields are counted after it.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11]) // utime and stime of proc(5)
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}
