//go:build view

package main

import (
	"fmt"
	"image"
	"strings"

	"github.com/go-gl/gl/v4.6-core/gl"
	"github.com/go-gl/glfw/v3.3/glfw"
)

// window shows one image, as large as fits, through a textured rectangle. Its
// context is made through EGL like the engine's: one process must not mix two GL
// stacks.
type window struct {
	window  *glfw.Window
	program uint32
	texture uint32
	w, h    int
}

const (
	vertexSource = `#version 430
out vec2 at;
uniform vec2 scale;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
	at = vec2(corner.x, 1.0 - corner.y);
	gl_Position = vec4((corner * 2.0 - 1.0) * scale, 0.0, 1.0);
}` + "\x00"
	fragmentSource = `#version 430
in vec2 at;
out vec4 colour;
uniform sampler2D picture;
void main() { colour = texture(picture, at); }` + "\x00"
)

// open opens a window with an OpenGL 4.3 context for images of w x h px, and prepares the texture that
// holds the image. Images larger than the screen are shown smaller.
func open(w, h int) (*window, error) {
	if err := glfw.Init(); err != nil {
		return nil, fmt.Errorf("cannot open a window: %w", err)
	}
	glfw.WindowHint(glfw.ContextCreationAPI, glfw.EGLContextAPI)
	glfw.WindowHint(glfw.ContextVersionMajor, 4)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	if m := glfw.GetPrimaryMonitor(); m != nil {
		_, _, sw, sh := m.GetWorkarea()
		w, h = min(w, max(sw, 320)), min(h, max(sh, 240))
	}
	win, err := glfw.CreateWindow(w, h, "plumb", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot open a window: %w", err)
	}
	win.MakeContextCurrent()
	if err := gl.Init(); err != nil {
		return nil, fmt.Errorf("cannot load GL: %w", err)
	}
	o := &window{window: win}
	if o.program, err = link(); err != nil {
		return nil, err
	}
	var array uint32
	gl.GenVertexArrays(1, &array)
	gl.BindVertexArray(array)
	gl.GenTextures(1, &o.texture)
	gl.BindTexture(gl.TEXTURE_2D, o.texture)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	return o, nil
}

// link compiles and links the shaders that draw the window's image.
func link() (uint32, error) {
	p := gl.CreateProgram()
	for kind, source := range map[uint32]string{gl.VERTEX_SHADER: vertexSource, gl.FRAGMENT_SHADER: fragmentSource} {
		s := gl.CreateShader(kind)
		text, free := gl.Strs(source)
		gl.ShaderSource(s, 1, text, nil)
		free()
		gl.CompileShader(s)
		gl.AttachShader(p, s)
	}
	gl.LinkProgram(p)
	var ok int32
	if gl.GetProgramiv(p, gl.LINK_STATUS, &ok); ok == gl.FALSE {
		buf := strings.Repeat("\x00", 1024)
		gl.GetProgramInfoLog(p, 1023, nil, gl.Str(buf))
		return 0, fmt.Errorf("cannot link the window's shader: %s", strings.TrimRight(buf, "\x00"))
	}
	return p, nil
}

// show draws an image in the window.
func (o *window) show(m *image.RGBA) {
	o.w, o.h = m.Rect.Dx(), m.Rect.Dy()
	gl.BindTexture(gl.TEXTURE_2D, o.texture)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, int32(o.w), int32(o.h), 0, gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(m.Pix))
	o.draw()
	o.window.SwapBuffers()
}

// draw draws the current image of the debug viewer, as large as fits into the window, with OpenGL.
func (o *window) draw() {
	fw, fh := o.window.GetFramebufferSize()
	gl.Viewport(0, 0, int32(fw), int32(fh))
	gl.ClearColor(0.2, 0.2, 0.22, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	k := min(float32(fw)/float32(o.w), float32(fh)/float32(o.h))
	gl.UseProgram(o.program)
	gl.Uniform2f(gl.GetUniformLocation(o.program, gl.Str("scale\x00")), k*float32(o.w)/float32(fw), k*float32(o.h)/float32(fh))
	gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
	gl.Finish()
}

// pixels returns what the window shows. It draws it once more, because pixels that were swapped to
// the front cannot be read everywhere.
func (o *window) pixels() *image.RGBA {
	w, h := o.window.GetFramebufferSize()
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	flipped := make([]uint8, len(m.Pix))
	o.draw()
	gl.ReadBuffer(gl.BACK)
	gl.ReadPixels(0, 0, int32(w), int32(h), gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(flipped))
	for y := range h { // GL's rows go up
		copy(m.Pix[y*m.Stride:(y+1)*m.Stride], flipped[(h-1-y)*4*w:])
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}
