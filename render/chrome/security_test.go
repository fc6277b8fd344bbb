package chrome

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"plumb/render/view"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/runtime"
)

// bait is a server that must never be asked for anything.
func bait(t *testing.T) (address string, hits *atomic.Int64) {
	t.Helper()
	hits = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 1, 1)))
	}))
	t.Cleanup(s.Close)
	return s.URL, hits
}

// withAsset is a scene with one image that shows this file.
func withAsset(t *testing.T, kind, mime, src string) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"shapes": []any{map[string]any{"id": "shape:a", "type": kind, "x": 0, "y": 0,
			"props": map[string]any{"w": 40, "h": 40, "assetId": "asset:a"}}},
		"assets": []any{map[string]any{"id": "asset:a", "typeName": "asset", "type": kind, "meta": map[string]any{},
			"props": map[string]any{"name": "a", "src": src, "w": 40, "h": 40, "mimeType": mime, "isAnimated": false}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withBookmark is a bookmark whose card has a picture and an icon from elsewhere.
func withBookmark(t *testing.T, address string) []byte {
	t.Helper()
	return []byte(`{"shapes":[{"id":"shape:a","type":"bookmark","x":0,"y":0,"props":{"url":"` + address + `/page","assetId":"asset:a"}}],
"assets":[{"id":"asset:a","typeName":"asset","type":"bookmark","meta":{},"props":{"src":"` + address + `/page","title":"a","description":"b",
"image":"` + address + `/a.png","favicon":"` + address + `/icon.png"}}]}`)
}

func sourceRequest(src []byte) Request {
	return Request{View: view.View{Bounds: view.Box{W: 40, H: 40}}, Source: src}
}

func dataAddress(kind string, b []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(b)
}

// TestNetwork: a scene that reaches for the network or the disk gets nothing,
// and every try is counted.
func TestNetwork(t *testing.T) {
	address, hits := bait(t)
	p := open(t, Config{})
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><image href="` + address + `/in.png" width="40" height="40"/>` +
		`<style>@import url("` + address + `/a.css"); rect { fill: url("` + address + `/b.svg#x") }</style></svg>`
	for _, row := range []struct {
		name    string
		source  []byte
		counted bool // a file would be drawn that is elsewhere: refused by name, and counted
	}{
		{"image", withAsset(t, "image", "image/png", address+"/a.png"), true},
		{"image of another scheme", withAsset(t, "image", "image/png", "ftp://127.0.0.1/a.png"), false}, // no asset of the editor's
		{"file", withAsset(t, "image", "image/png", "file:///etc/hostname"), false},
		{"page's own address", withAsset(t, "image", "image/png", "/secret.png"), false},
		{"SVG that refers elsewhere", withAsset(t, "image", "image/svg+xml", dataAddress("image/svg+xml", []byte(svg))), false},
		{"video", withAsset(t, "video", "video/mp4", address+"/a.mp4"), true},
		{"bookmark", []byte(`[{"type":"bookmark","x":0,"y":0,"props":{"url":"` + address + `/page"}}]`), false},
		{"embed", []byte(`[{"type":"embed","x":0,"y":0,"props":{"url":"` + address + `/page"}}]`), false},
		{"embed of a known site", []byte(`[{"type":"embed","x":0,"y":0,"props":{"url":"https://www.youtube.com/watch?v=aaaaaaaaaaa"}}]`), false},
		{"bookmark with a picture", withBookmark(t, address), true},
		{"link", []byte(`[{"type":"geo","x":0,"y":0,"props":{"w":20,"h":20,"url":"` + address + `/page"}}]`), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := p.Stats().Blocked
			_, err := p.Export(context.Background(), sourceRequest(row.source))
			if err != nil && !errors.Is(err, ErrScene) {
				t.Fatal(err)
			}
			if n := hits.Load(); n != 0 {
				t.Errorf("the network was reached %d times", n)
			}
			if row.counted && (p.Stats().Blocked == before || err == nil || !strings.Contains(err.Error(), "shape:a") || !strings.Contains(err.Error(), address)) {
				t.Errorf("got %v, %d stopped; want an error that names shape and file, and a file that is counted", err, p.Stats().Blocked-before)
			}
		})
	}
	same(t, p, nil)
}

// escapes are the ways out of a page that a script knows. Those of a group run
// in one page; what leaves the page has a group of its own.
var escapes = [][]string{{
	`fetch(A + '/fetch', { mode: 'no-cors' })`,
	`new Image().src = A + '/img'`,
	`navigator.sendBeacon(A + '/beacon', 'x')`,
	`new WebSocket(A.replace('http', 'ws') + '/ws')`,
	`new EventSource(A + '/events')`,
	`document.body.append(Object.assign(document.createElement('iframe'), { src: A + '/frame' }))`,
	`document.body.append(Object.assign(document.createElement('script'), { src: A + '/script' }))`,
	`document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: A + '/css' }))`,
	`document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: A + '/prefetch' }))`,
	`document.head.append(Object.assign(document.createElement('link'), { rel: 'preconnect', href: A }))`,
	`document.body.append(Object.assign(document.createElement('object'), { data: A + '/object' }))`,
	`new Worker(URL.createObjectURL(new Blob(["fetch('" + A + "/worker')"])))`,
	`navigator.serviceWorker.register('/page.js')`,
	`{ const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + A.slice(7) }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)) }`,
	`window.open(A + '/open')`,
}, {
	`location.href = A + '/navigate'`,
}, {
	`{ const f = document.createElement('form'); f.action = A + '/form'; document.body.append(f); f.submit() }`,
}, {
	`location.href = 'file:///etc/hostname'`,
}}

// TestEscapes: scripts do not run in scenes, but if one did it would not get
// out, neither past the page's policy nor, where that is missing, past the guard.
func TestEscapes(t *testing.T) {
	if testing.Short() {
		t.Skip("opens many tabs")
	}
	address, hits := bait(t)
	p := open(t, Config{})
	guarded := p.site
	for _, row := range []struct {
		name    string
		site    site
		stopped int64 // at least, by the guard, in the first group
	}{{"policy", guarded, 0}, {"guard alone", withoutPolicy(guarded), 8}} {
		t.Run(row.name, func(t *testing.T) {
			p.site = row.site
			for i, group := range escapes {
				w := &worker{pool: p}
				if err := w.ensurePage(); err != nil {
					t.Fatal(err)
				}
				script := "const A = '" + address + "';"
				for _, one := range group {
					script += "try {" + one + "} catch {}\n"
				}
				evaluate(t, w, "{"+script+"}")
				time.Sleep(300 * time.Millisecond)
				if n := w.page.blocked.Load(); i == 0 && n < row.stopped {
					t.Errorf("the guard stopped %d requests; want at least %d", n, row.stopped)
				}
				if n := hits.Swap(0); n != 0 {
					t.Errorf("%s: the network was reached %d times", group, n)
				}
				if i == 0 {
					demandCounted(t, w)
				}
				w.closePage()
			}
		})
	}
}

// demandCounted demands that what was stopped shows in the next export's count.
func demandCounted(t *testing.T, w *worker) {
	t.Helper()
	r := boxRequest(t)
	res, err := w.draw(&r)
	if err != nil {
		t.Fatal(err)
	}
	if res.Blocked < 5 {
		t.Errorf("stopped requests that were counted: got %d; want at least 5", res.Blocked)
	}
}

// withoutPolicy is the page without its Content-Security-Policy.
func withoutPolicy(s site) site {
	bare := site{s.origin, map[string]*file{}}
	for url, f := range s.files {
		g := *f
		g.headers = nil
		for _, h := range f.headers {
			if h.Name != "Content-Security-Policy" {
				g.headers = append(g.headers, &fetch.HeaderEntry{Name: h.Name, Value: h.Value})
			}
		}
		bare.files[url] = &g
	}
	return bare
}

// TestScriptInImage: an SVG asset is drawn as a picture, and its script is not run.
func TestScriptInImage(t *testing.T) {
	address, hits := bait(t)
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="fetch('` + address + `/onload')">
<rect id="r" width="40" height="40" fill="#00ff00"/>
<script>document.getElementById('r').setAttribute('fill', '#ff0000'); fetch('` + address + `/script')</script>
<foreignObject width="40" height="40"><iframe xmlns="http://www.w3.org/1999/xhtml" src="` + address + `/frame"></iframe></foreignObject></svg>`
	w := single(t, Config{})
	req := sourceRequest(withAsset(t, "image", "image/svg+xml", dataAddress("image/svg+xml", []byte(svg))))
	r, err := w.draw(&req)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Image.NRGBAAt(20, 20), (color.NRGBA{0, 255, 0, 255}); got != want {
		t.Errorf("got %v; want %v: drawn, and its script not run", got, want)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the network was reached %d times", n)
	}
}

