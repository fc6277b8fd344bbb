// Package rastertest reads what the reference browser was given to draw and what
// came of it, for the tests of the packages that draw the same: the cases of
// raster-vectors.json, and the SVG files that the editor exports of whole scenes. The editor is tldraw,
// and the reference browser is the Chromium that its pictures were made with. In: a test, which names the
// files of the folder with the reference data (package testdata). Out: paths with
// their paint, and the browser's pictures, as the alpha of each pixel or as files. Where the reference
// data is missing the test is skipped.
package rastertest

import (
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plumb/render/stroke"
	"plumb/render/vector"
	"plumb/render/vector/vectortest"
	"plumb/testdata"
)

// Vector is one case of raster-vectors.json.
type Vector struct {
	ID    string
	W, H  int
	Clip  *vector.Path // in px; nil for none
	Draws []Draw
	// Alpha is what the browser drew, W bytes in each of H rows.
	Alpha []byte
	// Chords are those of the only draw, where they are listed, in px: x0 y0 x1 y1.
	Chords [][4]float64
	// Outline is that of the only draw's stroke in px, a verb a line, where listed.
	Outline []string
}

// Draw is a path with its paint.
type Draw struct {
	Path         *vector.Path // in its own units; not to be changed
	M            vector.Matrix
	Fill, Stroke string // colours, "" for none
	Width        float32
	Dash         []float32
	Offset       float32
	Opacity      float64 // 0..1
}

// Filled is the path in px, a copy.
func (draw *Draw) Filled() *vector.Path {
	p := new(vector.Path)
	p.Append(draw.Path)
	p.Transform(draw.M)
	return p
}

// Stroked is the outline of the stroke in px. fine multiplies the resolution at which curves are
// approximated: 1 for that of the reference browser, more for an outline closer to the exact one.
func (draw *Draw) Stroked(fine float32) *vector.Path {
	var stroker stroke.Stroker
	var dasher stroke.Dasher
	resolution := stroke.Resolution(draw.M) * fine
	line, dashes, outline := draw.Path, new(vector.Path), new(vector.Path)
	if dashed := dasher.Dash(dashes, line, draw.Dash, draw.Offset, resolution); dashed {
		line = dashes
	}
	stroker.Outline(outline, line, draw.Width, resolution)
	outline.Transform(draw.M)
	return outline
}

// Vectors reads all cases of raster-vectors.json. It fails the test for a case whose alphas do not
// fit its size, and skips it without the reference data.
func Vectors(t testing.TB) []Vector {
	t.Helper()
	var file struct {
		Vectors []struct {
			ID, Clip string
			W, H     int
			Draws    []struct {
				D, Transform, Fill, Stroke string
				Width                      float32   `json:"stroke_width"`
				Dash                       []float32 `json:"dash"`
				Offset                     float32   `json:"dash_offset"`
				Opacity                    *float64
			}
			Alpha, Outline []string
			Chords         [][4]float64
		}
	}
	testdata.JSON(t, "tldraw/raster-vectors.json", &file)
	var out []Vector
	for _, v := range file.Vectors {
		alpha, err := hex.DecodeString(strings.Join(v.Alpha, ""))
		if err != nil || len(alpha) != v.W*v.H || len(v.Draws) == 0 {
			t.Fatalf("%s: %d draws, alphas of %d px, %v; want some, and %d", v.ID, len(v.Draws), len(alpha), err, v.W*v.H)
		}
		vector := Vector{ID: v.ID, W: v.W, H: v.H, Alpha: alpha, Chords: v.Chords, Outline: v.Outline}
		if v.Clip != "" {
			vector.Clip = Path(t, v.Clip)
		}
		for _, d := range v.Draws {
			opacity := 1.0
			if d.Opacity != nil {
				opacity = *d.Opacity
			}
			vector.Draws = append(vector.Draws, Draw{
				Path: Path(t, d.D), M: Matrix(t, d.Transform), Fill: colour(d.Fill), Stroke: colour(d.Stroke),
				Width: d.Width, Dash: d.Dash, Offset: d.Offset, Opacity: opacity,
			})
		}
		out = append(out, vector)
	}
	return out
}

// colour returns a paint of an SVG file, "" for "none", which paints nothing.
func colour(s string) string { return strings.TrimPrefix(s, "none") }

// Path parses SVG path data.
func Path(t testing.TB, d string) *vector.Path {
	t.Helper()
	path, err := vectortest.Parse(d)
	if err != nil {
		t.Fatalf("%.60q: %v", d, err)
	}
	return path
}

