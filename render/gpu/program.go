package gpu

import (
	"fmt"
	"strings"

	// The bindings of 4.3 and not of a later version: their Init fails where a
	// driver lacks any function of theirs. Newer entry points are optional there.
	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/batch"
	"plumb/shaders"
)

// variantOf is the variant that sums the runs of a class.
var variantOf = [batch.Classes]shaders.Variant{
	batch.Plain: shaders.Plain, batch.Double: shaders.Double, batch.Full: shaders.Full,
}

// variants is how many forms the tile stage has.
const variants = int(shaders.Picture) + 1

// program is one linked compute shader with its uniforms.
type program struct {
	id          uint32
	first, runs int32 // locations of uFirstRun and uRuns
}

// compile builds a compute shader of the tile stage, which must have the uniforms uFirstRun and
// uRuns.
func compile(name, source string) (program, error) {
	id, err := link(name, source)
	if err != nil {
		return program{}, err
	}
	p := program{id: id, first: location(id, "uFirstRun"), runs: location(id, "uRuns")}
	if p.first < 0 || p.runs < 0 {
		gl.DeleteProgram(id)
		return program{}, fmt.Errorf("cannot use shader %s: it has no uniform uFirstRun or uRuns", name)
	}
	return p, nil
}

// link compiles and links a compute program from its GLSL source and returns its id. If the driver refuses it,
// its log goes into the error. The caller deletes the program.
func link(name, source string) (uint32, error) {
	sh := gl.CreateShader(gl.COMPUTE_SHADER)
	defer gl.DeleteShader(sh)
	text, free := gl.Strs(source + "\x00")
	defer free()
	gl.ShaderSource(sh, 1, text, nil)
	gl.CompileShader(sh)
	var ok int32
	if gl.GetShaderiv(sh, gl.COMPILE_STATUS, &ok); ok == 0 {
		return 0, fmt.Errorf("cannot compile shader %s: %s", name, infoLog(sh, gl.GetShaderiv, gl.GetShaderInfoLog))
	}
	id := gl.CreateProgram()
	gl.AttachShader(id, sh)
	gl.LinkProgram(id)
	gl.DetachShader(id, sh)
	if gl.GetProgramiv(id, gl.LINK_STATUS, &ok); ok == 0 {
		text := infoLog(id, gl.GetProgramiv, gl.GetProgramInfoLog)
		gl.DeleteProgram(id)
		return 0, fmt.Errorf("cannot link shader %s: %s", name, text)
	}
	return id, nil
}

// location returns the location of a uniform, -1 if the program does not use it.
func location(id uint32, name string) int32 {
	text, free := gl.Strs(name + "\x00")
	defer free()
	return gl.GetUniformLocation(id, *text)
}

// infoLog returns the driver's log of the shader or program id. getLength and getText are the OpenGL functions
// that get the length of its log and the log.
func infoLog(id uint32, getLength func(uint32, uint32, *int32),
	getText func(uint32, int32, *int32, *uint8)) string {
	var n int32
	getLength(id, gl.INFO_LOG_LENGTH, &n)
	b := make([]byte, n+1) // never empty
	getText(id, n, nil, &b[0])
	return strings.TrimRight(string(b), "\x00\n")
}

// dispatch runs the program over the runs [first, first+count), runsPerGroup to a work group. groups is how
// many work groups the device takes in one dispatch; beyond that it makes several.
func (program program) dispatch(first, count, groups int) {
	if count == 0 {
		return
	}
	gl.UseProgram(program.id)
	most := groups * runsPerGroup
	for count > 0 {
		n := min(count, most)
		gl.Uniform1ui(program.first, uint32(first))
		gl.Uniform1ui(program.runs, uint32(n))
		gl.DispatchCompute(1, uint32((n+runsPerGroup-1)/runsPerGroup), 1)
		first, count = first+n, count-n
	}
}

// runsPerGroup is local_size_y of the tile stage.
const runsPerGroup = 8
