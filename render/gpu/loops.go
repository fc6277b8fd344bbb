package gpu

import (
	"fmt"
	"unsafe"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/batch"
	"plumb/shaders"
)

// MaxIterations is how many iterations of a loop a driver is asked for when its
// limit is measured. llvmpipe ends the loops of a thread after 65,535 iterations
// in all, without an error; other drivers run all that they are asked for.
const MaxIterations = 1 << 20

// Bounded says that the driver ends the loops of a thread after l.Iterations.
func (l Limits) Bounded() bool { return l.Iterations < MaxIterations }

// countIterations measures how many iterations of its loops a thread runs, at most
// MaxIterations, on the device's thread.
func countIterations() (int, error) {
	id, err := link("LOOPS", shaders.Loops)
	if err != nil {
		return 0, err
	}
	defer gl.DeleteProgram(id)
	var out plain
	fill(&out, make([]uint32, 2))
	defer gl.DeleteBuffers(1, &out.id)
	gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, 0, out.id)
	gl.UseProgram(id)
	gl.Uniform1ui(location(id, "uWanted"), MaxIterations)
	gl.DispatchCompute(1, 1, 1)
	gl.MemoryBarrier(gl.BUFFER_UPDATE_BARRIER_BIT)
	var got [2]uint32
	gl.GetBufferSubData(gl.SHADER_STORAGE_BUFFER, 0, int(unsafe.Sizeof(got)), unsafe.Pointer(&got))
	if err := glError("count iterations"); err != nil {
		return 0, err
	}
	want := uint32(1)
	for range min(got[0], MaxIterations) {
		want = want*1664525 + 1013904223
	}
	if got[0] > MaxIterations || got[1] != want {
		return 0, fmt.Errorf("cannot count iterations of a loop: after %d of %d the value is %#x; want %#x", got[0], MaxIterations, got[1], want)
	}
	return int(got[0]), nil
}

// How many iterations the tile stage takes: for an item one each of the loops over
// items, pairs, rounding and clips, and one more where each of the last three has
// something to do; for a tile its own and those that store its pixels.
const (
	itemIterations = 7
	tileIterations = 32
	// A driver that runs threads as a vector counts for all of them. A vector of 16
	// threads holds two runs, whose tiles may differ.
	vectorRuns = 2
)

// items returns the most items of a run for which the iterations of a thread
// suffice, whatever the items are.
func (l *limits) items() int {
	return max(1, (l.iterations/vectorRuns-batch.RunTiles*tileIterations)/itemIterations)
}