// TestImage: an image that a scene brings along is drawn.
func TestImage(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.SetNRGBA(0, 0, color.NRGBA{255, 0, 0, 255})
	img.SetNRGBA(1, 0, color.NRGBA{0, 0, 255, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	p := open(t, Config{})
	r, err := p.Export(context.Background(), sourceRequest(withAsset(t, "image", "image/png", dataAddress("image/png", b.Bytes()))))
	if err != nil {
		t.Fatal(err)
	}
	left, right := r.Image.NRGBAAt(2, 20), r.Image.NRGBAAt(37, 20)
	if left != (color.NRGBA{255, 0, 0, 255}) || right != (color.NRGBA{0, 0, 255, 255}) || r.Blocked != 0 {
		t.Errorf("got %v, %v, %d requests stopped; want red, blue, 0", left, right, r.Blocked)
	}
}

// hugePNG is a small file that claims to have side x side px.
func hugePNG(side uint32) []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		body := append([]byte(kind), data...)
		b = append(b, body...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(nil, side)
	head = binary.BigEndian.AppendUint32(head, side)
	chunk("IHDR", append(head, 8, 6, 0, 0, 0))
	chunk("IDAT", []byte{0x78, 0x9c, 3, 0, 0, 0, 0, 1})
	chunk("IEND", nil)
	return b
}

// bomb is an SVG of a few hundred bytes with 10^n rectangles.
func bomb(n int) []byte {
	s := `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><defs><rect id="g0" width="9" height="9"/>`
	for i := range n {
		s += fmt.Sprintf(`<g id="g%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#g%d"/>`, i), 10))
	}
	return []byte(s + fmt.Sprintf(`</defs><use href="#g%d"/></svg>`, n))
}

