package gpu

import (
	"math"
	"strings"
	"testing"

	"plumb/render/batch"
	"plumb/render/region"
	"plumb/shaders"
)

// deep makes a batch of two runs of a class, each one tile of a stack of items, of
// which only the frontmost covers anything: what does not reach it is all empty.
func deep(class batch.Class, items, maxItems int, flags uint32) *batch.Batch {
	t := &batch.Tiled{Width: batch.TileW, Height: 2 * batch.TileH, Deepest: items}
	t.Masks = make([]batch.MaskRow, 2*(batch.TileH+1))
	const shown = batch.TileH + 1
	for _, pairs := range []int{batch.TileH, shown + batch.TileH} {
		for x := range batch.TileW {
			t.Masks[pairs][x] = 255
		}
	}
	for y := range batch.TileH {
		for x := range batch.TileW {
			t.Masks[shown+y][x] = byte(37*x + 91*y)
		}
	}
	for r := range 2 {
		t.Runs[class] = append(t.Runs[class], batch.Run{FirstTile: uint32(r), TileCount: 1, Y: uint32(r * batch.TileH)})
		t.Tiles = append(t.Tiles, batch.Tile{FirstItem: uint32(len(t.Items)), ItemCount: uint32(items), Valid: batch.TileW | batch.TileH<<16})
		for i := range items {
			it := batch.Item{Paint: 255 | batch.FlagMask | flags, Color: 0x445566}
			if class != batch.Full {
				it.Paint = 255 | batch.FlagMask
				if class == batch.Double && i >= items/2 {
					it.Paint |= batch.FlagSecond
				}
			}
			front := i == 0
			if flags&batch.FlagClipped != 0 && class == batch.Full {
				if i == 0 {
					it.Paint = batch.FlagMask | batch.FlagClip
				}
				front = i < 2
			}
			if front {
				it.FirstRow = shown
			}
			t.Items = append(t.Items, it)
		}
	}
	b := &batch.Batch{MaxItems: maxItems}
	b.Pack([]*batch.Tiled{t})
	return b
}

// Stacks that take twice the iterations that a thread has, of every variant of the
// tile stage: those of plain items, and those that go through every loop of an item.
func TestDeepTilesAreLeftToTheTwin(t *testing.T) {
	const all = batch.FlagPairs | batch.FlagRoundNearest | batch.FlagClipped
	for _, access := range []Access{AccessTexture, AccessStorage} {
		r := open(t, Config{Access: access})
		l := r.Info().Limits
		bounded := l.Bounded()
		if l.Iterations < 1<<15 || l.Items < batch.RunItems {
			t.Fatalf("%+v: a run of %d items is one that the device must take", l, batch.RunItems)
		}
		for _, c := range []struct {
			name    string
			class   batch.Class
			picture bool
			flags   uint32
			steps   int // iterations of an item
		}{
			{"PLAIN", batch.Plain, false, 0, 1},
			{"DOUBLE", batch.Double, false, 0, 1},
			{"FULL", batch.Full, false, 0, 4},
			{"FULL, every loop", batch.Full, false, all, itemIterations},
			{"PICTURE", batch.Plain, true, 0, 4},
			{"PICTURE, every loop", batch.Full, true, all, itemIterations},
		} {
			run := func(items, maxItems int) (same bool, shader int) {
				b := deep(c.class, items, maxItems, c.flags)
				if c.picture {
					px, err := r.Pictures(b)
					if err != nil {
						t.Fatal(err)
					}
					return samePixels(px, oraclePixels(b)) == nil, b.ShaderRuns()
				}
				rows, err := r.Run(b)
				if err != nil {
					t.Fatal(err)
				}
				return sameRows(rows, oracleRows(b)) == nil, b.ShaderRuns()
			}
			// The shader itself, up to the most that it is given.
			if same, n := run(l.Items, l.Items); !same || n != 2 {
				t.Errorf("%v %s: %d items: equal to the oracle is %v with %d runs on the device; want true with 2", access, c.name, l.Items, same, n)
			}
			twice := 2 * min(l.Iterations, 1<<16) / c.steps
			if same, _ := run(twice, 0); same == bounded {
				t.Errorf("%v %s: %d items without a bound: equal to the oracle is %v with %d iterations", access, c.name, twice, same, l.Iterations)
			}
			if _, n := run(twice, l.Items); bounded && n != 0 {
				t.Errorf("%v %s: %d of 2 runs of %d items are on the device; want 0", access, c.name, n, twice)
			}
			// The count of what an item takes is right: one item less than the limit
			// allows is drawn, a few more are not.
			if most := l.Iterations / c.steps; bounded && c.steps > 1 {
				below, _ := run(most-4*tileIterations, 0)
				above, _ := run(most+4*tileIterations, 0)
				if !below || above {
					t.Errorf("%v %s: the limit of %d iterations is not at %d items of %d", access, c.name, l.Iterations, most, c.steps)
				}
			}
		}
	}
}

