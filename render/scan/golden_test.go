package scan

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"plumb/render/chord"
	"plumb/render/vector"
)

// golden holds the hash of the coverage of 400 paths for each kind of path and rule. The values are
// those of the code that equals the reference rasteriser on all vectors; a change of any byte of any
// path changes them.
var golden = map[string]uint64{
	"tangle 0000":    0x355d6a29f765403c,
	"tangle 0001":    0xa1ccfe196bd72762,
	"tangle 0010":    0x355d6a29f765403c,
	"tangle 0011":    0xa1ccfe196bd72762,
	"tangle 0100":    0xf199800ff11590e1,
	"tangle 0101":    0xe0afb94136d3114,
	"tangle 0110":    0xf199800ff11590e1,
	"tangle 0111":    0xe0afb94136d3114,
	"tangle 1000":    0xef2e7da5bd3aeb25,
	"tangle 1001":    0xfe8f32386ecdc574,
	"tangle 1010":    0xef2e7da5bd3aeb25,
	"tangle 1011":    0xfe8f32386ecdc574,
	"tangle 1100":    0x93678fe29d6c9b4a,
	"tangle 1101":    0x478598091acbc665,
	"tangle 1110":    0x93678fe29d6c9b4a,
	"tangle 1111":    0x478598091acbc665,
	"curves 0000":    0x494ef1384bc1a366,
	"curves 0001":    0x2bf9725091731e08,
	"curves 0010":    0x9736706603bc274c,
	"curves 0011":    0x1f0f7c65d512debe,
	"curves 0100":    0x39ae899153cc9401,
	"curves 0101":    0x3044e337489538d2,
	"curves 0110":    0x39ae899153cc9401,
	"curves 0111":    0x3044e337489538d2,
	"curves 1000":    0xccf744fe6f642b51,
	"curves 1001":    0xfa3b98917e3a3f67,
	"curves 1010":    0x4b96977e0b3f3481,
	"curves 1011":    0x973cf02e5a7b6421,
	"curves 1100":    0xbd4527258c4db95,
	"curves 1101":    0xf129cf81e39d8dd3,
	"curves 1110":    0xbd4527258c4db95,
	"curves 1111":    0xf129cf81e39d8dd3,
	"polygon 0000":   0x497f1cf30fed7869,
	"polygon 0001":   0xdc6578cec33f1fa0,
	"polygon 0010":   0x6103f598ee16165f,
	"polygon 0011":   0x6c674a545ae31cd3,
	"polygon 0100":   0x151f96020b596317,
	"polygon 0101":   0x9a6ad37bfed94e54,
	"polygon 0110":   0x151f96020b596317,
	"polygon 0111":   0x9a6ad37bfed94e54,
	"polygon 1000":   0x22d67ba87186a8c6,
	"polygon 1001":   0xb3a5fb94f23cc901,
	"polygon 1010":   0x8359a51eb5a06609,
	"polygon 1011":   0x6ed476f9706ba0a6,
	"polygon 1100":   0x7bee6fb5210f04b6,
	"polygon 1101":   0x9d1bb6ab78cf00c1,
	"polygon 1110":   0x7bee6fb5210f04b6,
	"polygon 1111":   0x9d1bb6ab78cf00c1,
	"rectangle 0000": 0xb889e72b478df221,
	"rectangle 0001": 0xb889e72b478df221,
	"rectangle 0010": 0xb889e72b478df221,
	"rectangle 0011": 0xb889e72b478df221,
	"rectangle 0100": 0xdbb62d56a927355f,
	"rectangle 0101": 0xdbb62d56a927355f,
	"rectangle 0110": 0xdbb62d56a927355f,
	"rectangle 0111": 0xdbb62d56a927355f,
	"rectangle 1000": 0x7bb22db3ac0d4651,
	"rectangle 1001": 0x7bb22db3ac0d4651,
	"rectangle 1010": 0x7bb22db3ac0d4651,
	"rectangle 1011": 0x7bb22db3ac0d4651,
	"rectangle 1100": 0x165550205ca0bdcb,
	"rectangle 1101": 0x165550205ca0bdcb,
	"rectangle 1110": 0x165550205ca0bdcb,
	"rectangle 1111": 0x165550205ca0bdcb,
	"sliver 0000":    0xbe561a47fc6302b5,
	"sliver 0001":    0xbe561a47fc6302b5,
	"sliver 0010":    0x898a04f1ca30db18,
	"sliver 0011":    0x898a04f1ca30db18,
	"sliver 0100":    0x52b3394ee454a246,
	"sliver 0101":    0x52b3394ee454a246,
	"sliver 0110":    0x52b3394ee454a246,
	"sliver 0111":    0x52b3394ee454a246,
	"sliver 1000":    0xf2e430eba2a4fa20,
	"sliver 1001":    0xf2e430eba2a4fa20,
	"sliver 1010":    0xfff9232cbcfc29ed,
	"sliver 1011":    0xfff9232cbcfc29ed,
	"sliver 1100":    0x508ef4be3627cb81,
	"sliver 1101":    0x508ef4be3627cb81,
	"sliver 1110":    0x508ef4be3627cb81,
	"sliver 1111":    0x508ef4be3627cb81,
}

