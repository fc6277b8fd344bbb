package render

import (
	"context"
	"errors"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"plumb/render/batch"
	"plumb/render/chrome"
	"plumb/render/scene"
	"plumb/render/view"
)

// browser skips a test where there is no browser.
func browser(t testing.TB) {
	t.Helper()
	x, err := newExporter(Config{Tldraw: "4.2"})
	if err != nil {
		t.Fatal(err)
	}
	if x.missing != nil {
		t.Skipf("no browser: %v", x.missing)
	}
}

func openWith(t testing.TB, cfg Config) *Engine {
	t.Helper()
	e, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func sceneOf(t testing.TB, shapes string) *scene.Scene {
	t.Helper()
	s, err := scene.Decode([]byte("["+shapes+"]"), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	rect  = `{"id":"shape:a","type":"geo","x":100,"y":100,"props":{"w":200,"h":150,"fill":"solid"}}`
	emoji = `{"id":"shape:e","type":"text","x":150,"y":120,"props":{"text":"ab 😀"}}`
)

// TestCutter: what is counted of a picture is what a loop over its pixels counts.
func TestCutter(t *testing.T) {
	e := open(t, BackendCPU)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {15, 9}, {33, 40}, {200, 31}, {513, 17}} {
		img := [2]*image.NRGBA{}
		for k := range img {
			img[k] = image.NewNRGBA(image.Rectangle{Max: size})
			for i := 0; i < len(img[k].Pix)/4; {
				a := [4]byte{0, 255, byte(rng.IntN(256)), 1}[rng.IntN(4)]
				for n := 1 + rng.IntN(80); n > 0 && i < len(img[k].Pix)/4; n-- {
					img[k].Pix[4*i+3] = a
					i++
				}
			}
		}
		c := new(pictureTiler)
		c.setPictures(img[0], img[1])
		p := &Prepared{engine: e, tiled: new(batch.Tiled)}
		c.binner.Bin(&c.drawing, p.tiled)
		got, err := e.Measure(nil, []*Prepared{p})
		if err != nil {
			t.Fatal(err)
		}
		both, covered, sum := uint64(0), uint64(0), uint64(0)
		for i := 3; i < len(img[0].Pix); i += 4 {
			if a := uint64(img[0].Pix[i]); a > 0 {
				covered++
				sum += a
				if img[1].Pix[i] > 0 {
					both++
				}
			}
		}
		if got[0].Both != both || got[0].A.Covered != covered || got[0].A.Alpha != sum {
			t.Errorf("%v: got %+v; want %d pixels of alpha %d, %d in both", size, got[0], covered, sum, both)
		}
	}
}

// TestAuto: what is native is drawn natively, and all else by the editor, with
// the reason.
func TestAuto(t *testing.T) {
	browser(t)
	e := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityAuto})
	w := e.Worker()
	v := view.View{Scene: sceneOf(t, rect+","+emoji), Bounds: view.Box{W: 400, H: 300}, FirstIDs: []string{"shape:a"}, SecondIDs: []string{"shape:e"}}
	native := v
	native.SecondIDs = nil
	n := prepare(t, w, native)
	if n.Pending() {
		t.Fatalf("a rectangle is not drawn natively: %+v", n.export)
	}
	p := prepare(t, w, v)
	ok, why := p.Foreign()
	var named interface{ ShapeID() string }
	if !p.Pending() || !ok || !errors.Is(why, view.ErrForeign) || !errors.As(why, &named) || named.ShapeID() != "shape:e" {
		t.Fatalf("got pending %v, %v; want the emoji's shape to be the reason", p.Pending(), why)
	}
	if err := p.Finish(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	got, err := e.Measure(nil, []*Prepared{n, p})
	if err != nil {
		t.Fatal(err)
	}
	a, b := got[0].A, got[1].A
	if d := float64(a.Alpha)/float64(b.Alpha) - 1; d > 0.001 || d < -0.001 {
		t.Errorf("alpha of the rectangle: got %d natively, %d of the editor", a.Alpha, b.Alpha)
	}
	if got[1].B.Covered == 0 || got[1].Both != got[1].B.Covered {
		t.Errorf("got %+v; want a text that lies on the rectangle", got[1])
	}
	imgs, err := e.Pictures([]*Prepared{p, n})
	if err != nil || imgs[0] != p.export.image || imgs[1].Rect != imgs[0].Rect {
		t.Errorf("got %v; want the editor's picture and a native one", err)
	}
}

