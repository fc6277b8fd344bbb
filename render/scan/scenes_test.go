package scan

import (
	"encoding/xml"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plumb/render/chord"
	"plumb/render/path"
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

// fillPath is a path in px that is filled opaquely.
type fillPath struct {
	p     *path.Path
	black bool
	hatch bool // paint that is not opaque everywhere
}

// export lists the fills of an export.
type export struct {
	t     testing.TB
	fills []fillPath
	plain bool // only of what this test draws
}

func (e *export) walk(n *node, in style) {
	switch n.XMLName.Local {
	case "defs":
		return
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

func black(colour string) bool { return colour == "black" || colour == "#000" || colour == "#000000" }

func (e *export) path(n *node, in style) {
	src, _ := parse(e.t, n.attr("d", ""), "")
	if in.fill != "none" {
		p := new(path.Path)
		p.Append(src)
		p.Transform(in.m)
		e.fills = append(e.fills, fillPath{p, black(in.fill), strings.HasPrefix(in.fill, "url")})
	}
	if in.stroke == "none" {
		return
	}
	number := func(s string) float32 {
		v, err := strconv.ParseFloat(s, 32)
		if err != nil {
			e.t.Fatal(err)
		}
		return float32(v)
	}
	var dashes []float32
	for _, f := range strings.Fields(n.attr("stroke-dasharray", "")) {
		dashes = append(dashes, number(f))
	}
	p := outlineOf(src, in.m, number(in.width), dashes, number(n.attr("stroke-dashoffset", "0")))
	e.fills = append(e.fills, fillPath{p, black(in.stroke), false})
}

// loadExport returns the fills of an export, and whether they are all of it.
func loadExport(t testing.TB, file string) *export {
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := xml.Unmarshal(b, &root); err != nil {
		t.Fatal(err)
	}
	e := &export{t: t, plain: true}
	e.walk(&root, style{m: path.Identity, fill: "black", stroke: "none", width: "1"})
	return e
}

// scenes returns the exports that consist of fills and strokes alone, and their
// pictures.
func scenes(t testing.TB, kind string) (exports []*export, pictures []string) {
	dir := filepath.Dir(testdata.Path(t, "tldraw/raster-vectors.json"))
	files, err := filepath.Glob(filepath.Join(dir, "svg", kind+"-*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		e := loadExport(t, f)
		if !e.plain {
			continue
		}
		id := strings.TrimSuffix(filepath.Base(f), ".svg")
		p := filepath.Join(dir, "png", id+"-after.png")
		if _, err := os.Stat(p); err != nil {
			p = filepath.Join(dir, "png", id+".png")
		}
		exports, pictures = append(exports, e), append(pictures, p)
	}
	if len(exports) == 0 {
		t.Fatal("no scene was found")
	}
	return exports, pictures
}

// alphaOf reads a picture's alpha.
func alphaOf(t testing.TB, file string) *image {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	m := newImage(img.Bounds().Dx(), img.Bounds().Dy())
	for i := range m.a {
		a, _, _, _ := img.At(i%m.w, i/m.w).RGBA() // grey levels are alphas
		m.a[i] = byte(a >> 8)
	}
	return m
}

// paint draws all fills of the export on an empty picture.
// It returns the pixels where hatching has a part.
func (e *export) paint(s *Scanner, c *Coverage, m *image) (ignore map[int]bool) {
	ignore = map[int]bool{}
	clip := chord.Rect{X1: int32(m.w), Y1: int32(m.h)}
	for _, f := range e.fills {
		c.Reset()
		two := map[int]byte{}
		s.Pairs = func(x, y int32, a byte) { two[int(y)*m.w+int(x)] = a }
		first, count := s.Append(c, f.p, clip, Rule{Plain: f.black})
		spans(e.t, c, first, count, func(x, y int, a byte) {
			p := &m.a[y*m.w+x]
			if f.hatch {
				if a != 255 {
					ignore[y*m.w+x] = true
				}
				return
			}
			if b, ok := two[y*m.w+x]; ok && overTwo(0, b) == a {
				*p = overTwo(*p, b)
				return
			}
			*p = over(*p, a)
		})
	}
	return ignore
}

// score is how far scenes are from the browser's.
type score struct{ scenes, equal, wrong, worst int }

// held draws all exports and holds them against their pictures.
func held(t *testing.T, s *Scanner, exports []*export, pictures []string) (all score) {
	t.Helper()
	var c Coverage
	all.scenes = len(exports)
	for i, e := range exports {
		want := alphaOf(t, pictures[i])
		got := newImage(want.w, want.h)
		ignore := e.paint(s, &c, got)
		n, most := 0, 0
		for k, a := range want.a {
			if d := int(got.a[k]) - int(a); d != 0 && !ignore[k] {
				n++
				most = max(most, d, -d)
				if os.Getenv("PLUMB_ROWS") != "" {
					t.Logf("%s: (%d, %d): got %d; want %d", filepath.Base(pictures[i]), k%want.w, k/want.w, got.a[k], a)
				}
			}
		}
		if n == 0 {
			all.equal++
			continue
		}
		all.wrong += n
		all.worst = max(all.worst, most)
		if s.without == 0 {
			t.Logf("%s: %d pixels differ, by at most %d", filepath.Base(pictures[i]), n, most)
		}
	}
	return all
}

// Scenes of the real editor have the browser's alpha in every pixel, but for
// the last bits of some outlines.
func TestScenes(t *testing.T) {
	exports, pictures := scenes(t, "balance")
	var s Scanner
	all := held(t, &s, exports, pictures)
	t.Logf("%d of %d scenes are equal; %d pixels differ in the others, by at most %d", all.equal, all.scenes, all.wrong, all.worst)
	if 10*all.equal < 8*all.scenes || all.wrong > 2*all.scenes || all.worst > 10 {
		t.Errorf("got %d equal scenes of %d, %d pixels that differ, by at most %d; want 80 %%, 2 a scene, 10", all.equal, all.scenes, all.wrong, all.worst)
	}
}
