package gpu

import (
	"math/bits"
	"unsafe"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/region"
	"plumb/shaders"
)

// meterBatch is what a Meter sends to the device at once, as the shader reads it.
type meterBatch struct {
	jobs      []job
	edges     []region.Edge
	masks     []hostMasks
	maskWords int   // words of all bit masks
	blocks    int   // squares of block px of all bit masks
	places    []int // place of each job in out
	out       []region.Sums

	threads     [shaders.Matches]int // per stage: threads of the job that takes the most
	longestSide int                  // the longest side of a mask, in blocks
}

// hostMasks are two masks of one job that the host uploads.
type hostMasks struct {
	firstWord int
	a, b      *region.Bits
}

// full reports whether a request does not fit into the batch any more: the batch may take that many bytes of
// working memory on the device, and has room for maxJobs. An empty batch takes any request.
func (batch *meterBatch) full(r *request, mostBytes int) bool {
	width, height, words := r.size()
	blocks := (width + block - 1) / block * ((height + block - 1) / block)
	// Both masks, 4 bytes a word, and three buffers of 4 bytes for each of their blocks.
	bytes := 4*(batch.maskWords+2*words*height) + 12*(batch.blocks+2*blocks)
	return len(batch.jobs) > 0 && bytes > mostBytes || len(batch.jobs) >= maxJobs
}

// maxJobs bounds a batch below the number of work groups that every device takes in one dimension.
const maxJobs = 32768

// size returns the width and height in px, and the words of a row, of the request's bit masks.
func (r *request) size() (width, height, words int) {
	if r.scene != nil {
		return r.scene.Size, r.scene.Size, (r.scene.Size + 31) / 32
	}
	return r.a.Width, r.a.Height, r.a.Words
}

// add appends a pair of regions or masks to the batch as a job, and records the threads that each stage of the
// shader needs for it. place is where its result belongs in the output. Regions are uploaded as edges, of which
// the stages Area and Mark make masks; masks are uploaded as they are.
func (batch *meterBatch) add(request *request, place int) {
	width, height, words := request.size()
	j := job{
		Width: uint32(width), Height: uint32(height), Words: uint32(words),
		Bits: uint32(batch.maskWords), Blocks: uint32(batch.blocks), Sum: uint32(4 * len(batch.jobs)), // positions in buffers
		Across: uint32((width + block - 1) / block), Down: uint32((height + block - 1) / block),
	}
	if packed := request.scene; packed != nil {
		j.Shift = uint32(16 - bits.TrailingZeros(uint(packed.Size))) // from 16 bits of a coordinate to a pixel
		j.Sides = uint32(len(batch.edges))
		j.SidesT, j.SidesEnd = j.Sides+uint32(packed.SidesU), j.Sides+uint32(len(packed.Sides))
		batch.edges = append(batch.edges, packed.Sides...)
		j.Segs = uint32(len(batch.edges))
		j.SegsT, j.SegsEnd = j.Segs+uint32(packed.SegsU), j.Segs+uint32(len(packed.Segments))
		batch.edges = append(batch.edges, packed.Segments...)
		batch.needThreads(shaders.Area, region.Rows/linesPerThread)
		batch.needThreads(shaders.Mark, 2*height*((words+3)/4)) // four words a thread, two masks
	} else {
		batch.masks = append(batch.masks, hostMasks{batch.maskWords, request.a, request.b})
	}
	blocks := 2 * int(j.Across*j.Down) // of both masks
	for s := shaders.Seed; s < shaders.Matches; s++ {
		batch.needThreads(s, blocks)
	}
	batch.longestSide = max(batch.longestSide, int(j.Across), int(j.Down))
	batch.maskWords += 2 * words * height
	batch.blocks += blocks
	batch.jobs = append(batch.jobs, j)
	batch.places = append(batch.places, place)
}

// linesPerThread is LINES of shaders/match.glsl.
const linesPerThread = 4

// needThreads raises the number of threads that a stage runs for each job.
func (batch *meterBatch) needThreads(s shaders.Match, threads int) {
	batch.threads[s] = max(batch.threads[s], threads)
}

// The storage buffers by their binding points.
const (
	bufJobs = iota
	bufEdges
	bufBits
	bufFrom
	bufTo
	bufSums
	bufSeeds
	bufferCount
)

// storageBuffer is a buffer object without a mapping.
type storageBuffer struct {
	id   uint32
	size int
}

