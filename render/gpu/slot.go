package gpu

import (
	"fmt"
	"math/bits"
	"time"
	"unsafe"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/shaders"
)

// slot is the device memory of one batch in flight: buffers for upload and download, and the fence
// after its commands. All methods but write run on the device's thread.
type slot struct {
	engine       *engine
	hostInput    buffer // input, as the host writes it
	shaderInput  buffer // input, as shaders read it; unused where shaders read hostInput itself
	shaderOutput buffer // output, as shaders write it
	hostOutput   buffer // output, as the host reads it; unused where the host reads shaderOutput itself

	textures     [inputs]uint32
	offsets      [inputs]int // of the sections
	sizes        [inputs]int // bytes
	fence        uintptr
	queries      [steps]uint32
	queryPending [steps]bool // queries in flight
	haveResults  bool        // the results are in
	resultBytes  []byte      // the results, where the output is not mapped
	startedAt    time.Time   // of the part
	queuedAt     time.Time   // when its fence stood in the queue
	timing       Timing      // of the part
}

// buffer is one buffer object; mapped is its memory if it is persistently mapped.
type buffer struct {
	id     uint32
	size   int
	mapped []byte
}

// minBufferBytes is the least size of a buffer; larger sizes are powers of two.
const minBufferBytes = 64 << 10

// bufferSize returns the size to allocate for need bytes.
func bufferSize(need int) int { return max(minBufferBytes, 1<<bits.Len(uint(need-1))) }

// The flags of the persistent mappings of the buffers that the host writes and reads. The other buffers are
// not mapped.
const (
	flagsHostWrites = gl.MAP_WRITE_BIT | gl.MAP_PERSISTENT_BIT | gl.MAP_COHERENT_BIT
	flagsHostReads  = gl.MAP_READ_BIT | gl.MAP_PERSISTENT_BIT | gl.MAP_COHERENT_BIT
)

// ensure makes the buffer at least need bytes large; its content is lost when it grows. flags are those of a
// persistent mapping, 0 for memory that the host does not map. usage is OpenGL's hint for how the buffer is
// used, for drivers that cannot map it for good. Errors wrap ErrCapacity where memory is short, or where more
// is asked for than a slot may take: NVIDIA's driver grants buffers of any size, larger than its memory too.
func (buffer *buffer) ensure(engine *engine, need int, flags, usage uint32) error {
	if need <= buffer.size {
		return nil
	}
	if most := engine.limits.slotBytes + slack; need > most {
		return fmt.Errorf("cannot grow buffer to %d bytes; slots may take %d: %w", need, most, ErrCapacity)
	}
	// Replace the buffer by a larger one. With flags it is mapped for the host, for as long as it lives.
	buffer.free(engine)
	size := bufferSize(need)
	gl.GenBuffers(1, &buffer.id)
	gl.BindBuffer(gl.COPY_WRITE_BUFFER, buffer.id)
	if !engine.mapped {
		gl.BufferData(gl.COPY_WRITE_BUFFER, size, nil, usage)
	} else {
		gl.BufferStorage(gl.COPY_WRITE_BUFFER, size, nil, flags)
		if flags != 0 {
			if p := gl.MapBufferRange(gl.COPY_WRITE_BUFFER, 0, size, flags); p != nil {
				buffer.mapped = unsafe.Slice((*byte)(p), size)
			}
		}
	}
	// See whether that worked.
	err := glError("allocate buffer")
	if err == nil && engine.mapped && flags != 0 && buffer.mapped == nil {
		err = fmt.Errorf("cannot map buffer: %w", ErrCapacity)
	}
	if err != nil {
		buffer.free(engine)
		return fmt.Errorf("cannot grow buffer to %d bytes; %d are needed, slots may take %d: %w",
			size, need, engine.limits.slotBytes, err)
	}
	buffer.size = size
	engine.memory.Add(int64(size))
	return nil
}

// free deletes the buffer of the device, which also unmaps it.
func (b *buffer) free(engine *engine) {
	if b.id != 0 {
		gl.DeleteBuffers(1, &b.id)
	}
	engine.memory.Add(-int64(b.size))
	*b = buffer{}
}

// textureRangeSize rounds the size of a texture range in bytes up to an odd multiple of 32 KiB, to avoid a
// fault of a driver. llvmpipe of Mesa 22.3 takes bits 8 to 15 of a range's size for the last mip level, and
// compiles a program anew, in about 100 ms, for each set of textures in which they are zero. With this
// rounding they never are. Ranges may reach into later sections, or into the slack after the last one.
func textureRangeSize(size int) int {
	const step = 64 << 10 // two times 32 KiB
	return (size+step/2-1)/step*step + step/2
}

// slack is the most that textureRangeSize adds.
const slack = 64 << 10

