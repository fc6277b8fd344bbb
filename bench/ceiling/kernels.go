package ceiling

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/bench/figure"
	"plumb/render/egl"
)

// loadGL initialises the GL bindings, which all contexts of the process share.
var loadGL = sync.OnceValue(func() error { return gl.InitWithProcAddrFunc(egl.ProcAddress) })

// kernels are the measurements on one device; all methods run on its thread.
type kernels struct {
	software    bool
	timePerPart time.Duration
	query       uint32
}

// measure measures what the graphics device can do at most: arithmetic, copies and the time of an empty
// dispatch. It must run on the thread of the OpenGL context.
func (k *kernels) measure(ceilings *Ceilings) error {
	if err := loadGL(); err != nil {
		return fmt.Errorf("cannot load GL functions: %w", err)
	}
	gl.GenQueries(1, &k.query)
	defer gl.DeleteQueries(1, &k.query)
	var err error
	if ceilings.DeviceOps, err = k.arithmeticRate(); err != nil {
		return err
	}
	k.measureCopies(ceilings)
	if ceilings.Dispatch, err = k.dispatchTime(); err != nil {
		return err
	}
	if code := gl.GetError(); code != gl.NO_ERROR {
		return fmt.Errorf("cannot measure device: GL error 0x%x", code)
	}
	return nil
}

// timed calls f, which gives work to the device, and returns how long the work took. The device's own timer
// measures that. A software device works inside of the calls, so there the clock does.
func (k *kernels) timed(f func()) time.Duration {
	if k.software {
		begin := time.Now()
		f()
		gl.Finish()
		return time.Since(begin)
	}
	gl.BeginQuery(gl.TIME_ELAPSED, k.query)
	f()
	gl.EndQuery(gl.TIME_ELAPSED)
	var ns uint64
	gl.GetQueryObjectui64v(k.query, gl.QUERY_RESULT, &ns)
	return time.Duration(max(ns, 1)) // not 0, by which rates cannot be divided
}

// arithmeticSource is a shader that multiplies and adds. It does so in sixteen chains that do not wait for
// each other, as the tile stage computes sixteen columns. The result is written and the factors are uniforms,
// so that no compiler can leave the work out.
const arithmeticSource = `#version 430
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Out { vec4 result[]; };
uniform vec2 factors;
uniform int steps;
void main() {
	vec4 a = vec4(gl_GlobalInvocationID.x), b = a + 1.0, c = a + 2.0, d = a + 3.0;
	for (int i = 0; i < steps; i++) {
		a = a * factors.x + factors.y; b = b * factors.x + factors.y;
		c = c * factors.x + factors.y; d = d * factors.x + factors.y;
		a = a * factors.x + factors.y; b = b * factors.x + factors.y;
		c = c * factors.x + factors.y; d = d * factors.x + factors.y;
	}
	result[gl_GlobalInvocationID.x] = a + b + c + d;
}
`

const emptySource = `#version 430
layout(local_size_x = 64) in;
void main() {}
`

// opsPerStep counts the multiplications and additions of one turn of the loop.
const opsPerStep = 2 * 8 * 4

// arithmeticRate returns how many float32 operations per second the device can do. It runs a compute shader with
// so many invocations that the device is busy for some milliseconds.
func (k *kernels) arithmeticRate() (float64, error) {
	const invocations, resultSize = 64, 16 // of a group; bytes of an invocation's result
	shader, err := buildProgram(arithmeticSource)
	if err != nil {
		return 0, err
	}
	defer gl.DeleteProgram(shader)
	groups, steps := 16384, 512 // of the dispatch; of the loop in each invocation
	if k.software {
		groups, steps = 64, 256 // a processor does less in the same time
	}
	var out uint32
	gl.GenBuffers(1, &out)
	defer gl.DeleteBuffers(1, &out)
	gl.BindBuffer(gl.SHADER_STORAGE_BUFFER, out)
	gl.BufferData(gl.SHADER_STORAGE_BUFFER, groups*invocations*resultSize, nil, gl.STREAM_COPY)
	gl.BindBufferBase(gl.SHADER_STORAGE_BUFFER, 0, out)
	gl.UseProgram(shader)
	gl.Uniform2f(location(shader, "factors"), 0.999, 0.001) // the numbers stay finite
	gl.Uniform1i(location(shader, "steps"), int32(steps))
	ops := float64(groups * invocations * steps * opsPerStep)
	return bestRate(k.timePerPart, func() float64 {
		return ops / k.timed(func() { gl.DispatchCompute(uint32(groups), 1, 1) }).Seconds()
	}), nil
}