// TestGolden checks that no byte of the coverage of made-up paths has changed: polygons whose edges
// cross, curves, slivers and rectangles, with every rule. It needs no reference data.
func TestGolden(t *testing.T) {
	kinds := map[string]func(*rand.Rand) *vector.Path{"polygon": randomPolygon, "curves": randomCurves, "sliver": randomSliver, "tangle": randomTangle, "rectangle": randomRectangle}
	for kind, make := range kinds {
		for rule := range 16 {
			name := fmt.Sprintf("%s %04b", kind, rule)
			t.Run(name, func(t *testing.T) {
				if got := hashOf(make, 400, chord.Rect{X1: 120, Y1: 90}, ruleOf(rule)); got != golden[name] {
					t.Errorf("got %#x; want %#x", got, golden[name])
				}
			})
		}
	}
}

// ruleOf returns the rule whose switches are the bits of n.
func ruleOf(n int) Rule {
	return Rule{EvenOdd: n&1 != 0, Plain: n&2 != 0, Clip: n&4 != 0, Cells: n&8 != 0}
}

// hashOf returns the hash of the coverage of the first paths of a kind within a clip.
func hashOf(path func(*rand.Rand) *vector.Path, paths int, clip chord.Rect, rule Rule) uint64 {
	r := rand.New(rand.NewPCG(11, 12))
	var s Scanner
	h := xxhash.New()
	for range paths {
		var c Coverage
		first, count := s.Append(&c, path(r), clip, rule)
		for _, at := range c.Spans[first : first+count] {
			var b []byte
			for _, v := range []int32{at.X, at.Y, at.Width} {
				b = binary.LittleEndian.AppendUint32(b, uint32(v))
			}
			h.Write(b)
			if at.FirstByte == Full {
				h.Write([]byte("full"))
				continue
			}
			h.Write(c.Bytes[at.FirstByte : at.FirstByte+at.Width])
		}
	}
	return h.Sum64()
}

// goldenClipped holds a hash of 100 paths of each kind with each rule: in a clip that cuts all of its
// sides and begins in the middle of a cell, and without a clip.
var goldenClipped = map[string]uint64{
	"curves clipped":    0x2ca4a3907b828eed,
	"curves free":       0xb82ca8ef11fdb377,
	"polygon clipped":   0x54c4f8c828a6a453,
	"polygon free":      0x1e11cb7fc4b476e8,
	"rectangle clipped": 0xfba97507d8435314,
	"rectangle free":    0xac1fe006b22e90fa,
	"sliver clipped":    0xb89726b0c2427a62,
	"sliver free":       0xcbcabc725f11ca06,
}

// TestGoldenClipped checks paths that a clip cuts, and paths beyond any canvas.
func TestGoldenClipped(t *testing.T) {
	kinds := map[string]func(*rand.Rand) *vector.Path{"polygon": randomPolygon, "curves": randomCurves, "sliver": randomSliver, "rectangle": randomRectangle}
	for kind, make := range kinds {
		for name, clip := range map[string]chord.Rect{kind + " clipped": {X0: 21, Y0: 13, X1: 98, Y1: 71}, kind + " free": chord.NoClip} {
			t.Run(name, func(t *testing.T) {
				h := xxhash.New()
				for rule := range 16 {
					h.Write(binary.LittleEndian.AppendUint64(nil, hashOf(make, 100, clip, ruleOf(rule))))
				}
				if got := h.Sum64(); got != goldenClipped[name] {
					t.Errorf("got %#x; want %#x", got, goldenClipped[name])
				}
			})
		}
	}
}