// Regions at twice the iterations that a thread has: with the guards of the stages
// they equal the oracle, and without them the stages named are wrong where the
// driver has a limit. SEED, OCCUPY and FLOOD have loops of 16, 32 and 9.
func TestLongComparisonsAreLeftToTheTwin(t *testing.T) {
	limits := open(t, Config{}).Info().Limits
	limit, bounded := limits.Iterations, limits.Bounded()
	sides := polygonScene(t, 2, region.MaxParts/2, 1400, 0)
	edges := polygonScene(t, 1, 1, 3, 2*region.MaxSegments*2)
	search := gratings(t)
	// A search repeated is as long as many, and the stages have the same results.
	const again = "for (uint k = 0u; k < 40u; k++) "
	const noGuard, ends = "int left = 1 << 30", "if (found == 1u) atomicMax(uSums[sum], nearest(j, 1u - set, farthest, far, 0u));"
	for _, c := range []struct {
		stage  shaders.Match
		p      *region.Packed
		longer []string // edits that make it longer
		guard  []string // edits that take the guard away
	}{
		{shaders.Area, sides, nil, nil},
		{shaders.Mark, edges, nil, nil},
		{shaders.Bound, search, []string{ends, "if (found == 1u) { uint d; " + again + "d = nearest(j, 1u - set, farthest, far, 0u); atomicMax(uSums[sum], d); }"},
			[]string{"int left = 3500", noGuard}},
		{shaders.Search, search, []string{ends, "", "d = nearest(j, 1u - set, p, d, far);", "uint e = d; " + again + "d = nearest(j, 1u - set, p, e, far);"},
			[]string{"int left = 3500", noGuard}},
	} {
		want := region.Count([]*region.Packed{c.p})[0]
		for _, guarded := range []bool{true, false} {
			edits := c.longer
			if !guarded {
				edits = append(edits, c.guard...)
			}
			m := openMeter(t, MeterConfig{unbounded: !guarded, source: edited(t, c.stage, edits)})
			got, err := m.Count([]*region.Packed{c.p})
			if err != nil {
				t.Fatal(err)
			}
			if same := got[0] == want; same != (guarded || !bounded) {
				t.Errorf("%v, guarded %v: got %+v; the oracle has %+v; the driver ends loops after %d iterations", c.stage, guarded, got[0], want, limit)
			}
			if left := m.Left(); left != 1 && guarded || left != 0 && !guarded {
				t.Errorf("%v, guarded %v: %d left to the Go twin", c.stage, guarded, left)
			}
		}
	}
}

// edited is the source of the stages with edits of those that search.
func edited(t *testing.T, stage shaders.Match, edits []string) func(shaders.Match) string {
	return func(s shaders.Match) string {
		text := shaders.MatchSource(s)
		for i := 0; i < len(edits) && s >= shaders.Bound; i += 2 {
			if !strings.Contains(text, edits[i]) {
				t.Fatalf("%v has no %q", stage, edits[i])
			}
			text = strings.ReplaceAll(text, edits[i], edits[i+1])
		}
		return text
	}
}

// polygonScene has regions of polygons of n corners, and boundaries with segments
// beside theirs, of which the last is the only one far out.
func polygonScene(t *testing.T, regions, parts, n, segments int) *region.Packed {
	t.Helper()
	s := region.Scene{Size: 128}
	for i, g := range []*region.Region{&s.U, &s.T} {
		corners := n
		if i >= regions {
			corners = 4
		}
		for k := range parts {
			var list []region.Point
			for c := range corners {
				a := 2 * math.Pi * float64(c) / float64(corners)
				list = append(list, region.Point{X: 3*float64(k) + math.Cos(a) + 0.3*float64(i), Y: math.Sin(a)})
			}
			g.Parts = append(g.Parts, list)
		}
		first := g.Parts[0]
		for c, p := range first {
			g.Edges = append(g.Edges, region.Segment{A: p, B: first[(c+1)%len(first)]})
		}
		for k := range segments {
			x := float64(k%7) / 100
			g.Edges = append(g.Edges, region.Segment{A: region.Point{X: x}, B: region.Point{X: x, Y: 0.1}})
		}
		g.Edges = append(g.Edges, region.Segment{A: region.Point{X: 2 + float64(i)}, B: region.Point{X: 2 + float64(i), Y: 0.9}})
	}
	p := new(region.Packed)
	if err := p.Pack(&s); err != nil {
		t.Fatal(err)
	}
	return p
}

// gratings are two boundaries between whose pixels a search is long: dense fields
// of one within those of the other, all at nearly the same distance.
func gratings(t *testing.T) *region.Packed {
	t.Helper()
	s := region.Scene{Size: 2048}
	box := []region.Point{{}, {X: 2048}, {X: 2048, Y: 2048}, {Y: 2048}}
	s.U.Parts, s.T.Parts = [][]region.Point{box}, [][]region.Point{box}
	const n, r = 2000, 1000.0
	for k := range n { // a ring, and what lies about its centre
		a, b := 2*math.Pi*float64(k)/n, 2*math.Pi*float64(k+1)/n
		s.T.Edges = append(s.T.Edges, region.Segment{
			A: region.Point{X: 1024 + r*math.Cos(a), Y: 1024 + r*math.Sin(a)},
			B: region.Point{X: 1024 + r*math.Cos(b), Y: 1024 + r*math.Sin(b)},
		})
	}
	for k := range 16 {
		y := 1016 + float64(k)
		s.U.Edges = append(s.U.Edges, region.Segment{A: region.Point{X: 1016, Y: y}, B: region.Point{X: 1032, Y: y}})
	}
	p := new(region.Packed)
	if err := p.Pack(&s); err != nil {
		t.Fatal(err)
	}
	return p
}
