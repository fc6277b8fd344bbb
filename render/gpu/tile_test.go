package gpu

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"plumb/render/batch"
	"plumb/render/paint"
	"plumb/render/shapes"
	"plumb/shaders"
)

func TestTileStageAgainstOracle(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r := open(t, way.cfg)
			for n := range 12 {
				ds := drawings(16 * (1 + n/6))
				b := packed(ds[n:]...)
				last := 0
				for c, end := range append(b.Ends[:], len(b.Runs)) {
					if end == last {
						t.Errorf("batch %d has no runs of class %d", n, c)
					}
					last = end
				}
				rows, err := r.Run(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := sameRows(rows, oracleRows(b)); err != nil {
					t.Errorf("batch %d: %v", n, err)
				}
				px, err := r.Pictures(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := samePixels(px, oraclePixels(b)); err != nil {
					t.Errorf("batch %d: %v", n, err)
				}
			}
		})
	}
}

// Every comparison above is shown to fail: each edit breaks one rule.
func TestABrokenTileStageIsSeen(t *testing.T) {
	b := packed(drawings(64)...)
	rows, px := oracleRows(b), oraclePixels(b)
	for _, edit := range []struct{ from, to, seen string }{
		{"v * (256u - alpha) >> 8u", "v * (255u - alpha) >> 8u", "sums"},
		{"divided4(uvec4 v) { return (v + 128u)", "divided4(uvec4 v) { return (v + 120u)", "sums"},
		{"(it.y & MASK) != 0u", "true", "sums"},
		{"min(a, uvec4(1u))", "a / 2u", "sums"},
		{"both(a, b) << 20", "both(a, a) << 20", "sums"},
		{"a & -uvec4(lessThan(column, uvec4(valid)))", "a", "sums"},
		{"first = over(first, cover, cover)", "first = cover", "sums"},
		{"second = over(second, cover, cover)", "second = cover", "sums"},
		{"if ((it.y & SECOND) == 0u) break", "", "sums"},
		{"d * 12u", "d * 11u", "sums"},
		{"masks + it.x + row", "masks + it.x", "sums"},
		{"alpha * (cover + 1u)", "alpha * cover", "sums"},
		{"row < 4u ?", "row < 5u ?", "sums"},
		{"if ((it.y & CLIPPED) != 0u)", "if (false)", "sums"},
		{"shade(color >> 16 & 0xffu", "shade(color >> 8 & 0xffu", "picture"},
		{"510u * c + alpha - 1u", "510u * c", "picture"},
		{"if (from + i < valid)", "if (true)", "picture"},
	} {
		edited := 0
		r := open(t, Config{source: func(v shaders.Variant, texture bool) string {
			text := shaders.Source(v, texture)
			broken := strings.Replace(text, edit.from, edit.to, 1)
			if broken != text {
				edited++
			}
			return broken
		}})
		if edited == 0 {
			t.Errorf("the tile stage has no %q to break", edit.from)
		}
		gotRows, err := r.Run(b)
		if err != nil {
			t.Fatal(err)
		}
		gotPx, err := r.Pictures(b)
		if err != nil {
			t.Fatal(err)
		}
		if edit.seen == "sums" && sameRows(gotRows, rows) == nil {
			t.Errorf("sums with %q for %q pass", edit.to, edit.from)
		}
		if edit.seen == "picture" && samePixels(gotPx, px) == nil {
			t.Errorf("pictures with %q for %q pass", edit.to, edit.from)
		}
	}
}

