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
	jobs   []job
	edges  []region.Edge
	masks  []hostMasks
	bits   int // words
	blocks int
	places []int // place of each job in out
	out    []region.Sums

	threads [shaders.Matches]int // of the job that takes the most
	flood   int                  // the longest side in blocks
}

// hostMasks are two masks of one job that the host uploads.
type hostMasks struct {
	first int // word
	a, b  *region.Bits
}

// full reports whether a request does not fit into the batch any more, within most bytes of working memory on
// the device. An empty batch takes any request.
func (w *meterBatch) full(r *request, most int) bool {
	width, height, words := r.size()
	blocks := (width + block - 1) / block * ((height + block - 1) / block)
	// Both masks, 4 bytes a word, and three buffers of 4 bytes for each of their blocks.
	bytes := 4*(w.bits+2*words*height) + 12*(w.blocks+2*blocks)
	return len(w.jobs) > 0 && bytes > most || len(w.jobs) >= maxJobs
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

// add appends a pair of regions or masks to the batch as a job, and notes the threads that each stage needs
// for it. Its result belongs at that place of the output. Regions are uploaded as edges, of which the stages
// Area and Mark make masks; masks are uploaded as they are.
func (w *meterBatch) add(request *request, place int) {
	width, height, words := request.size()
	j := job{
		Width: uint32(width), Height: uint32(height), Words: uint32(words),
		Bits: uint32(w.bits), Blocks: uint32(w.blocks), Sum: uint32(4 * len(w.jobs)), // positions in buffers
		Across: uint32((width + block - 1) / block), Down: uint32((height + block - 1) / block),
	}
	if p := request.scene; p != nil {
		j.Shift = uint32(16 - bits.TrailingZeros(uint(p.Size)))
		j.Sides = uint32(len(w.edges))
		j.SidesT, j.SidesEnd = j.Sides+uint32(p.SidesU), j.Sides+uint32(len(p.Sides))
		w.edges = append(w.edges, p.Sides...)
		j.Segs = uint32(len(w.edges))
		j.SegsT, j.SegsEnd = j.Segs+uint32(p.SegsU), j.Segs+uint32(len(p.Segments))
		w.edges = append(w.edges, p.Segments...)
		w.needThreads(shaders.Area, region.Rows/linesPerThread)
		w.needThreads(shaders.Mark, 2*height*((words+3)/4))
	} else {
		w.masks = append(w.masks, hostMasks{w.bits, request.a, request.b})
	}
	blocks := 2 * int(j.Across*j.Down) // of both masks
	for s := shaders.Seed; s < shaders.Matches; s++ {
		w.needThreads(s, blocks)
	}
	w.flood = max(w.flood, int(j.Across), int(j.Down))
	w.bits += 2 * words * height
	w.blocks += blocks
	w.jobs = append(w.jobs, j)
	w.places = append(w.places, place)
}

// linesPerThread is LINES of shaders/match.glsl.
const linesPerThread = 4

// needThreads raises the number of threads that a stage runs for each job.
func (w *meterBatch) needThreads(s shaders.Match, threads int) {
	w.threads[s] = max(w.threads[s], threads)
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
func (b *storageBuffer) ensure(need int) {
	if b.id == 0 {
		gl.GenBuffers(1, &b.id)
	}
	gl.BindBuffer(gl.SHADER_STORAGE_BUFFER, b.id)
	if need > b.size || b.size == 0 {
		b.size = bufferSize(max(need, 1))
		gl.BufferData(gl.SHADER_STORAGE_BUFFER, b.size, nil, gl.STREAM_DRAW)
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
// jobs. The distances come from a jump flooding: in steps that halve, each block learns the nearest seed, by
// turns from one buffer into the other. It runs on the device's thread.
func (m *Meter) dispatch(meterBatch *meterBatch) ([]region.Sums, error) {
	upload(&m.buffers[bufJobs], meterBatch.jobs)
	upload(&m.buffers[bufEdges], meterBatch.edges)
	m.buffers[bufFrom].ensure(4 * meterBatch.blocks)
	m.buffers[bufTo].ensure(4 * meterBatch.blocks)
	m.buffers[bufSeeds].ensure(4 * meterBatch.blocks)
	m.buffers[bufBits].ensure(4 * meterBatch.bits)
	for _, k := range meterBatch.masks {
		for i, b := range [2]*region.Bits{k.a, k.b} {
			gl.BufferSubData(gl.SHADER_STORAGE_BUFFER, 4*(k.first+i*len(b.W)), 4*len(b.W),
				unsafe.Pointer(unsafe.SliceData(b.W)))
		}
	}
	sums := make([]region.Sums, len(meterBatch.jobs))
	upload(&m.buffers[bufSums], sums)
	for i := range m.buffers {
		gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, uint32(i), m.buffers[i].id)
	}
	m.stage(shaders.Area, meterBatch, 0)
	m.stage(shaders.Mark, meterBatch, 0)
	m.stage(shaders.Seed, meterBatch, 0)
	m.stage(shaders.Occupy, meterBatch, 0)
	from, to := m.buffers[bufFrom].id, m.buffers[bufTo].id
	swap := func() {
		from, to = to, from
		gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, bufFrom, from)
		gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, bufTo, to)
	}
	for step := 1 << bits.Len(uint(meterBatch.flood-1)) / 2; step >= 1; step /= 2 {
		m.stage(shaders.Flood, meterBatch, step)
		swap()
	}
	m.stage(shaders.Flood, meterBatch, 1) // once more: it corrects most of the errors of jump flooding
	swap()
	m.stage(shaders.Bound, meterBatch, 0)
	m.stage(shaders.Search, meterBatch, 0)
	gl.MemoryBarrier(gl.BUFFER_UPDATE_BARRIER_BIT)
	gl.BindBuffer(gl.SHADER_STORAGE_BUFFER, m.buffers[bufSums].id)
	gl.GetBufferSubData(gl.SHADER_STORAGE_BUFFER, 0, 16*len(sums), unsafe.Pointer(&sums[0]))
	return sums, glError("compare regions")
}

// stage runs one stage of the comparison over all jobs of a batch, if it has any threads to run, and makes
// what it wrote visible to the next. step is that of the stage Flood; others do not have it.
func (m *Meter) stage(s shaders.Match, w *meterBatch, step int) {
	if w.threads[s] == 0 {
		return
	}
	p := m.programs[s]
	gl.UseProgram(p.id)
	gl.Uniform1ui(p.first, 0)
	if p.step >= 0 {
		gl.Uniform1ui(p.step, uint32(step))
	}
	gl.DispatchCompute(uint32((w.threads[s]+63)/64), uint32(len(w.jobs)), 1) // 64 threads a group
	gl.MemoryBarrier(gl.SHADER_STORAGE_BARRIER_BIT)
}
