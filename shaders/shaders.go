// Package shaders holds the GLSL files of the tile stage, of the comparison of regions and of a check of
// drivers, and joins them to complete compute shaders. The tile stage sums or draws pictures. The comparison
// measures areas and distances of two regions. The check counts how many iterations of a loop a driver
// runs. In: a variant of the first or a stage of the second. Out: the source of a compute shader. It makes
// no GL calls. A file that computes names its twin in plain Go, which gives the same integers.
package shaders

import (
	"embed"
	"strings"
)

//go:embed *.glsl
var files embed.FS

// Loops is the complete shader that counts how many iterations of a loop a driver runs, because
// some drivers end loops early.
//
//go:embed loops.glsl
var Loops string

// Variant is a variant of the tile stage: what it writes and which features it has. Simpler
// variants are faster.
type Variant uint8

const (
	// Plain sums one set of opaque paints that have coverage masks and lie inside the picture.
	Plain Variant = iota
	// Double is Plain for two sets of shapes, of which the second is painted first.
	Double
	// Full sums two sets and has every feature of a batch.Item.
	Full
	// Picture writes pixels instead of sums, with the same code as Full.
	Picture
)

// variants are the macros and the files of the variants.
var variants = [...]stage{
	Plain:   {"PLAIN", "coverage sums rows"},
	Double:  {"DOUBLE", "coverage sums rows"},
	Full:    {"FULL", "coverage pixel sums rows"},
	Picture: {"PICTURE", "coverage pixel picture rows"},
}

// String returns the macro that selects the variant.
func (v Variant) String() string { return variants[v].macro }

// Source returns the shader of a variant. With texture it reads records through texture buffers,
// which is faster on llvmpipe, else through storage buffers.
func Source(v Variant, texture bool) string {
	if texture {
		return variants[v].source("TEXTURE_BUFFERS")
	}
	return variants[v].source()
}

// Match is a stage of the comparison of two regions.
type Match uint8

// The stages in the order in which they run. A block is a square of 16 x 16 px.
const (
	Area    Match = iota // covered lengths of scan lines
	Mark                 // pixels that boundaries meet
	Seed                 // a pixel of each block
	Occupy               // which blocks have pixels
	Flood                // seeds spread over blocks (jump flooding)
	Bound                // how far the pixels of one region are at most from the other
	Search               // how far they are exactly
	Matches              // the number of stages
)

// matches are the macros and the files of the stages.
var matches = [Matches]stage{
	Area:   {"AREA", "match area"},
	Mark:   {"MARK", "match mark"},
	Seed:   {"SEED", "match block seed"},
	Occupy: {"OCCUPY", "match block occupy"},
	Flood:  {"FLOOD", "match block flood"},
	Bound:  {"BOUND", "match block distance"},
	Search: {"SEARCH", "match block distance"},
}

// String returns the macro that selects the stage.
func (m Match) String() string { return matches[m].macro }

// MatchSource returns the shader of a stage.
func MatchSource(m Match) string { return matches[m].source() }

// stage is a shader: the macro that selects its code, and the names of its files in order, separated by
// blanks and without ".glsl".
type stage struct{ macro, files string }

// source returns the GLSL text of a shader: the version of GLSL, then a definition of the shader's own macro
// and of further macros, then its files. It panics for a file that is not embedded.
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