// layout sets the offsets and sizes of the sections of a piece and returns the bytes to upload; the
// buffer must be slack bytes larger. Each section begins where the device lets a texture or
// storage range begin, and has at least one texel, since ranges may not be empty.
func (slot *slot) layout(p *piece) int {
	align := slot.engine.limits.align
	end := 0
	for i, n := range p.sizes() {
		slot.offsets[i], slot.sizes[i] = end, n
		end += (max(n, texel) + align - 1) / align * align
	}
	return end
}

// grow makes the slot's buffers large enough for the upload and the results of a piece: two, which host and
// shaders share, or four where the device has memory of its own.
func (slot *slot) grow(upBytes, outBytes int) error {
	engine := slot.engine
	upBytes += slack
	if engine.direct {
		if err := slot.hostInput.ensure(engine, upBytes, flagsHostWrites, gl.STREAM_DRAW); err != nil {
			return err
		}
		return slot.shaderOutput.ensure(engine, outBytes, flagsHostReads, gl.STREAM_READ)
	}
	if err := slot.hostInput.ensure(engine, upBytes, flagsHostWrites, gl.STREAM_DRAW); err != nil {
		return err
	}
	if err := slot.shaderInput.ensure(engine, upBytes, 0, gl.STREAM_COPY); err != nil {
		return err
	}
	if err := slot.shaderOutput.ensure(engine, outBytes, 0, gl.STREAM_COPY); err != nil {
		return err
	}
	return slot.hostOutput.ensure(engine, outBytes, flagsHostReads, gl.STREAM_READ)
}

// hasRoom reports whether the slot's buffers are large enough for the upload and the results of a
// piece.
func (slot *slot) hasRoom(upBytes, outBytes int) bool {
	upBytes += slack
	if upBytes > slot.hostInput.size || outBytes > slot.shaderOutput.size {
		return false
	}
	return slot.engine.direct || upBytes <= slot.shaderInput.size && outBytes <= slot.hostOutput.size
}

// input returns the buffer that shaders read: the upload buffer itself, or its copy on a device
// with memory of its own.
func (slot *slot) input() *buffer {
	if slot.engine.direct {
		return &slot.hostInput
	}
	return &slot.shaderInput
}

// result returns the buffer from which the host reads results: what the shaders wrote, or its copy
// where the device has memory of its own.
func (slot *slot) result() *buffer {
	if slot.engine.direct {
		return &slot.shaderOutput
	}
	return &slot.hostOutput
}

// write copies the piece into the mapped upload buffer, on the caller's thread, and notes the time.
func (slot *slot) write(p *piece) {
	begin := time.Now()
	slot.eachSection(p, func(at int, b []byte) { copy(slot.hostInput.mapped[at:], b) })
	slot.timing.CopyIn = time.Since(begin)
}

// eachSection calls f with every part of the upload and its offset in the buffer; empty parts are left out.
// The masks are several lists, one after the other in their section.
func (slot *slot) eachSection(piece *piece, f func(at int, b []byte)) {
	pos := slot.offsets[inMasks]
	for _, records := range piece.masks {
		if b := bytesOf(records); len(b) > 0 {
			f(pos, b)
			pos += len(b)
		}
	}
	for i, b := range piece.sectionsAfterMasks() {
		if len(b) > 0 {
			f(slot.offsets[inMasks+1+i], b)
		}
	}
}

// submit queues the upload, the dispatches and the read-back of a piece, and a fence after them, and does not
// wait for them. total is the bytes of the upload. Without mapped memory the driver copies the upload; with it,
// write has put it there. If the shaders read and write host memory (direct), nothing is transferred.
func (slot *slot) submit(piece *piece, total int) error {
	engine := slot.engine
	if !engine.mapped {
		begin := time.Now()
		gl.BindBuffer(gl.COPY_WRITE_BUFFER, slot.hostInput.id)
		slot.eachSection(piece, func(at int, b []byte) {
			gl.BufferSubData(gl.COPY_WRITE_BUFFER, at, len(b), unsafe.Pointer(&b[0]))
		})
		slot.timing.CopyIn = time.Since(begin)
	}
	if !engine.direct {
		slot.timed(stepUpload, func() { transfer(&slot.hostInput, &slot.shaderInput, total) })
	}
	slot.bind(piece.outputBytes)
	if piece.isPicture {
		// All zero: shaders write only the pixels of runs.
		gl.ClearBufferSubData(gl.SHADER_STORAGE_BUFFER, gl.R32UI, 0, piece.outputBytes,
			gl.RED_INTEGER, gl.UNSIGNED_INT, nil)
	}
	slot.timed(stepDispatch, func() {
		if piece.isPicture {
			engine.programs[shaders.Picture].dispatch(0, len(piece.runs), engine.limits.workGroups)
			return
		}
		first := 0
		for class, variant := range variantOf {
			engine.programs[variant].dispatch(first, piece.ends[class]-first, engine.limits.workGroups)
			first = piece.ends[class]
		}
	})
	if engine.direct { // the host reads what the shaders wrote
		gl.MemoryBarrier(clientMappedBufferBarrier | gl.BUFFER_UPDATE_BARRIER_BIT)
	} else {
		gl.MemoryBarrier(gl.BUFFER_UPDATE_BARRIER_BIT)
		slot.timed(stepReadBack, func() { transfer(&slot.shaderOutput, &slot.hostOutput, piece.outputBytes) })
	}
	slot.fence = gl.FenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
	gl.Flush()
	slot.queuedAt = time.Now()
	return glError("run batch")
}

