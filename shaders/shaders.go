// Package shaders holds the GLSL of the tile stage and of the comparison of regions, a file
// for each step, and puts stages together from them. In: a variant or a stage. Out: the
// complete source of a compute shader. It makes no GL calls. Each file names its twin in
// plain Go, which gives the same integers.
package shaders

import (
	"embed"
	"strings"
)

//go:embed *.glsl
var files embed.FS

// Loops is the complete shader that counts how many iterations of a loop a driver runs.
//
//go:embed loops.glsl
var Loops string

// Variant selects what the tile stage writes and which features it has.
type Variant uint8

const (
	// Plain sums one set of opaque paints with masks; none of them leaves the
	// picture.
	Plain Variant = iota
	// Double is Plain for two sets, of which the second stands at the back.
	Double
	// Full sums two sets and has every feature of an Item.
	Full
	// Picture writes pixels with the same code as Full.
	Picture
)

// variants are the macro and the files of each variant.
var variants = [...]stage{
	Plain:   {"PLAIN", "coverage sums rows"},
	Double:  {"DOUBLE", "coverage sums rows"},
	Full:    {"FULL", "coverage pixel sums rows"},
	Picture: {"PICTURE", "coverage pixel picture rows"},
}

func (v Variant) String() string { return variants[v].macro }

// Source returns the shader of a variant. With texture set, records are read
// through texture buffers (faster on llvmpipe), else through storage buffers.
func Source(v Variant, texture bool) string {
	if texture {
		return variants[v].source("TEXTURE_BUFFERS")
	}
	return variants[v].source()
}

// Match is a stage of the comparison of two regions, in the order in which they run.
type Match uint8

// The stages.
const (
	Area   Match = iota // covered lengths of scan lines
	Mark                // pixels that boundaries meet
	Seed                // a pixel of each block
	Occupy              // which blocks have pixels
	Flood               // seeds spread over blocks
	Bound               // how far pixels are at most
	Search              // how far they are
	Matches
)

// matches are the macro and the files of each stage.
var matches = [Matches]stage{
	Area:   {"AREA", "match area"},
	Mark:   {"MARK", "match mark"},
	Seed:   {"SEED", "match block seed"},
	Occupy: {"OCCUPY", "match block occupy"},
	Flood:  {"FLOOD", "match block flood"},
	Bound:  {"BOUND", "match block distance"},
	Search: {"SEARCH", "match block distance"},
}

func (m Match) String() string { return matches[m].macro }

// MatchSource returns the shader of a stage.
func MatchSource(m Match) string { return matches[m].source() }

// stage is a shader: the macro that selects it, and its files in order.
type stage struct{ macro, files string }

// source returns the files of a stage in order, after the version and the macros.
func (s stage) source(macros ...string) string {
	out := []string{"#version 430 core"}
	for _, m := range append([]string{s.macro}, macros...) {
		out = append(out, "#define "+m)
	}
	for name := range strings.FieldsSeq(s.files) {
		text, err := files.ReadFile(name + ".glsl")
		if err != nil {
			panic("BUG: " + err.Error())
		}
		out = append(out, string(text))
	}
	return strings.Join(out, "\n")
}
