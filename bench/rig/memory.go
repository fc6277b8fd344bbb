package rig

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Memory is the memory of a process in bytes, 0 where the process has ended or the system does not tell.
type Memory struct {
	Resident int64 // now, with pages of files
	Own      int64 // now, without pages of files
	Peak     int64 // the largest Resident so far
}

// MemoryOf returns how much memory the process with the number pid holds and has held, as the system says in
// /proc/PID/status. All figures of a process that has ended are 0.
func MemoryOf(pid int) Memory {
	var memory Memory
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory
	}
	rows := map[string]*int64{"VmRSS:": &memory.Resident, "RssAnon:": &memory.Own, "VmHWM:": &memory.Peak}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line) // such as "VmRSS:", "1234", "kB"
		if len(fields) < 2 || rows[fields[0]] == nil {
			continue
		}
		kib, _ := strconv.ParseInt(fields[1], 10, 64)
		*rows[fields[0]] = kib << 10
	}
	return memory
}
