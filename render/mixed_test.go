package render

import (
	"errors"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"plumb/render/view"
	"plumb/testdata"
)

// mixedViews are the views of the mixed scenes by the name of their unhinted
// picture.
func mixedViews(t testing.TB) map[string]view.View {
	scenes, views := map[string]view.View{}, map[string]view.View{}
	testdata.Each(t, "tldraw/scenes.jsonl", func(e *exported) {
		if e.Kind == "mixed" {
			v := e.view(t)
			v.Details = true
			scenes[e.ID] = v
		}
	})
	testdata.Each(t, "tldraw/scenes-nohint.jsonl", func(e *exported) {
		if v, ok := scenes[e.ID]; ok {
			for _, i := range e.Images {
				views["tldraw/"+i.File] = v
			}
		}
	})
	return views
}

// readNRGBA reads a picture with colours, not premultiplied.
func readNRGBA(t testing.TB, name string) *image.NRGBA {
	t.Helper()
	img := testdata.Picture(t, name)
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

// compareColours compares a picture with the editor's in all four channels,
// colours premultiplied: those of an almost clear pixel mean nothing.
func compareColours(name string, got, ref *image.NRGBA) (alpha, colour likeness) {
	alpha.name = strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".png")
	colour.name = alpha.name
	box := image.Rectangle{}
	var sums [2][3]float64
	var covered [2]float64
	for i := 0; i < len(ref.Pix); i += 4 {
		x, y := i/4%ref.Rect.Dx(), i/4/ref.Rect.Dx()
		for k, p := range [2]*image.NRGBA{got, ref} {
			a := float64(p.Pix[i+3])
			if a > 0 {
				covered[k]++
			}
			sums[k][0] += a
			sums[k][1] += a * (float64(x) + 0.5)
			sums[k][2] += a * (float64(y) + 0.5)
		}
		if ref.Pix[i+3] > 0 {
			box = box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	g, w := sums[0], sums[1]
	alpha.mass = g[0]/w[0] - 1
	alpha.centre = math.Hypot(g[1]/g[0]-w[1]/w[0], g[2]/g[0]-w[2]/w[0])
	alpha.pixels = covered[0]/covered[1] - 1
	var tone [2]float64
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p, q := got.Pix[got.PixOffset(x, y):], ref.Pix[ref.PixOffset(x, y):]
			d := math.Abs(float64(p[3]) - float64(q[3]))
			alpha.mean += d
			if d <= 2 {
				alpha.within++
			}
			worst := 0.0
			for c := range 3 {
				u, v := float64(p[c])*float64(p[3])/255, float64(q[c])*float64(q[3])/255
				tone[0] += u
				tone[1] += v
				worst = max(worst, math.Abs(u-v))
				colour.mean += math.Abs(u-v) / 3
			}
			if worst <= 2.5 {
				colour.within++
			}
		}
	}
	area := float64(box.Dx() * box.Dy())
	for _, l := range []*likeness{&alpha, &colour} {
		l.within /= area
		l.mean /= area
	}
	colour.mass = tone[0]/tone[1] - 1
	return alpha, colour
}

// TestMixedFidelity draws the mixed scenes on the default backend and compares
// with the editor's unhinted pictures, alpha and colours. Asked for are 97 % of
// the pixels, a mean of 0.80/255, 0.3 px and 1 % of the mass; the bounds are those
// that keep what is reached.
func TestMixedFidelity(t *testing.T) {
	e := open(t, BackendAuto)
	w := e.Worker()
	var alphas, colours []likeness
	foreign := 0
	for name, v := range mixedViews(t) {
		p, err := w.Prepare(v)
		if errors.Is(err, view.ErrForeign) {
			t.Logf("%s: %v", name, err)
			foreign++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		img, ref := picture(t, e, p), readNRGBA(t, name)
		p.Release()
		if img.Rect != ref.Rect {
			t.Fatalf("%s: %v px; want %v", name, img.Rect, ref.Rect)
		}
		a, c := compareColours(name, img, ref)
		alphas, colours = append(alphas, a), append(colours, c)
		panels(t, a.name, img, ref)
	}
	t.Logf("%d scenes drawn, %d left to the editor", len(alphas), foreign)
	if foreign > len(alphas)/19 {
		t.Errorf("%d of %d scenes are not drawn natively; want at least 95 %% of them", foreign, foreign+len(alphas))
	}
	judge(t, "mixed", alphas, bounds{0.999, 0.05, 0.001, 0.1, 0.03, 0.01})
	judge(t, "mixed colours", colours, bounds{0.999, 0.10, 0.005, 0, 0, 0})
}

// panels writes native, difference and reference side by side where the
// environment names a folder for it.
func panels(t testing.TB, name string, got, ref *image.NRGBA) {
	dir := os.Getenv("PLUMB_PANELS")
	if dir == "" {
		return
	}
	w, h := ref.Rect.Dx(), ref.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, 3*w, h))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, image.Rect(0, 0, w, h), got, image.Point{}, draw.Over)
	draw.Draw(out, image.Rect(2*w, 0, 3*w, h), ref, image.Point{}, draw.Over)
	for y := range h {
		for x := range w {
			p, q := got.Pix[got.PixOffset(x, y):], ref.Pix[ref.PixOffset(x, y):]
			d := 0.0
			for c := range 4 {
				u, v := float64(p[3]), float64(q[3])
				if c < 3 {
					u, v = float64(p[c])*u/255, float64(q[c])*v/255
				}
				d = max(d, math.Abs(u-v))
			}
			if d > 2.5 {
				o := out.Pix[out.PixOffset(w+x, y):]
				s := uint8(max(0, 200-3*d))
				o[0], o[1], o[2] = 255, s, s
			}
		}
	}
	f, err := os.Create(dir + "/" + name + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, out); err != nil {
		t.Fatal(err)
	}
}