// near returns a random point about the canvas, on a grid of 1/256 px.
func near(r *rand.Rand) vector.Point {
	return vector.Point{X: float32(r.IntN(150*256)-15*256) / 256, Y: float32(r.IntN(120*256)-15*256) / 256}
}

// randomPolygon returns a polygon of 3 to 9 corners anywhere, so that its edges cross.
func randomPolygon(r *rand.Rand) *vector.Path {
	p := new(vector.Path)
	p.MoveTo(near(r))
	for range 2 + r.IntN(7) {
		p.LineTo(near(r))
	}
	p.Close()
	return p
}

// randomCurves returns a closed path of every kind of curve.
func randomCurves(r *rand.Rand) *vector.Path {
	p := new(vector.Path)
	p.MoveTo(near(r))
	for range 1 + r.IntN(4) {
		switch r.IntN(4) {
		case 0:
			p.LineTo(near(r))
		case 1:
			p.QuadTo(near(r), near(r))
		case 2:
			p.CubicTo(near(r), near(r), near(r))
		case 3:
			p.ConicTo(near(r), near(r), 0.25+r.Float32()*2)
		}
	}
	p.Close()
	return p
}

// randomSliver returns a thin polygon: its edges run close together, and cross.
func randomSliver(r *rand.Rand) *vector.Path {
	a, b := near(r), near(r)
	off := func(q vector.Point) vector.Point {
		return vector.Point{X: q.X + float32(r.IntN(512)-256)/256, Y: q.Y + float32(r.IntN(512)-256)/256}
	}
	p := new(vector.Path)
	p.MoveTo(a)
	p.LineTo(b)
	p.LineTo(off(b))
	p.LineTo(off(a))
	p.Close()
	return p
}

// randomTangle returns three long thin triangles whose sides cross each other within rows.
func randomTangle(r *rand.Rand) *vector.Path {
	p := new(vector.Path)
	x := float32(10 + r.IntN(90))
	for range 3 {
		at := func(y int) vector.Point {
			return vector.Point{X: x + float32(r.IntN(5*256))/256, Y: float32(y) + float32(r.IntN(256))/256}
		}
		p.MoveTo(at(5))
		p.LineTo(at(80))
		p.LineTo(at(r.IntN(80)))
		p.Close()
	}
	return p
}

// randomRectangle returns an upright rectangle with fractional sides, small or large.
func randomRectangle(r *rand.Rand) *vector.Path {
	a := near(r)
	w, h := float32(1+r.IntN(6*256))/256, float32(1+r.IntN(6*256))/256
	if r.IntN(2) == 0 {
		w, h = w*12, h*12
	}
	p := new(vector.Path)
	p.MoveTo(a)
	p.LineTo(vector.Point{X: a.X + w, Y: a.Y})
	p.LineTo(vector.Point{X: a.X + w, Y: a.Y + h})
	p.LineTo(vector.Point{X: a.X, Y: a.Y + h})
	p.Close()
	return p
}

// TestCrossingEdges checks the coverage of spans whose edges cross within a row, where both edges end
// halfway, rounded down to 1/65536 px (docs/spec/raster.md#r19).
func TestCrossingEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	f := &pathFill{rule: Rule{Plain: true}, hi: vector.Point{X: 16, Y: 1}, clip: chord.Rect{X1: 16, Y1: 1}}
	h := xxhash.New()
	for range 20_000 {
		var at [4]int64 // of the left edge at the top, the right one, the right one below, the left one: in that order
		for i := range at {
			at[i] = r.Int64N(6 << 16)
		}
		slices.Sort(at[:2])
		slices.Sort(at[2:])
		var c Coverage
		var line row
		line.beginPath(&c, f)
		line.drawTrapezoid(at[0], at[3], at[1], at[2], r.Int64N(2<<16), r.Int64N(2<<16), 255, false)
		line.finishRow()
		for _, s := range c.Spans {
			h.Write([]byte{byte(s.X), byte(s.Width)})
			if s.FirstByte != Full {
				h.Write(c.Bytes[s.FirstByte : s.FirstByte+s.Width])
			}
		}
	}
	if got, want := h.Sum64(), uint64(0x1ad5b47f003a73f); got != want {
		t.Errorf("got %#x; want %#x", got, want)
	}
}
