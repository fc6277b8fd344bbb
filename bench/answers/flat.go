package main

import (
	"errors"
	"fmt"

	"plumb/bench/rig"
	"plumb/bench/spawn"
)

// printMemory shows whether the memory of a daemon stays flat in a long run. It sends n different answers, 64 to
// a task, to a daemon with a small cache of pixel sums (tallies) and to one with a cache of the default size.
// At each tenth it prints what the cache holds and how much memory the process takes.
func printMemory(program string, n int) error {
	commit, err := rig.CommitOf(program)
	if err != nil {
		return err
	}
	fmt.Printf("# memory of a daemon while it scores different answers to balance tasks, 64 to each\n%s", rig.Header(commit))
	fmt.Printf("%-12s %10s %10s %12s %10s\n", "tally-cache", "answers", "pictures", "cache bytes", "RSS")
	for _, cache := range []string{"1MiB", "64MiB"} {
		if err := printMemoryWith(program, n, cache); err != nil {
			return fmt.Errorf("--tally-cache %s: %w", cache, err)
		}
	}
	return nil
}

// printMemoryWith scores n different answers with a cache of one size. At about each tenth of them it prints
// how many pictures the cache has entries for, the bytes of the cache, and the daemon's resident memory, which
// should become flat.
func printMemoryWith(program string, n int, cache string) (err error) {
	daemon, err := spawn.Start(program, append([]string{"--tally-cache", cache}, serveFlags...)...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.Close()) }()
	const step = 6400 // answers that are made and sent at a time
	const seed = 1
	for done := 0; done < n; {
		lines := make([][]byte, 0, step)
		for i := range min(step, n-done) {
			line, err := groupOf64.line(done+i, seed)
			if err != nil {
				return err
			}
			lines = append(lines, line)
		}
		if _, err := daemon.Score(lines); err != nil {
			return err
		}
		done += len(lines)
		tenths, tenthsBefore := 10*done/n, 10*(done-len(lines))/n
		if tenths == tenthsBefore { // these lines completed no tenth of the answers
			continue
		}
		entries, err := daemon.Metric("plumb_tally_cache_entries")
		if err != nil {
			return err
		}
		bytes, err := daemon.Metric("plumb_tally_cache_bytes")
		if err != nil {
			return err
		}
		fmt.Printf("%-12s %10d %10.0f %12.0f %7d MB\n", cache, done, entries, bytes, daemon.Memory().Resident/1e6)
	}
	return nil
}
