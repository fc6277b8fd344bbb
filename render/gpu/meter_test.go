package gpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plumb/render/metric"
	"plumb/render/region"
	"plumb/shaders"
)

func openMeter(t testing.TB, cfg MeterConfig) *Meter {
	t.Helper()
	cfg.Watchdog = 2 * time.Minute // on a machine that is just as busy as it likes
	m, err := OpenMeter(cfg)
	if err != nil {
		t.Fatalf("no GL; install Mesa's EGL (libegl1, libgl1-mesa-dri): %v", err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// polygon is a regular polygon.
func polygon(r *rand.Rand, n int, reach float64) []region.Point {
	cx, cy, size, turn := r.Float64()*reach, r.Float64()*reach, 0.01+r.Float64(), r.Float64()*7
	var list []region.Point
	for i := range n {
		a := turn + 2*math.Pi*float64(i)/float64(n)
		list = append(list, region.Point{X: cx + size*math.Cos(a), Y: cy + size*math.Sin(a)})
	}
	return list
}

func randomRegion(r *rand.Rand, parts int, reach float64) (g region.Region) {
	for range parts {
		list := polygon(r, 3+r.IntN(4), reach)
		g.Parts = append(g.Parts, list)
		for i, p := range list {
			g.Edges = append(g.Edges, region.Segment{A: p, B: list[(i+1)%len(list)]})
		}
	}
	return g
}

// pairs makes scenes of many kinds: few and many parts, near and far, level and
// upright sides, one scene with more parts than a shader holds.
func pairs(t testing.TB, n int, size int) (list []*region.Packed) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, uint64(size)))
	for i := range n {
		s := region.Scene{U: randomRegion(r, 1+r.IntN(10), math.Pow(10, float64(r.IntN(4)-1))), T: randomRegion(r, 1+r.IntN(10), 4), Size: size}
		switch i {
		case 1:
			s.U = randomRegion(r, region.MaxParts, 3)
		case 2:
			s.T = s.U
		case 3:
			sq := []region.Point{{}, {X: 1}, {X: 1, Y: 1}, {Y: 1}}
			s.U = region.Region{Parts: [][]region.Point{sq}, Edges: []region.Segment{{A: sq[0], B: sq[1]}, {A: sq[2], B: sq[1]}, {A: sq[3], B: sq[2]}, {A: sq[3], B: sq[0]}}}
		}
		p := new(region.Packed)
		if err := p.Pack(&s); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// The device gives the integers of the Go twin, whatever the batch.
func TestMeterIsTheOracle(t *testing.T) {
	for _, bytes := range []int{0, 300 << 10} {
		m := openMeter(t, MeterConfig{Bytes: bytes})
		for _, size := range []int{128, 512} {
			list := pairs(t, 16, size)
			got, err := m.Count(list)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range region.Count(list) {
				if got[i] != want || want.U == 0 || want.T == 0 {
					t.Errorf("batches of %d bytes, %d px, scene %d: got %+v; want %+v", bytes, size, i, got[i], want)
				}
			}
			t.Logf("%d px: %d of %d left to the Go twin", size, m.Left(), len(list))
			slices.Reverse(list)
			again, err := m.Count(list[:7])
			if err != nil {
				t.Fatal(err)
			}
			for i := range again {
				if again[i] != got[len(got)-1-i] {
					t.Errorf("in another batch: got %+v; want %+v", again[i], got[len(got)-1-i])
				}
			}
		}
	}
}

// Each stage that is broken is noticed, but where the next ones make up for it:
// a poor bound makes a search longer, not wrong.
func TestABrokenMeterIsSeen(t *testing.T) {
	list := pairs(t, 12, 128)
	want := region.Count(list)
	const noBound = "if (found == 1u) atomicMax(uSums[sum], nearest"
	for _, c := range []struct {
		harmless bool
		replaced []string
	}{
		{false, []string{"max(reach, high[i])", "max(reach, low[i])"}},
		{false, []string{"STEP / 2", "STEP / 4"}},
		{false, []string{"to + 1 - base", "to - base"}},
		{false, []string{"if (m != 0u) seed", "if (m == 7u) seed"}},
		{false, []string{"m |= 1u << i", "m |= 2u"}},
		{false, []string{"best = seed", "best = NONE"}},
		{true, []string{"if (d < near)", "if (d > 900u)"}},
		{false, []string{"atomicMax(uSums[sum], nearest", "atomicMax(uSums[sum], 1u + nearest"}},
		{true, []string{noBound, "if (false) atomicMax(uSums[sum], nearest"}},
		{false, []string{noBound, "if (false) atomicMax(uSums[sum], nearest", "<= far) return;", "<= NONE) return;"}},
	} {
		all := ""
		for stage := range shaders.Matches {
			all += shaders.MatchSource(stage)
		}
		for i := 0; i < len(c.replaced); i += 2 {
			if !strings.Contains(all, c.replaced[i]) {
				t.Fatalf("no stage has %q", c.replaced[i])
			}
		}
		m := openMeter(t, MeterConfig{source: func(s shaders.Match) string {
			return strings.NewReplacer(c.replaced...).Replace(shaders.MatchSource(s))
		}})
		got, err := m.Count(list)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(got, want) != c.harmless {
			t.Errorf("%q: equal to the oracle is %v; want %v", c.replaced, !c.harmless, c.harmless)
		}
	}
}

// Masks that clients bring: the integers of metric.Oracle, on noise and blobs of
// odd sizes, many callers at once.
func TestMeterComparesMasks(t *testing.T) {
	m := openMeter(t, MeterConfig{})
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(k)))
			for i := range 40 {
				w, h := 1+r.IntN(150), 1+r.IntN(150)
				a, b := noise(r, w, h), noise(r, w, h)
				o := metric.Options{Hausdorff: i%5 != 0, Threshold: uint8(r.IntN(200))}
				got, err := m.Compare(t.Context(), a, b, o)
				want, _ := metric.Oracle{}.Compare(t.Context(), a, b, o)
				if err != nil || got != want {
					t.Errorf("%d x %d px: got %+v, %v; want %+v", w, h, got, err, want)
					return
				}
			}
		})
	}
	all.Wait()
	if _, err := m.Compare(t.Context(), metric.Alpha(make([]byte, 2), 1, 2), metric.Alpha(make([]byte, 2), 2, 1), metric.Options{}); err == nil || m.Broken(err) {
		t.Errorf("got %v; want ErrSize, and a meter that still works", err)
	}
}

