//go:build fault

package gpu

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"plumb/render/batch"
)

// fault is what PLUMB_FAULT injects into a batch. See docs/spec/cli.md#r35.
type fault uint8

const (
	faultNone  fault = iota
	faultLoss        // context_loss@N: the driver reports a reset
	faultHang        // hang@N: the fence is never signalled
	faultStuck       // stuck@N: the device's thread does not come back from a call
)

// faults are the injections still to come. N counts the batches that the
// process sent to a device since PLUMB_FAULT was read, from 1, those that run
// again and heartbeats included.
var faults struct {
	mu     sync.Mutex
	loaded bool
	spec   string
	n      int
	at     map[int]fault
	poison int // poison@W: batches with a picture W px wide lose the context
}

// faultNames are the names of faults in PLUMB_FAULT. poison has no fault of its own: its number is not that of
// a batch but a width, see faults.poison.
var faultNames = map[string]fault{
	"context_loss": faultLoss, "hang": faultHang, "stuck": faultStuck, "poison": faultNone,
}

// loadFaults reads the faults to inject from the environment variable PLUMB_FAULT, a list of NAME@N: the N-th
// batch meets the fault. poison@W is kept apart: batches with a picture W px wide meet it. loadFaults parses
// the variable again only when it has changed. Names that this package does not have belong to other packages
// and are skipped.
func loadFaults() error {
	faults.mu.Lock()
	defer faults.mu.Unlock()
	spec := os.Getenv("PLUMB_FAULT")
	if faults.loaded && spec == faults.spec {
		return nil
	}
	faults.loaded, faults.spec, faults.n = false, spec, 0
	faults.at, faults.poison = map[int]fault{}, 0
	for _, one := range strings.Split(spec, ",") {
		name, at, _ := strings.Cut(one, "@")
		kind, ok := faultNames[name]
		if !ok {
			continue
		}
		n, err := strconv.Atoi(at)
		if err != nil || n < 1 {
			return fmt.Errorf("cannot read PLUMB_FAULT: got %q; want %s@N, N from 1", one, name)
		}
		if kind == faultNone { // the name poison: pictures of width n lose the context
			faults.poison = n
			continue
		}
		faults.at[n] = kind
	}
	faults.loaded = true
	return nil
}

// nextFault counts the batch and returns the fault that PLUMB_FAULT injects into it, if any: the one for that
// number, or the loss of the context if a picture has the width faults.poison, 0 for none.
func nextFault(b *batch.Batch) fault {
	faults.mu.Lock()
	defer faults.mu.Unlock()
	faults.n++
	if f := faults.at[faults.n]; f != faultNone {
		return f
	}
	if faults.poison == 0 {
		return faultNone
	}
	for _, r := range b.Runs[:b.ShaderRuns()] {
		if b.Pictures[r.Scene].Width == faults.poison {
			return faultLoss
		}
	}
	return faultNone
}