// Matrix parses a transform of the form matrix(a b c d e f); "" is the identity.
func Matrix(t testing.TB, text string) vector.Matrix {
	t.Helper()
	matrix := vector.Identity
	if text == "" {
		return matrix
	}
	_, err := fmt.Sscanf(strings.ReplaceAll(text, ",", " "), "matrix(%g %g %g %g %g %g)",
		&matrix.A, &matrix.B, &matrix.C, &matrix.D, &matrix.E, &matrix.F)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return matrix
}

// Export is what the editor's vector export of a scene draws.
type Export struct {
	ID      string
	Picture string // file of the browser's pixels
	Draws   []Draw
	// Defined says that paints or masks are defined in it, which Draws may name
	// but do not hold.
	Defined bool
}

// Exports reads the exports whose names begin with kind, but only those that consist of fills and
// strokes alone, with the file of the browser's picture of each. It fails the test if there is
// none, and skips it without the reference data.
func Exports(t testing.TB, kind string) []*Export {
	t.Helper()
	dir := filepath.Dir(testdata.Path(t, "tldraw/raster-vectors.json"))
	files, err := filepath.Glob(filepath.Join(dir, "svg", kind+"-*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*Export
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var root node
		if err := xml.Unmarshal(data, &root); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		export := &Export{ID: strings.TrimSuffix(filepath.Base(file), ".svg")}
		if !export.add(t, &root, style{m: vector.Identity, fill: "black", stroke: "none", width: "1"}) {
			continue
		}
		// A scene that a simulation moves, as in balance, has pictures from before and after it. The export is
		// that of the scene after it.
		export.Picture = filepath.Join(dir, "png", export.ID+"-after.png")
		if _, err := os.Stat(export.Picture); err != nil {
			export.Picture = filepath.Join(dir, "png", export.ID+".png")
		}
		out = append(out, export)
	}
	if len(out) == 0 {
		t.Fatalf("no export of kind %s", kind)
	}
	return out
}

// node is an element of an export.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
}

// attr returns an attribute of an exported picture's SVG element, or inherited, the value of the
// element around it, if it has none.
func (n *node) attr(name, inherited string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return inherited
}

// style is what children inherit.
type style struct {
	m                   vector.Matrix
	fill, stroke, width string
}

// add appends the draws of an element and its children to the export; style is what it
// inherits. It returns false if the element draws more than paths with fills and strokes.
// Definitions (defs) draw nothing: foreign ones only set export.Defined, and others do not matter. Dashes are
// not inherited, because the editor writes them on the path itself.
func (export *Export) add(t testing.TB, node *node, style style) bool {
	t.Helper()
	if node.XMLName.Local == "defs" {
		for i := range node.Nodes {
			export.Defined = export.Defined || foreign[node.Nodes[i].XMLName.Local]
		}
		return true
	}
	if foreign[node.XMLName.Local] || node.attr("opacity", "1") != "1" {
		return false
	}
	style.m = style.m.Mul(Matrix(t, node.attr("transform", "")))
	style.fill, style.stroke = node.attr("fill", style.fill), node.attr("stroke", style.stroke)
	style.width = node.attr("stroke-width", style.width)
	if node.XMLName.Local == "path" {
		draw := Draw{Path: Path(t, node.attr("d", "")), M: style.m, Fill: colour(style.fill), Stroke: colour(style.stroke),
			Width: number(t, style.width), Offset: number(t, node.attr("stroke-dashoffset", "0")), Opacity: 1}
		for _, f := range strings.Fields(node.attr("stroke-dasharray", "")) {
			draw.Dash = append(draw.Dash, number(t, f))
		}
		export.Draws = append(export.Draws, draw)
	}
	for i := range node.Nodes {
		if !export.add(t, &node.Nodes[i], style) {
			return false
		}
	}
	return true
}

// foreign are the elements that draw something else than paths, or change how
// paths are drawn, of those that the editor writes.
var foreign = map[string]bool{
	"mask": true, "pattern": true, "clipPath": true, "foreignObject": true,
	"rect": true, "image": true, "text": true, "line": true,
}

// number reads a number of an exported picture's SVG, or fails the test.
func number(t testing.TB, s string) float32 {
	t.Helper()
	value, err := strconv.ParseFloat(s, 32)
	if err != nil {
		t.Fatal(err)
	}
	return float32(value)
}
