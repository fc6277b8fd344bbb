package chord

import (
	"encoding/xml"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plumb/render/path"
	"plumb/render/stroke"
	"plumb/testdata"
)

// node is an element of the editor's vector export.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
}

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
	m                   path.Matrix
	fill, stroke, width string
}

// export draws the editor's vector export through stroker and chords, each path
// as one union with exact area, and composites alphas.
type export struct {
	t     testing.TB
	p     *picture
	mode  Mode
	fine  float32
	c     Cutter
	s     stroke.Stroker
	d     stroke.Dasher
	count int
	plain bool // only of what this test draws
}

func (e *export) walk(n *node, in style) {
	switch n.XMLName.Local {
	case "mask", "pattern", "clipPath", "foreignObject", "rect", "image", "text", "line":
		e.plain = false
		return
	}
	if n.attr("opacity", "1") != "1" {
		e.plain = false
	}
	if s := n.attr("transform", ""); s != "" {
		_, m := parse(e.t, "", s)
		in.m = in.m.Mul(m)
	}
	in.fill, in.stroke = n.attr("fill", in.fill), n.attr("stroke", in.stroke)
	in.width = n.attr("stroke-width", in.width)
	if n.XMLName.Local == "path" {
		e.path(n, in)
	}
	for i := range n.Nodes {
		e.walk(&n.Nodes[i], in)
	}
}

func (e *export) path(n *node, in style) {
	src, _ := parse(e.t, n.attr("d", ""), "")
	if in.fill != "none" {
		p := new(path.Path)
		p.Append(src)
		e.fill(p, in.m)
	}
	if in.stroke == "none" {
		return
	}
	res := stroke.Resolution(in.m) * e.fine
	var dashes []float32
	for _, f := range strings.Fields(n.attr("stroke-dasharray", "")) {
		v, err := strconv.ParseFloat(f, 32)
		if err != nil {
			e.t.Fatal(err)
		}
		dashes = append(dashes, float32(v))
	}
	off, _ := strconv.ParseFloat(n.attr("stroke-dashoffset", "0"), 32)
	if q := new(path.Path); e.d.Dash(q, src, dashes, float32(off), res) {
		src = q
	}
	w, err := strconv.ParseFloat(in.width, 32)
	if err != nil {
		e.t.Fatal(err)
	}
	p := new(path.Path)
	e.s.Outline(p, src, float32(w), res)
	e.fill(p, in.m)
}

func (e *export) fill(p *path.Path, m path.Matrix) {
	p.Transform(m)
	segs := e.c.Append(nil, p, Rect{0, 0, int32(e.p.w), int32(e.p.h)}, e.mode)
	e.count += len(segs)
	if len(segs) == 0 {
		return
	}
	edges := segmentEdges(segs)
	x0, y0, x1, y1 := e.p.w, e.p.h, 0, 0
	for _, s := range edges {
		x0, x1 = min(x0, int(min(s.x0, s.x1))), max(x1, int(math.Ceil(max(s.x0, s.x1))))
		y0, y1 = min(y0, int(s.top())), max(y1, int(math.Ceil(max(s.y0, s.y1))))
	}
	for i := range edges {
		s := &edges[i]
		s.x0, s.x1, s.y0, s.y1 = s.x0-float64(x0), s.x1-float64(x0), s.y0-float64(y0), s.y1-float64(y0)
	}
	q := fill(edges, min(x1, e.p.w)-x0, min(y1, e.p.h)-y0, 32)
	for i, c := range q.a {
		a := &e.p.a[(y0+i/q.w)*e.p.w+x0+i%q.w]
		*a += (1 - *a) * c
	}
}

// drawExport returns the picture of one export, and whether all of it was drawn.
func drawExport(t testing.TB, file string, w, h int, mode Mode, fine float32) (*export, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := xml.Unmarshal(b, &root); err != nil {
		t.Fatal(err)
	}
	e := &export{t: t, p: newPicture(w, h), mode: mode, fine: fine, plain: true}
	e.walk(&root, style{m: path.Identity, fill: "black", stroke: "none", width: "1"})
	return e, e.plain
}

// compare returns the share of the picture's ink box within 2 of 255, and the
// distance of the centres in px.
func compare(t testing.TB, p *picture, file string) (near, centre float64) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	q := newPicture(p.w, p.h)
	var x0, y0, x1, y1 = p.w, p.h, 0, 0
	for y := range p.h {
		for x := range p.w {
			r, _, _, _ := img.At(x, y).RGBA()
			if q.a[y*p.w+x] = float64(r>>8) / 255; r > 0 {
				x0, x1, y0, y1 = min(x0, x), max(x1, x+1), min(y0, y), max(y1, y+1)
			}
		}
	}
	n := 0
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			if math.Abs(math.Round(255*p.a[y*p.w+x])-math.Round(255*q.a[y*p.w+x])) <= 2 {
				n++
			}
		}
	}
	_, ax, ay := p.sums()
	_, bx, by := q.sums()
	return float64(n) / float64((x1-x0)*(y1-y0)), math.Hypot(ax-bx, ay-by)
}

// Scenes of the real editor: chords in Reference mode, each path as one union of
// exact area, meet the figures of reference-raster.md 14 for this stage.
func TestScenes(t *testing.T) {
	dir := filepath.Dir(testdata.Path(t, "tldraw/raster-vectors.json"))
	files, err := filepath.Glob(filepath.Join(dir, "svg", "balance-*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	limit := 8
	if s := os.Getenv("PLUMB_SCENES"); s != "" {
		limit, _ = strconv.Atoi(s)
	}
	var nears, centres []float64
	for _, f := range files {
		if len(nears) == limit {
			break
		}
		e, plain := drawExport(t, f, 1400, 800, Reference, 1)
		if !plain {
			continue
		}
		id := strings.TrimSuffix(filepath.Base(f), ".svg")
		n, c := compare(t, e.p, filepath.Join(dir, "png", id+"-after.png"))
		t.Logf("%s: %d segments, %.3f %% within 2, centre %.4f px", id, e.count, 100*n, c)
		nears, centres = append(nears, n), append(centres, c)
	}
	if len(nears) == 0 {
		t.Fatal("no scene was compared")
	}
	slices.Sort(nears)
	slices.Sort(centres)
	k := len(nears) / 2
	t.Logf("within 2: min %.4f median %.4f; centre: median %.4f worst %.4f", nears[0], nears[k], centres[k], centres[len(centres)-1])
	if nears[0] < 0.997 || nears[k] < 0.998 || centres[k] > 0.03 || centres[len(centres)-1] > 0.12 {
		t.Errorf("within 2: got min %.4f median %.4f; want 0.9977 and 0.9987; centre: got median %.4f worst %.4f; want 0.012 and 0.095",
			nears[0], nears[k], centres[k], centres[len(centres)-1])
	}
}