// TestContent: bounds that follow from sizes which only the editor knows.
func TestContent(t *testing.T) {
	browser(t)
	e := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityAuto})
	s := sceneOf(t, rect+","+emoji)
	_, _, foreign := view.ContentBounds(s, nil)
	if !errors.Is(foreign, view.ErrForeign) {
		t.Fatalf("got %v; want a size that is not known natively", foreign)
	}
	var found view.Box
	v := view.View{Scene: s, Foreign: foreign, FirstIDs: []string{}, Content: &view.Content{IDs: []string{"shape:a"},
		Bounds: func(b view.Box, ok bool) (view.Box, error) { found = b; return view.Box{W: 10, H: 10}, nil }}}
	p := prepare(t, e.Worker(), v)
	if err := p.Finish(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	if found != (view.Box{X: 100, Y: 100, W: 200, H: 150}) || p.Bounds() != (view.Box{W: 10, H: 10}) {
		t.Errorf("got content %v, bounds %v", found, p.Bounds())
	}
	v.FirstIDs, v.Content = nil, &view.Content{Padding: 32}
	p = prepare(t, e.Worker(), v)
	if err := p.Finish(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	if w, h := p.Size(); w != 264 || h != 214 || p.Bounds() != (view.Box{X: 68, Y: 68, W: 264, H: 214}) {
		t.Errorf("got %d x %d px, bounds %v; want the rectangle and 32 px around it", w, h, p.Bounds())
	}
}

// TestNoBrowser: where there is none, the engine says so, with the reason and
// the remedy; what is native is not affected.
func TestNoBrowser(t *testing.T) {
	cfg := Config{Backend: BackendCPU, Fidelity: FidelityAuto, Chrome: chrome.Config{Path: "/nowhere/chromium"}}
	e := openWith(t, cfg)
	if !errors.Is(e.Info().NoChrome, chrome.ErrMissing) {
		t.Errorf("got %v; want ErrMissing", e.Info().NoChrome)
	}
	w := e.Worker()
	prepare(t, w, view.View{Scene: sceneOf(t, rect), Bounds: view.Box{W: 400, H: 300}})
	_, err := w.Prepare(view.View{Scene: sceneOf(t, emoji), Bounds: view.Box{W: 400, H: 300}})
	if !errors.Is(err, view.ErrForeign) || !errors.Is(err, chrome.ErrMissing) {
		t.Errorf("got %v; want the reason and what is missing", err)
	}
	cfg.Fidelity = FidelityTldraw
	if _, err := Open(cfg); !errors.Is(err, chrome.ErrMissing) {
		t.Errorf("fidelity tldraw: got %v; want ErrMissing", err)
	}
}

// TestIncompleteRecords: a document whose records leave out what has a default
// is drawn, one that the editor refuses is drawn as it was read, and one that
// nobody can read is refused in the editor's words.
func TestIncompleteRecords(t *testing.T) {
	browser(t)
	e := openWith(t, Config{Backend: BackendCPU, Fidelity: FidelityTldraw})
	const record = `{"records":[{"typeName":"shape","id":"shape:a","type":"geo","x":10,"y":10,"props":{"geo":"rectangle","w":50,"h":40}}]}`
	s, err := scene.Decode([]byte(record), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	v := view.View{Scene: s, Source: []byte(record), Bounds: view.Box{W: 100, H: 80}}
	p := prepare(t, e.Worker(), v)
	if err := p.Finish(context.Background(), false); err != nil {
		t.Fatal(err)
	}
	got, err := e.Measure(nil, []*Prepared{p})
	if err != nil || got[0].A.Covered == 0 {
		t.Errorf("got %+v, %v; want the rectangle", got, err)
	}
	v.Source = []byte(strings.Replace(record, "50", `"wide"`, 1))
	p = prepare(t, e.Worker(), v)
	if err := p.Finish(context.Background(), false); err != nil {
		t.Errorf("a document that was read: %v", err)
	}
	v.Scene, v.Foreign = nil, view.ErrForeign
	p = prepare(t, e.Worker(), v)
	if err := p.Finish(context.Background(), false); !errors.Is(err, chrome.ErrScene) {
		t.Errorf("got %v; want the editor's refusal", err)
	}
}
