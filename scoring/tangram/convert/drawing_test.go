package convert

import (
	"errors"
	"math"
	"strings"
	"testing"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/generate"
	"plumb/scoring/tangram/splitmix"
)

func TestTransform(t *testing.T) {
	for _, c := range []struct {
		text string
		want Point // of (2, 1)
	}{
		{"", Point{2, 1}},
		{"matrix(1, 2, 3, 4, 5, 6)", Point{10, 14}},
		{"translate(3)", Point{5, 1}},
		{"translate(3 4), scale(2)", Point{7, 6}},
		{"scale(2) translate(3 4)", Point{10, 10}},
		{"scale(2,-1)", Point{4, -1}},
		{"rotate(90)", Point{-1, 2}},
		{"rotate(90 1 1)", Point{1, 2}},
		{"skewX(45)", Point{3, 1}},
		{" skewY(45) ", Point{2, 3}},
	} {
		m, err := parseTransform(c.text)
		if got := m.apply(Point{2, 1}); err != nil || got.distance(c.want) > 1e-12 {
			t.Errorf("%q: got %v, %v; want %v", c.text, got, err, c.want)
		}
	}
	for _, bad := range []string{"rotate", "rotate(", "rotate(x)", "rotate(1,2)", "spin(3)", "matrix(1 2 3)", "scale(1e99)", "scale(NaN)", ")("} {
		if _, err := parseTransform(bad); err == nil {
			t.Errorf("%q was read; want an error", bad)
		}
	}
}

func TestReadDrawing(t *testing.T) {
	for _, text := range []string{"[[0,0],[1,0],[2,0],[2,0],[0,2],[0,0]]", "[0,0,2,0,0,2]", "[[0],[0],[2],[0],[0],[2]]"} {
		d, err := ReadDrawing([]byte(`{"id":"a","polygons":[{"points":` + text + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if p := d.Polygons[0]; len(p) != 3 || area(p) != -2 { // y was flipped
			t.Errorf("%s: got %v; want a triangle of area 2, clockwise", text, p)
		}
	}
	for text, want := range map[string]string{
		`{`:               "cannot read drawing",
		`{"polygons":[]}`: "id",
		`{"id":"a","polygons":[{"points":[1,2,3]}]}`:                              "polygons[0].points: got 3",
		`{"id":"a","polygons":[{"points":[[1,2,3]]}]}`:                            "points[0]",
		`{"id":"a","polygons":[{"points":["x"]}]}`:                                "points[0]",
		`{"id":"a","polygons":[{"points":[1e9,0]}]}`:                              "at most 1e+06",
		`{"id":"a","polygons":[{"points":[1,2],"transform":"turn(3)"}]}`:          "transform",
		`{"id":"a","polygons":[{"points":[` + strings.Repeat("1,", 200) + `1]}]}`: "got 101 points; want at most 64",
	} {
		if _, err := ReadDrawing([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v; want an error with %q", text, err, want)
		}
	}
}

// TestMostPoints: a polygon has at most 64 points, as pairs, as numbers and as lists of one number.
func TestMostPoints(t *testing.T) {
	for _, c := range []struct {
		point, want string
	}{
		{"[1,2]", "polygons[0].points: got 65 points; want at most 64"},
		{"1,2", "polygons[0].points: got 65 points; want at most 64"},
		{"[1],[2]", "polygons[0].points: got 65 points; want at most 64"},
	} {
		drawing := func(n int) []byte {
			points := strings.TrimSuffix(strings.Repeat(c.point+",", n), ",")
			return []byte(`{"id":"a","polygons":[{"points":[` + points + `]}]}`)
		}
		if _, err := ReadDrawing(drawing(64)); err != nil {
			t.Errorf("64 times %s: got %v; want no error", c.point, err)
		}
		if _, err := ReadDrawing(drawing(65)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("65 times %s: got %v; want %q", c.point, err, c.want)
		}
	}
}

// drawn is an instance as a drawing: turned by an angle, scaled, mirrored
// vertically as SVG has it read, and each vertex off by up to noise.
func drawn(in *assembly.Instance, degrees, scale, noise float64) *Drawing {
	r := splitmix.New(in.ID)
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	d := &Drawing{ID: in.ID}
	for i := range in.Pieces {
		var poly []Point
		for _, v := range in.Pieces[(i*3)%assembly.Count] {
			x, y := v.Floats()
			x, y = x+noise*(2*r.Float()-1), y+noise*(2*r.Float()-1)
			poly = append(poly, Point{scale*(cos*x-sin*y) + 7, scale*(sin*x+cos*y) - 9})
		}
		d.Polygons = append(d.Polygons, poly)
	}
	return d
}

// TestConvertGenerated converts drawings of known instances: all results are valid and close to
// the drawing, and nearly all drawings convert.
func TestConvertGenerated(t *testing.T) {
	const n = 150
	made, equal := 0, 0
	for k := range n {
		in := generate.Instance(21, k)
		r, err := Convert(drawn(in, 17, 31, 0.01))
		if err != nil {
			continue
		}
		made++
		if r.Deviation > maxMove {
			t.Errorf("%s: moved by %g; want at most %g", in.ID, r.Deviation, maxMove)
		}
		if a := field.Area(r.Outline).Float(); a != 8 {
			t.Errorf("%s: the outline has area %g; want 8", in.ID, a)
		}
		if len(r.Outline) == len(in.Outline) {
			equal++
		}
	}
	if made < n*9/10 || equal < n*8/10 {
		t.Errorf("of %d drawings %d became instances, %d with as many vertices; want nine and eight of ten", n, made, equal)
	}
}

// TestConvertRefuses has one fault per drawing.
func TestConvertRefuses(t *testing.T) {
	in := generate.Instance(21, 0)
	good := func() *Drawing { return drawn(in, 0, 1, 0) }
	if _, err := Convert(good()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(d *Drawing)
		want   error
	}{
		{"six pieces", func(d *Drawing) { d.Polygons = d.Polygons[1:] }, assembly.ErrInventory},
		{"a pentagon", func(d *Drawing) { d.Polygons[0] = []Point{{0, 0}, {2, 0}, {3, 1}, {1, 3}, {-1, 1}} }, assembly.ErrInventory},
		{"no area", func(d *Drawing) {
			for i := range d.Polygons {
				for k := range d.Polygons[i] {
					d.Polygons[i][k] = Point{}
				}
			}
		}, ErrMisfit},
		{"a loose piece", func(d *Drawing) { shift(d.Polygons[0], 30) }, ErrLoose},
		{"a turned piece", func(d *Drawing) { turn(d.Polygons[0], 0.3) }, ErrAngle},
		{"a large small piece", func(d *Drawing) { grow(d.Polygons[0], 1.6) }, ErrMisfit},
	} {
		d := good()
		c.change(d)
		if _, err := Convert(d); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v; want %v", c.name, err, c.want)
		}
	}
}

func shift(p []Point, by float64) {
	for i := range p {
		p[i].X += by
	}
}

func turn(p []Point, angle float64) {
	c := centroid(p)
	sin, cos := math.Sincos(angle)
	for i := range p {
		d := p[i].sub(c)
		p[i] = c.add(Point{cos*d.X - sin*d.Y, sin*d.X + cos*d.Y})
	}
}

func grow(p []Point, by float64) {
	c := centroid(p)
	for i := range p {
		p[i] = c.add(p[i].sub(c).times(by))
	}
}
