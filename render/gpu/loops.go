package gpu

import (
	"fmt"
	"unsafe"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/batch"
	"plumb/shaders"
)

// MaxIterations is the number of loop iterations with which a driver's limit is
// measured. llvmpipe ends the loops of a thread after 65,535 iterations in all, without
// an error; other drivers have no such limit.
const MaxIterations = 1 << 20

// Bounded reports whether the driver ends the loops of a thread after l.Iterations.
func (l Limits) Bounded() bool { return l.Iterations < MaxIterations }

// countIterations measures how many loop iterations a shader thread runs, at most MaxIterations: a shader
// counts them, and computes a value from the count, by which a wrong count is noticed. It must run on the
// device's thread.
func countIterations() (int, error) {
	id, err := link("LOOPS", shaders.Loops)
	if err != nil {
		return 0, err
	}
	defer gl.DeleteProgram(id)
	var out storageBuffer
	upload(&out, make([]uint32, 2)) // the count and the value
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
	count, value := got[0], got[1]
	want := uint32(1)
	for range min(count, MaxIterations) {
		want = want*1664525 + 1013904223 // a random generator, as in the shader
	}
	if count > MaxIterations || value != want {
		return 0, fmt.Errorf("cannot count iterations of a loop: after %d of %d the value is %#x; want %#x",
			count, MaxIterations, value, want)
	}
	return int(count), nil
}

// The iterations of the tile stage. An item takes one of each loop over items, pairs,
// rounding and clips, and one more of each of the last three where it has data. A tile
// takes one of its own and those that store its pixels.
const (
	itemIterations = 7
	tileIterations = 32
	// A driver that runs threads as a vector counts the iterations of all of them. A
	// vector of 16 threads holds two runs, whose tiles may differ.
	vectorRuns = 2
)

// items returns how many items a run may have so that a thread never exceeds the
// driver's limit, whatever the items are.
func (l *limits) items() int {
	return max(1, (l.iterations/vectorRuns-batch.RunTiles*tileIterations)/itemIterations)
}
