// Package shaders holds the GLSL of the tile stage and of the comparison of
// regions and puts their variants together. In: a variant. Out: a complete
// compute shader source. No GL here.
package shaders

import (
	_ "embed"
	"strings"
)

//go:embed tile.glsl
var tile string

// Loops is the complete shader that counts how many iterations of a loop a driver
// runs.
//
//go:embed loops.glsl
var Loops string

// Variant selects what the tile stage writes and how much it knows.
type Variant uint8

const (
	// Plain sums one set of opaque paints with masks; none of them leaves the
	// picture.
	Plain Variant = iota
	// Double is Plain for two sets, of which the second stands at the back.
	Double
	// Full sums two sets and knows everything an Item can say.
	Full
	// Picture writes pixels with the same code as Full.
	Picture
)

func (v Variant) String() string { return [...]string{"PLAIN", "DOUBLE", "FULL", "PICTURE"}[v] }

// Source returns the shader of a variant. With texture set, records are read
// through texture buffers (faster on llvmpipe), else through storage buffers.
func Source(v Variant, texture bool) string {
	head := []string{"#version 430 core", "#define " + v.String()}
	if texture {
		head = append(head, "#define TEXTURE_BUFFERS")
	}
	return strings.Join(head, "\n") + "\n" + tile
}