// measureCopies measures how many bytes per second can be copied at most: from one buffer of the device to another
// (DeviceCopy), from the host's memory to the device (UploadRate), and back (ReadBackRate).
func (k *kernels) measureCopies(ceilings *Ceilings) {
	size := block
	if !k.software {
		size *= 4 // a graphics card is faster
	}
	var buffers [3]uint32
	gl.GenBuffers(3, &buffers[0])
	defer gl.DeleteBuffers(3, &buffers[0])
	for i, usage := range []uint32{gl.STATIC_COPY, gl.STATIC_COPY, gl.STREAM_DRAW} {
		gl.BindBuffer(gl.COPY_WRITE_BUFFER, buffers[i])
		gl.BufferData(gl.COPY_WRITE_BUFFER, size, nil, usage)
	}
	rate := func(from, to uint32) float64 {
		gl.BindBuffer(gl.COPY_READ_BUFFER, from)
		gl.BindBuffer(gl.COPY_WRITE_BUFFER, to)
		return bestRate(k.timePerPart, func() float64 {
			took := k.timed(func() { gl.CopyBufferSubData(gl.COPY_READ_BUFFER, gl.COPY_WRITE_BUFFER, 0, 0, size) })
			return float64(size) / took.Seconds()
		})
	}
	ceilings.DeviceCopy = rate(buffers[0], buffers[1])
	host := make([]byte, size)
	for i := 0; i < size; i += pageSize { // else the system would give the same page of zeros for all
		host[i] = 1
	}
	gl.BindBuffer(gl.COPY_WRITE_BUFFER, buffers[2])
	ceilings.UploadRate = bestRate(k.timePerPart, func() float64 {
		begin := time.Now()
		gl.BufferSubData(gl.COPY_WRITE_BUFFER, 0, size, unsafe.Pointer(&host[0]))
		gl.Finish()
		return float64(size) / time.Since(begin).Seconds()
	})
	ceilings.ReadBackRate = bestRate(k.timePerPart, func() float64 {
		begin := time.Now()
		gl.GetBufferSubData(gl.COPY_WRITE_BUFFER, 0, size, unsafe.Pointer(&host[0]))
		return float64(size) / time.Since(begin).Seconds()
	})
}

// dispatchTime returns the time in µs of the smallest piece of work on the device: the dispatch of one empty
// group of a compute shader, and the wait for its fence. It is the median of several.
func (k *kernels) dispatchTime() (float64, error) {
	const dispatches = 101
	shader, err := buildProgram(emptySource)
	if err != nil {
		return 0, err
	}
	defer gl.DeleteProgram(shader)
	gl.UseProgram(shader)
	var took []float64
	for range dispatches {
		begin := time.Now()
		gl.DispatchCompute(1, 1, 1)
		fence := gl.FenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0)
		state := gl.ClientWaitSync(fence, gl.SYNC_FLUSH_COMMANDS_BIT, uint64(10*time.Second))
		gl.DeleteSync(fence)
		if state != gl.ALREADY_SIGNALED && state != gl.CONDITION_SATISFIED {
			return 0, errors.New("cannot finish an empty dispatch in 10 s")
		}
		took = append(took, float64(time.Since(begin))/1e3)
	}
	return figure.Median(took), nil
}

// location returns the location of a uniform of program p.
func location(p uint32, name string) int32 {
	text, free := gl.Strs(name + "\x00")
	defer free()
	return gl.GetUniformLocation(p, *text)
}

// buildProgram compiles and links a compute shader from its source and returns the program, or an error
// with the compiler's message.
func buildProgram(source string) (uint32, error) {
	shader := gl.CreateShader(gl.COMPUTE_SHADER)
	defer gl.DeleteShader(shader)
	text, free := gl.Strs(source + "\x00")
	defer free()
	gl.ShaderSource(shader, 1, text, nil)
	gl.CompileShader(shader)
	linked := gl.CreateProgram()
	gl.AttachShader(linked, shader)
	gl.LinkProgram(linked)
	var ok int32
	if gl.GetProgramiv(linked, gl.LINK_STATUS, &ok); ok != 0 {
		return linked, nil
	}
	log := make([]byte, 1024)
	gl.GetShaderInfoLog(shader, int32(len(log)), nil, &log[0])
	gl.DeleteProgram(linked)
	return 0, fmt.Errorf("cannot build kernel: %s", strings.TrimRight(string(log), "\x00\n"))
}