// ensure makes the device buffer at least need bytes large and binds it; its content is lost when it grows.
func (buffer *storageBuffer) ensure(need int) {
	if buffer.id == 0 {
		gl.GenBuffers(1, &buffer.id)
	}
	gl.BindBuffer(gl.SHADER_STORAGE_BUFFER, buffer.id)
	if need > buffer.size || buffer.size == 0 {
		buffer.size = bufferSize(max(need, 1))
		gl.BufferData(gl.SHADER_STORAGE_BUFFER, buffer.size, nil, gl.STREAM_DRAW)
	}
}

// upload copies a list to the start of a buffer of the device.
func upload[T any](b *storageBuffer, list []T) {
	n := len(list) * int(unsafe.Sizeof(*new(T)))
	b.ensure(n)
	if n > 0 {
		gl.BufferSubData(gl.SHADER_STORAGE_BUFFER, 0, n, unsafe.Pointer(unsafe.SliceData(list)))
	}
}

// dispatch uploads a batch, runs all stages of the comparison over it, waits, and returns the sums of its
// jobs. The distances come from jump flooding: each block of pixels learns the nearest covered pixel from
// blocks that lie a step away, and steps halve from half the picture to one block. It runs on the device's
// thread.
func (meter *Meter) dispatch(meterBatch *meterBatch) ([]region.Sums, error) {
	// The buffers, by their binding points.
	upload(&meter.buffers[bufJobs], meterBatch.jobs)
	upload(&meter.buffers[bufEdges], meterBatch.edges)
	meter.buffers[bufFrom].ensure(4 * meterBatch.blocks)
	meter.buffers[bufTo].ensure(4 * meterBatch.blocks)
	meter.buffers[bufSeeds].ensure(4 * meterBatch.blocks)
	meter.buffers[bufBits].ensure(4 * meterBatch.maskWords)
	for _, k := range meterBatch.masks {
		for i, b := range [2]*region.Bits{k.a, k.b} {
			gl.BufferSubData(gl.SHADER_STORAGE_BUFFER, 4*(k.firstWord+i*len(b.W)), 4*len(b.W),
				unsafe.Pointer(unsafe.SliceData(b.W)))
		}
	}
	sums := make([]region.Sums, len(meterBatch.jobs))
	upload(&meter.buffers[bufSums], sums)
	for i := range meter.buffers {
		gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, uint32(i), meter.buffers[i].id)
	}
	// The stages. Only Flood has a step.
	meter.runStage(shaders.Area, meterBatch, 0)
	meter.runStage(shaders.Mark, meterBatch, 0)
	meter.runStage(shaders.Seed, meterBatch, 0)
	meter.runStage(shaders.Occupy, meterBatch, 0)
	from, to := meter.buffers[bufFrom].id, meter.buffers[bufTo].id
	swap := func() { // what a flooding wrote is what the next one reads
		from, to = to, from
		gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, bufFrom, from)
		gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, bufTo, to)
	}
	for step := 1 << bits.Len(uint(meterBatch.longestSide-1)) / 2; step >= 1; step /= 2 {
		meter.runStage(shaders.Flood, meterBatch, step)
		swap()
	}
	meter.runStage(shaders.Flood, meterBatch, 1) // once more: it corrects most of the errors of jump flooding
	swap()
	meter.runStage(shaders.Bound, meterBatch, 0)
	meter.runStage(shaders.Search, meterBatch, 0)
	gl.MemoryBarrier(gl.BUFFER_UPDATE_BARRIER_BIT)
	gl.BindBuffer(gl.SHADER_STORAGE_BUFFER, meter.buffers[bufSums].id)
	gl.GetBufferSubData(gl.SHADER_STORAGE_BUFFER, 0, 16*len(sums), unsafe.Pointer(&sums[0]))
	return sums, glError("compare regions")
}

// runStage runs one stage of the comparison over all jobs of a batch, if it has any threads to run, and makes
// what it wrote visible to the next. step is that of the stage Flood; others do not have it.
func (meter *Meter) runStage(match shaders.Match, batch *meterBatch, step int) {
	if batch.threads[match] == 0 {
		return
	}
	stage := meter.programs[match]
	gl.UseProgram(stage.id)
	gl.Uniform1ui(stage.first, 0)
	if stage.step >= 0 {
		gl.Uniform1ui(stage.step, uint32(step))
	}
	const threadsPerGroup = 64 // as the shader says
	groups := (batch.threads[match] + threadsPerGroup - 1) / threadsPerGroup
	gl.DispatchCompute(uint32(groups), uint32(len(batch.jobs)), 1)
	gl.MemoryBarrier(gl.SHADER_STORAGE_BARRIER_BIT)
}
