// Package stroke turns lines with a width into outlines to be filled, as the
// reference browser does (reference-raster.md 2 and 3). In: a path in its own
// units, the width, dashes, and the resolution at which it will be seen. Out: a
// path in the same units that is filled with the non-zero rule. It refuses
// nothing: recursion and output are bounded, whatever the coordinates are.
package stroke

import (
	"plumb/render/path"
)

// Fine is the factor for Resolution at which outlines follow the true offset
// curve within 1/64 px instead of the browser's 1/4 px.
const Fine = 16

// Resolution is the px per unit of the map m that strokes and dashes are made
// for: the longer of its two columns.
func Resolution(m path.Matrix) float32 { return 1 }

// Stroker makes outlines of strokes with round caps and joins. It holds no
// result, only memory that is used again. The zero value is ready for use.
type Stroker struct{}

// Outline appends to dst the outline of src drawn with a pen of the given width
// (units of src, > 0). Fill it with the non-zero rule, all of it as one path.
// resolution is Resolution(m) for the map m from src's units to px, times Fine
// for outlines closer than the browser's. dst must not be src.
func (s *Stroker) Outline(dst, src *path.Path, width, resolution float32) {}

// Dasher cuts paths into dashes. It holds no result, only memory that is used
// again. The zero value is ready for use.
type Dasher struct{}

// Dash appends to dst the pieces of src that dashes (on, off, on, ...; units of
// src; an odd number counts twice) leave, beginning offset into the period, as
// open subpaths. It reports false and appends nothing where the browser ignores
// the dashes and draws a solid line: no dashes, a length that is negative or not
// finite, a sum of 0, or more than a million pieces. resolution is as for Outline.
func (d *Dasher) Dash(dst, src *path.Path, dashes []float32, offset, resolution float32) bool {
	return false
}