// TestBombs: what is too large is refused before the browser sees it, and what
// only turns out there is ended; afterwards everything works as before.
func TestBombs(t *testing.T) {
	p := open(t, Config{Deadline: 6 * time.Second, MaxMemory: 1 << 30})
	want := same(t, p, nil)
	for _, row := range []struct {
		name   string
		source []byte
		want   []error // any of them; nil means that the scene may be drawn
	}{
		{"50 MB image", withAsset(t, "image", "image/png", dataAddress("image/png", make([]byte, 50<<20))), []error{ErrLimit}},
		{"20 MB image", withAsset(t, "image", "image/png", dataAddress("image/png", make([]byte, 20<<20))), []error{ErrLimit}},
		{"50 MB data URL in a link", []byte(`[{"type":"geo","props":{"url":"data:text/html,` + strings.Repeat("x", 50<<20) + `"}}]`), []error{ErrLimit}},
		{"PNG of 60,000 x 60,000 px", withAsset(t, "image", "image/png", dataAddress("image/png", hugePNG(60000))), []error{ErrLimit}},
		{"PNG under another name", withAsset(t, "image", "image/png", dataAddress("image/jpeg", hugePNG(60000))), []error{ErrLimit}},
		{"PNG without base64", withAsset(t, "image", "image/png", "data:image/png,"+percent(hugePNG(60000))), []error{ErrLimit}},
		{"SVG with 10^9 shapes", withAsset(t, "image", "image/svg+xml", dataAddress("image/svg+xml", bomb(9))), []error{nil, ErrDeadline, ErrLost, ErrScene}},
		{"SVG with entities", withAsset(t, "image", "image/svg+xml", dataAddress("image/svg+xml", []byte(entities))), []error{ErrLimit}},
		{"picture of 32,768 x 32,768 px", nil, []error{ErrLimit}},
	} {
		t.Run(row.name, func(t *testing.T) {
			req := sourceRequest(row.source)
			if row.source == nil {
				req = boxRequest(t)
				req.Bounds = view.Box{W: 32768, H: 32768}
			}
			start := time.Now()
			_, err := p.Export(context.Background(), req)
			ok := false
			for _, e := range row.want {
				ok = ok || err == nil && e == nil || e != nil && errors.Is(err, e)
			}
			if !ok {
				t.Errorf("got %v; want one of %v", err, row.want)
			}
			t.Logf("%v after %v", err, time.Since(start).Round(time.Millisecond))
			same(t, p, want)
		})
	}
}

const entities = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">` +
	`<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">` +
	`<!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;">]>` +
	`<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><text>&h;</text></svg>`

func percent(b []byte) string {
	var s strings.Builder
	for _, c := range b {
		fmt.Fprintf(&s, "%%%02x", c)
	}
	return s.String()
}

// TestEmptied: the editor is the same after every scene, whatever was in it.
func TestEmptied(t *testing.T) {
	for _, version := range []string{"4.2", "5.4"} {
		t.Run(version, func(t *testing.T) { emptied(t, version) })
	}
}

func emptied(t *testing.T, version string) {
	w := single(t, Config{Version: version})
	state := func() string {
		r, err := cdp.Call(w.page.ctx, w.page.target, runtime.Evaluate, runtime.EvaluateParams{Expression: "plumb.state()"})
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Result.Value)
	}
	before := state()
	for _, r := range references(t, sample...) {
		for how, req := range r.requests(t, picture{}) {
			res, err := w.draw(&req)
			if err != nil {
				t.Fatalf("%s as %s: %v", r.ID, how, err)
			}
			if !slices.ContainsFunc(res.Image.Pix, func(v uint8) bool { return v != 0 }) {
				t.Errorf("%s as %s: nothing is drawn", r.ID, how)
			}
			if after := state(); after != before {
				t.Fatalf("%s as %s: the editor is left with %s; want %s", r.ID, how, after, before)
			}
		}
	}
}
