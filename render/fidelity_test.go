package render

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"plumb/testdata"
)

// likeness says how near a native picture is to the editor's own.
type likeness struct {
	name   string
	within float64 // share of the alpha bounding box within 2/255
	mean   float64 // mean absolute alpha error there, 1/255
	mass   float64 // relative error of the alpha sum
	centre float64 // distance of the centres of mass, px
	pixels float64 // relative error of the number of covered pixels
}

func (l likeness) String() string {
	return fmt.Sprintf("%-28s within 2: %7.3f %%  mean %6.3f  mass %+7.3f %%  centre %6.3f px  pixels %+6.2f %%",
		l.name, 100*l.within, l.mean, 100*l.mass, l.centre, 100*l.pixels)
}

// compare takes the picture for the pixels and the fused sums for the rest.
func compare(t *testing.T, e *Engine, name string, p *Prepared) likeness {
	t.Helper()
	ref := testdata.Grey(t, name)
	img := picture(t, e, p)
	tallies, err := e.Measure(nil, []*Prepared{p})
	if err != nil {
		t.Fatal(err)
	}
	if img.Rect != ref.Rect {
		t.Fatalf("%s: %v px; want %v", name, img.Rect, ref.Rect)
	}
	l := likeness{name: strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".png")}
	box, sum, x, y, covered := image.Rectangle{}, 0.0, 0.0, 0.0, 0
	for i, a := range ref.Pix {
		if a == 0 {
			continue
		}
		px, py := i%ref.Rect.Dx(), i/ref.Rect.Dx()
		box = box.Union(image.Rect(px, py, px+1, py+1))
		sum, x, y = sum+float64(a), x+float64(a)*(float64(px)+0.5), y+float64(a)*(float64(py)+0.5)
		covered++
	}
	good := 0
	for py := box.Min.Y; py < box.Max.Y; py++ {
		for px := box.Min.X; px < box.Max.X; px++ {
			d := math.Abs(float64(img.Pix[py*img.Stride+4*px+3]) - float64(ref.Pix[py*ref.Stride+px]))
			l.mean += d
			if d <= 2 {
				good++
			}
		}
	}
	area := float64(box.Dx() * box.Dy())
	got := tallies[0].A
	cx, cy, _ := got.CentreOfMass()
	l.within, l.mean = float64(good)/area, l.mean/area
	l.mass = got.Alpha255()/sum - 1
	l.centre = math.Hypot(cx-x/sum, cy-y/sum)
	l.pixels = float64(got.Covered)/float64(covered) - 1
	return l
}

// bounds are what a group of pictures is held to.
type bounds struct{ within, mean, mass, centre, median, pixels float64 }

// TestFidelity draws the balance and label scenes on the default backend and compares them with
// the pictures of the real editor. The bounds leave room for what differs by a bit in the
// arithmetic of a stroke. See docs/spec/raster.md#r44.
func TestFidelity(t *testing.T) {
	limits := map[string]bounds{
		"before": {0.999, 0.02, 0.0005, 0.03, 0.01, 0.01},
		"after":  {0.999, 0.02, 0.0005, 0.03, 0.01, 0.01},
		"shape":  {0.999, 0.02, 0.0005, 0.03, 0.01, 0.01},
		"label":  {0.99, 0.5, 0.005, 0.05, 0.02, 0.01},
	}
	e := open(t, BackendAuto)
	w := e.Worker()
	groups := map[string][]likeness{}
	for name, v := range referenceViews(t) {
		p := prepare(t, w, v)
		kind := strings.TrimSuffix(name[strings.LastIndex(name, "-")+1:], ".png")
		groups[kind] = append(groups[kind], compare(t, e, name, p))
		p.Release()
	}
	for kind, all := range groups {
		judge(t, kind, all, limits[kind])
	}
}

// judge applies the bounds and prints the distribution with the worst ten.
func judge(t *testing.T, kind string, all []likeness, b bounds) {
	t.Helper()
	slices.SortFunc(all, func(a, b likeness) int { return cmp.Or(cmp.Compare(a.within, b.within), cmp.Compare(a.name, b.name)) })
	for _, l := range all[:min(10, len(all))] {
		t.Log(l)
	}
	for _, l := range all {
		if l.within < b.within || l.mean > b.mean || math.Abs(l.mass) > b.mass || l.centre > b.centre || math.Abs(l.pixels) > b.pixels {
			t.Errorf("%v; want at least %v, at most %v, %v, %v px, %v", l, b.within, b.mean, b.mass, b.centre, b.pixels)
		}
	}
	n := len(all)
	at := func(f func(l likeness) float64) (median, worst float64) {
		v := make([]float64, n)
		for i, l := range all {
			v[i] = math.Abs(f(l))
		}
		slices.Sort(v)
		return v[n/2], v[n-1]
	}
	centre, worstCentre := at(func(l likeness) float64 { return l.centre })
	mass, worstMass := at(func(l likeness) float64 { return l.mass })
	mean, worstMean := at(func(l likeness) float64 { return l.mean })
	pixels, worstPixels := at(func(l likeness) float64 { return l.pixels })
	t.Logf("%s, %d pictures (median, worst): within 2 %.3f %%, %.3f %%; mean %.3f, %.3f; mass %.4f %%, %.4f %%; centre %.4f, %.4f px; pixels %.2f %%, %.2f %%",
		kind, n, 100*all[n/2].within, 100*all[0].within, mean, worstMean, 100*mass, 100*worstMass, centre, worstCentre, 100*pixels, 100*worstPixels)
	if centre > b.median {
		t.Errorf("%s: median centre error %.4f px; want at most %v", kind, centre, b.median)
	}
}
