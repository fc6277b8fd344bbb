//go:build fault

package chrome

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// faults counts the exports that the process tried, from 1, repeated ones
// included. PLUMB_FAULT=chrome_kill@N kills the browser a moment after the N-th
// began; other names belong to other packages. See docs/spec/cli.md#r35.
var faults struct {
	mu sync.Mutex
	n  int
}

// injectFault counts a job that is about to run in browser b, for tests of crashes. If it is job N
// and the environment's PLUMB_FAULT holds chrome_kill@N, it kills the browser 2 ms later. The
// caller calls done after the job, which cancels a kill that has not happened yet.
func injectFault(b *browserInstance) (done func()) {
	faults.mu.Lock()
	faults.n++
	n := faults.n
	faults.mu.Unlock()
	for _, one := range strings.Split(os.Getenv("PLUMB_FAULT"), ",") {
		name, at, _ := strings.Cut(one, "@")
		if k, err := strconv.Atoi(at); err == nil && name == "chrome_kill" && k == n {
			t := time.AfterFunc(2*time.Millisecond, func() { b.kill("PLUMB_FAULT") })
			return func() { t.Stop() }
		}
	}
	return func() {}
}