func noise(r *rand.Rand, w, h int) metric.Mask {
	pix := make([]byte, w*h)
	density, cx, cy := math.Pow(r.Float64(), 4), r.IntN(w), r.IntN(h)
	for i := range pix {
		if blob := math.Hypot(float64(i%w-cx), float64(i/w-cy)) < 20; blob || r.Float64() < density {
			pix[i] = byte(1 + r.IntN(255))
		}
	}
	return metric.Alpha(pix, w, h)
}

// The far ends of long masks.
func TestMeterFar(t *testing.T) {
	m := openMeter(t, MeterConfig{})
	const side = 32768
	pix, other := make([]byte, 2*side), make([]byte, 2*side)
	pix[0], other[2*side-1] = 255, 255
	for _, s := range [][2]int{{side, 2}, {2, side}} {
		got, err := m.Compare(t.Context(), metric.Alpha(pix, s[0], s[1]), metric.Alpha(other, s[0], s[1]), metric.Options{Hausdorff: true})
		if want := int64(side-1)*(side-1) + 1; err != nil || got.Far2 != want {
			t.Errorf("%v: got %d, %v; want %d", s, got.Far2, err, want)
		}
	}
}

func TestMeterAtOnce(t *testing.T) {
	m := openMeter(t, MeterConfig{})
	var all sync.WaitGroup
	for k := range 6 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(9, uint64(k)))
			for range 5 {
				s := region.Scene{U: randomRegion(r, 7, 3), T: randomRegion(r, 5, 3), Size: 256}
				got, err := m.Measure(&s)
				want, _ := region.Oracle{}.Measure(&s)
				if err != nil || got != want {
					t.Errorf("got %+v, %v; want %+v", got, err, want)
				}
			}
		})
	}
	all.Wait()
	if _, err := m.Measure(&region.Scene{Size: 100}); err == nil || m.Broken(err) {
		t.Errorf("got %v; want ErrInvalid", err)
	}
}

func BenchmarkMeter(b *testing.B) {
	for _, size := range []int{128, 256, 512} {
		list := pairs(b, 256, size)
		m := openMeter(b, MeterConfig{})
		b.Run(fmt.Sprintf("size=%dpx/device", size), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Count(list); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds(), "scenes/s")
		})
		b.Run(fmt.Sprintf("size=%dpx/go", size), func(b *testing.B) {
			for b.Loop() {
				region.Count(list)
			}
			b.ReportMetric(float64(b.N*len(list))/b.Elapsed().Seconds(), "scenes/s")
		})
	}
}
