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
	glfwWindow              *glfw.Window
	program                 uint32
	texture                 uint32
	imageWidth, imageHeight int
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

// openWindow opens the window of the debug viewer for images of w x h px, with an OpenGL 4.3 context, and prepares
// the texture that holds the image. The window is at most as large as the screen; larger images are shown
// smaller.
func openWindow(w, h int) (*window, error) {
	if err := glfw.Init(); err != nil {
		return nil, fmt.Errorf("cannot open a window: %w", err)
	}
	glfw.WindowHint(glfw.ContextCreationAPI, glfw.EGLContextAPI)
	glfw.WindowHint(glfw.ContextVersionMajor, 4)
	glfw.WindowHint(glfw.ContextVersionMinor, 3)
	glfw.WindowHint(glfw.OpenGLProfile, glfw.OpenGLCoreProfile)
	if monitor := glfw.GetPrimaryMonitor(); monitor != nil {
		const leastWidth, leastHeight = 320, 240 // for screens that do not tell their size
		_, _, screenWidth, screenHeight := monitor.GetWorkarea()
		w, h = min(w, max(screenWidth, leastWidth)), min(h, max(screenHeight, leastHeight))
	}
	created, err := glfw.CreateWindow(w, h, "plumb", nil, nil)
	if err != nil {
		return nil, fmt.Errorf("cannot open a window: %w", err)
	}
	created.MakeContextCurrent()
	if err := gl.Init(); err != nil {
		return nil, fmt.Errorf("cannot load GL: %w", err)
	}
	opened := &window{glfwWindow: created}
	if opened.program, err = linkShaders(); err != nil {
		return nil, err
	}
	var array uint32
	gl.GenVertexArrays(1, &array)
	gl.BindVertexArray(array)
	gl.GenTextures(1, &opened.texture)
	gl.BindTexture(gl.TEXTURE_2D, opened.texture)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	return opened, nil
}

// linkShaders compiles and links the shaders that draw the image in the window, and returns the OpenGL program. The
// error has the first part of the driver's messages.
func linkShaders() (uint32, error) {
	program := gl.CreateProgram()
	for kind, source := range map[uint32]string{gl.VERTEX_SHADER: vertexSource, gl.FRAGMENT_SHADER: fragmentSource} {
		shader := gl.CreateShader(kind)
		text, free := gl.Strs(source)
		gl.ShaderSource(shader, 1, text, nil)
		free()
		gl.CompileShader(shader)
		gl.AttachShader(program, shader)
	}
	gl.LinkProgram(program)
	var ok int32
	if gl.GetProgramiv(program, gl.LINK_STATUS, &ok); ok == gl.FALSE {
		const size = 1024 // bytes
		messages := strings.Repeat("\x00", size)
		gl.GetProgramInfoLog(program, size-1, nil, gl.Str(messages))
		return 0, fmt.Errorf("cannot link the window's shader: %s", strings.TrimRight(messages, "\x00"))
	}
	return program, nil
}

// show uploads an image to the window's texture and draws it in the window with OpenGL.
func (o *window) show(img *image.RGBA) {
	o.imageWidth, o.imageHeight = img.Rect.Dx(), img.Rect.Dy()
	gl.BindTexture(gl.TEXTURE_2D, o.texture)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, int32(o.imageWidth), int32(o.imageHeight), 0, gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(img.Pix))
	o.draw()
	o.glfwWindow.SwapBuffers()
}

// draw draws the current image of the debug viewer with OpenGL, as large as fits into the window and in the
// middle of it.
func (o *window) draw() {
	width, height := o.glfwWindow.GetFramebufferSize()
	gl.Viewport(0, 0, int32(width), int32(height))
	gl.ClearColor(0.2, 0.2, 0.22, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	fit := min(float32(width)/float32(o.imageWidth), float32(height)/float32(o.imageHeight)) // px of the window for one of the image
	gl.UseProgram(o.program)
	scale := gl.GetUniformLocation(o.program, gl.Str("scale\x00")) // the shares of the window that the image takes
	gl.Uniform2f(scale, fit*float32(o.imageWidth)/float32(width), fit*float32(o.imageHeight)/float32(height))
	gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
	gl.Finish()
}

// pixels returns what the window shows, as an opaque image. It draws the image once more, because pixels
// that were swapped to the front of the window cannot be read on every system.
func (o *window) pixels() *image.RGBA {
	w, h := o.glfwWindow.GetFramebufferSize()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	flipped := make([]uint8, len(img.Pix))
	o.draw()
	gl.ReadBuffer(gl.BACK)
	gl.ReadPixels(0, 0, int32(w), int32(h), gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(flipped))
	for y := range h { // OpenGL's rows go from bottom to top
		copy(img.Pix[y*img.Stride:(y+1)*img.Stride], flipped[(h-1-y)*4*w:])
	}
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	return img
}