// clientMappedBufferBarrier is CLIENT_MAPPED_BUFFER_BARRIER_BIT of
// ARB_buffer_storage, which GL 4.3 bindings leave out. Without the extension
// drivers would refuse it.
const clientMappedBufferBarrier = 0x00004000

// bind attaches the sections of the upload to the shaders' binding points, as storage or as textures, and the
// output buffer to binding 0 of storage.
func (slot *slot) bind(outBytes int) {
	in := slot.input().id
	for i := range inputs {
		size := max(slot.sizes[i], texel)
		if slot.engine.limits.access == AccessStorage {
			gl.BindBufferRange(gl.SHADER_STORAGE_BUFFER, uint32(1+i), in, slot.offsets[i], size)
			continue
		}
		gl.ActiveTexture(gl.TEXTURE0 + uint32(i))
		gl.BindTexture(gl.TEXTURE_BUFFER, slot.textures[i])
		gl.TexBufferRange(gl.TEXTURE_BUFFER, gl.RGBA32UI, in, slot.offsets[i], textureRangeSize(size))
	}
	gl.BindBufferRange(gl.SHADER_STORAGE_BUFFER, 0, slot.shaderOutput.id, 0, outBytes)
}

// transfer copies n bytes from one buffer to another on the device.
func transfer(from, to *buffer, n int) {
	gl.BindBuffer(gl.COPY_READ_BUFFER, from.id)
	gl.BindBuffer(gl.COPY_WRITE_BUFFER, to.id)
	gl.CopyBufferSubData(gl.COPY_READ_BUFFER, gl.COPY_WRITE_BUFFER, 0, 0, n)
}

// timed runs f between two timer queries of the device. A software driver runs compute inside the
// call and its timers do not see it, so there the call itself is timed.
func (slot *slot) timed(step int, f func()) {
	if slot.engine.dev.Info().Software {
		begin := time.Now()
		f()
		*slot.timing.step(step) = time.Since(begin)
		return
	}
	if slot.queries[step] == 0 {
		gl.GenQueries(1, &slot.queries[step])
	}
	gl.BeginQuery(gl.TIME_ELAPSED, slot.queries[step])
	f()
	gl.EndQuery(gl.TIME_ELAPSED)
	slot.queryPending[step] = true
}

// poll waits for the fence, for at most wait, and reports whether it is signalled.
func (slot *slot) poll(wait time.Duration) (done bool, err error) {
	switch r := gl.ClientWaitSync(slot.fence, gl.SYNC_FLUSH_COMMANDS_BIT, uint64(wait)); r {
	case gl.ALREADY_SIGNALED, gl.CONDITION_SATISFIED:
		return true, nil
	case gl.TIMEOUT_EXPIRED:
		return false, nil
	default:
		return false, fmt.Errorf("cannot wait for fence: %w", errLost)
	}
}

// readResults deletes the fence, which must be signalled, reads the timer queries, and copies the output to
// slot.resultBytes if it is not mapped. Then slot.haveResults is set.
func (slot *slot) readResults() error {
	gl.DeleteSync(slot.fence)
	slot.fence = 0
	for i := range slot.queryPending {
		if slot.queryPending[i] {
			var ns uint64
			gl.GetQueryObjectui64v(slot.queries[i], gl.QUERY_RESULT, &ns)
			*slot.timing.step(i) = time.Duration(ns)
			slot.queryPending[i] = false
		}
	}
	if len(slot.resultBytes) > 0 {
		begin := time.Now()
		gl.BindBuffer(gl.COPY_READ_BUFFER, slot.result().id)
		gl.GetBufferSubData(gl.COPY_READ_BUFFER, 0, len(slot.resultBytes), unsafe.Pointer(&slot.resultBytes[0]))
		slot.timing.ReadBack += time.Since(begin)
	}
	slot.haveResults = true
	return glError("read results")
}

// discard drops the batch in flight, its fence and its queries, so that the slot can be used again.
func (slot *slot) discard() {
	if slot.fence != 0 {
		gl.DeleteSync(slot.fence)
	}
	slot.fence, slot.queryPending = 0, [steps]bool{}
}