// A scene has the same tally alone, in any batch, in any order and in parts. See
// docs/spec/raster.md#r37.
func TestTalliesDoNotDependOnTheBatch(t *testing.T) {
	ds := drawings(40)
	r := open(t, Config{})
	parts := open(t, Config{limit: func(l *limits) { l.slotBytes, l.workGroups = 64<<10, 3 }})
	run := func(r *Runner, ds ...*paint.Drawing) string {
		b := packed(ds...)
		rows, err := r.Run(b)
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for _, tally := range tallies(b, rows) {
			s += fmt.Sprintf("%+v\n", tally)
		}
		return s
	}
	alone := make([]string, len(ds))
	for i, d := range ds {
		alone[i] = run(r, d)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 4 {
		order := rng.Perm(len(ds))
		want := ""
		shuffled := make([]*paint.Drawing, len(ds))
		for i, k := range order {
			shuffled[i] = ds[k]
			want += alone[k]
		}
		for _, r := range []*Runner{r, parts} {
			if got := run(r, shuffled...); got != want {
				t.Errorf("order %v: tallies differ from those of the scenes alone", order)
			}
		}
	}
	if parts.Info().Limits.SlotBytes != 64<<10 {
		t.Error("the limit was not used")
	}
}

// Results are the same bits with any number of the software driver's threads
// and with any width of its vectors. It reads both once per process.
func TestThreadsAndVectors(t *testing.T) {
	want := hashOfResults(t)
	for _, env := range [][]string{
		{"LP_NUM_THREADS=1"}, {"LP_NUM_THREADS=2"}, {"LP_NUM_THREADS=4"},
		{"LP_NATIVE_VECTOR_WIDTH=128"}, {"LP_NATIVE_VECTOR_WIDTH=256"},
		{"LP_NUM_THREADS=4", "LP_NATIVE_VECTOR_WIDTH=128"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestPrintHash$", "-test.v")
		cmd.Env = append(append(os.Environ(), env...), "PLUMB_PRINT_HASH=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", env, err, out)
		}
		if !strings.Contains(string(out), want) {
			t.Errorf("%v: results differ: got %s; want %s", env, out, want)
		}
	}
}

// TestPrintHash is the other half of TestThreadsAndVectors, in a process of its own.
func TestPrintHash(t *testing.T) {
	if os.Getenv("PLUMB_PRINT_HASH") == "" {
		t.Log("nothing asked")
		return
	}
	t.Log(hashOfResults(t))
}

func hashOfResults(t *testing.T) string {
	r := open(t, Config{})
	b := packed(drawings(64)...)
	rows, err := r.Run(b)
	if err != nil {
		t.Fatal(err)
	}
	px, err := r.Pictures(b)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(px, func(v uint32) bool { return v != 0 }) {
		t.Fatal("nothing was drawn")
	}
	h := fnv.New64a()
	h.Write(bytesOf(rows))
	h.Write(bytesOf(px))
	t.Log(r.Info())
	return fmt.Sprintf("hash %016x, %d runs", h.Sum64(), len(b.Runs))
}

// The widest run, all opaque, reaches the bounds that keep sums in 32 bits.
func TestOverflowBound(t *testing.T) {
	r := open(t, Config{})
	for _, w := range []int{512, 8192, 32768} {
		d := drawing{Drawing: &paint.Drawing{Width: w, Height: 8}, rng: rand.New(rand.NewPCG(1, 1)), sets: 2}
		edge := float64(w)
		d.outlineOf(paint.Item{Opacity: shapes.Opaque, Clip: -1}, [][2]float64{{0, 0.4}, {edge, 0.4}, {edge, 7.6}, {0, 7.6}})
		b := packed(d.Drawing)
		rows, err := r.Run(b)
		if err != nil {
			t.Fatal(err)
		}
		got := tallies(b, rows)[0].A
		if want := uint64(w) * (6*255 + 2*153); got.Alpha != want {
			t.Errorf("%d px wide: alpha %d; want %d", w, got.Alpha, want)
		}
		if x, _, _ := got.CentreOfMass(); x != edge/2 {
			t.Errorf("%d px wide: centre %v; want %v", w, x, edge/2)
		}
	}
}

// A run is at most RunSpan px wide and its tiles need not be neighbours.
func TestFarTiles(t *testing.T) {
	r := open(t, Config{})
	d := drawing{Drawing: &paint.Drawing{Width: 1200, Height: 24}, rng: rand.New(rand.NewPCG(1, 1)), sets: 2}
	for _, x := range []float64{0, 495.5, 500, 1100} {
		d.outlineOf(paint.Item{Opacity: shapes.Opaque, Clip: -1}, [][2]float64{{x, 1}, {x + 3, 2}, {x + 1, 20}})
	}
	b := packed(d.Drawing)
	rows, err := r.Run(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameRows(rows, oracleRows(b)); err != nil {
		t.Error(err)
	}
	if w := slices.MaxFunc(b.Tiles, func(a, c batch.Tile) int { return int(a.Col) - int(c.Col) }).Col; w < 256 {
		t.Errorf("tiles of a run are at most %d px apart: the case is not reached", w)
	}
}
