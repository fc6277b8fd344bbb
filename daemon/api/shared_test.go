package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	sysv "github.com/gen2brain/shm"
	"github.com/getkin/kin-openapi/routers/legacy"

	"plumb/daemon/queue"
	"plumb/daemon/queue/queuetest"
	"plumb/daemon/shm"
)

// lender is a server with regions on, and a segment of this process.
type lender struct {
	*served
	shared *shm.Registry
	id     int
	mem    []byte
}

const lent = 8192

func lend(t *testing.T, change func(*Config, *queue.Config, *queuetest.Suite)) *lender {
	t.Helper()
	id, err := sysv.Get(sysv.IPC_PRIVATE, lent, sysv.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	mem, err := sysv.At(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	g, err := shm.Open(shm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		var d sysv.IdDs
		if _, err := sysv.Ctl(id, sysv.IPC_STAT, &d); err != nil || d.Nattch != 1 {
			t.Errorf("%d attached, %v; want only ours", d.Nattch, err)
		}
		sysv.Dt(mem)
		sysv.Rm(id)
	})
	s := serve(t, func(c *Config, q *queue.Config, suite *queuetest.Suite) {
		c.SharedMemory, c.SharedSocket, c.TrustLoopback = g, true, true
		if change != nil {
			change(c, q, suite)
		}
	})
	return &lender{s, g, id, mem}
}

func (l *lender) registration(offset, size int) string {
	return fmt.Sprintf(`{"key":%q,"offset":%d,"byte_size":%d}`, shm.Key(l.id), offset, size)
}

// Every answer of the verbs, of drawing into regions and of measuring is as the
// document says. The cases run in order on one server.
func TestSharedAnswers(t *testing.T) {
	s := lend(t, nil)
	router, err := legacy.NewRouter(contract(t))
	if err != nil {
		t.Fatal(err)
	}
	const region = "/v2/systemsharedmemory/region/"
	const shape = `{"id":"shape:a","type":"geo","x":1,"y":2,"props":{"w":10,"h":10}}`
	scene := func(more string) string {
		return `{"id":"s","shapes":[` + shape + `],"bounds":[0,0,20,10]` + more + `}`
	}
	place := func(name string, size, offset int) string {
		return fmt.Sprintf(`"parameters":{"shared_memory_region":%q,"shared_memory_byte_size":%d,"shared_memory_offset":%d}`, name, size, offset)
	}
	b64 := base64.StdEncoding.EncodeToString
	for _, c := range []struct {
		method, path, body string
		header             string
		status             int
		want               string // in the body
	}{
		{"GET", "/v2", "", "", 200, `"extensions":["system_shared_memory"]`},
		{"GET", "/v2/systemsharedmemory/status", "", "", 200, `[]`},
		{"POST", region + "r/register", s.registration(0, 4096), "", 200, ""},
		{"POST", region + "r/register", s.registration(0, 4096), "", 400, `region_exists`},
		{"POST", region + "far/register", s.registration(8000, 193), "", 400, `bad_range`},
		{"POST", region + "r2/register", s.registration(4096, 4096), "", 200, ""},
		{"POST", region + "p/register", `{"key":"/triton_style","offset":0,"byte_size":64}`, "", 400, `bad_key`},
		{"POST", region + "p/register", `{"key":"/plumb_x","offset":0,"byte_size":64}`, "", 400, `the daemon's own`},
		{"POST", region + "p/register", `{"byte_size":64}`, "", 400, `want key`},
		{"POST", region + "p/register", `{"key":"sysv:1"}`, "", 400, `want byte_size`},
		{"POST", region + "p/register", `{"key":"sysv:1","byte_size":1.5}`, "", 400, `byte_size`},
		{"POST", region + "p/register", `{"key":"sysv:1","byte_size":64,"offset":"0"}`, "", 400, `offset`},
		{"POST", region + "p/register", `{"key":"sysv:1","byte_size":-64}`, "", 400, `bad_range`},
		{"POST", region + "p/register", `{"key":"sysv:1","byte_size":64,"ofset":64}`, "", 400, `"error":"cannot use body: got \"ofset\"; want key, offset, byte_size"`},
		{"POST", region + "p/register", `nonsense`, "", 400, `bad_body`},
		{"POST", region + "p/register", strings.Repeat(" ", maxSmallBody+1), "", 400, `bad_body`},
		{"POST", region + "a%20b/register", s.registration(0, 1), "", 400, `bad_region_name`},
		{"GET", region + "r/status", "", "", 200, `"byte_size":4096`},
		{"GET", region + "none/status", "", "", 400, `unknown_region`},
		{"GET", "/v2/systemsharedmemory/status", "", "", 200, `"name":"r2"`},
		{"GET", "/metrics", "", "", 200, "plumb_shm_regions 2\n"},

		{"POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=100", scene(""), "", 200,
			`{"id":"s","region":"r","offset":0,"bytes":80,"width":20,"height":1,"channels":"rgba","stride":80,"backend":"fake"}`},
		{"POST", "/v1/render?channels=alpha", scene("," + place("r", 20, 4076)), "", 200, `"offset":4076,"bytes":20,"width":20,"height":1,"channels":"alpha","stride":20`},
		{"POST", "/v1/render", scene("," + place("r", 79, 0)), "", 400, `"wanted_bytes":80`},
		{"POST", "/v1/render", scene("," + place("r", 80, 4017)), "", 400, `bad_range`},
		{"POST", "/v1/render", scene("," + place("r", 80, 4096)), "", 400, `shared_memory_offset`},
		{"POST", "/v1/render", scene("," + place("none", 80, 0)), "", 400, `unknown_region`},
		{"POST", "/v1/render", scene(`,"parameters":{"shared_memory_region":"r"}`), "", 400, `without shared_memory_byte_size`},
		{"POST", "/v1/render", scene(`,"parameters":{"shared_memory_byte_size":80}`), "", 400, `without shared_memory_region`},
		{"POST", "/v1/render", scene(`,"parameters":{"shared_memory_offset":0}`), "", 400, `without shared_memory_region`},
		{"POST", "/v1/render", scene(`,"parameters":{"shared_memory_size":80}`), "", 400, `cannot use parameters: got \"shared_memory_size\"; want shared_memory_region, shared_memory_byte_size, shared_memory_offset`},
		{"POST", "/v1/render", scene(`,"parameters":{"shared_memory_region":5,"shared_memory_byte_size":80}`), "", 400, `name of a region`},
		{"POST", "/v1/render", scene(`,"parameters":{"shared_memory_region":"r","shared_memory_byte_size":8e9999}`), "", 400, `shared_memory_byte_size`},
		{"POST", "/v1/render", scene(`,"parameters":[]`), "", 400, `want an object`},
		{"POST", "/v1/render", scene(`,"parameters":null`), "Accept: application/octet-stream", 200, "\x00"},
		{"POST", "/v1/render?shared_memory_byte_size=80", scene(""), "", 400, `without shared_memory_region`},
		{"POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=x", scene(""), "", 400, `shared_memory_byte_size`},
		{"POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=80", scene("," + place("r", 80, 0)), "", 400, `want one`},
		{"POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=80", `{"shapes":[]}`, "", 422, `bad_scene`},

		{"POST", "/v1/render", `{"scenes":[` + scene(","+place("r", 80, 0)) + `,` + scene("") + `,` + scene(","+place("r", 8, 0)) + `,5,` + scene(","+place("r2", 4096, 0)) + `]}`, "", 200, `"wanted_bytes":80`},
		{"POST", "/v1/render", `{"scenes":[]}`, "", 200, `{"pictures":[]}`},
		{"POST", "/v1/render", `{"scenes":[{]}`, "", 400, `bad_line`},
		{"POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=80", `{"scenes":[{}]}`, "", 400, `with scenes`},

		{"POST", "/v1/metrics", `{"a":{"data":"` + b64([]byte{0, 255, 0, 255}) + `","width":2,"height":2}}`, "", 200, `"center_of_mass":[1.5,1.0]`},
		{"POST", "/v1/metrics", `{"a":{"data":"AAAA","width":3,"height":1},"b":{"data":"AP8A","width":3,"height":1}}`, "", 200, `"undefined":{"a.center_of_mass":"a has no alpha","a.bbox":"a covers no pixel","coverage":`},
		{"POST", "/v1/metrics", `{"a":{` + place("r", 3, 0) + `,"width":3,"height":1},"b":{"data":"AP8A","width":3,"height":1},"hausdorff":false}`, "", 200, `"hausdorff":"not asked for"`},
		{"POST", "/v1/metrics?shared_memory_region=r&shared_memory_byte_size=4096&width=32&height=32&channels=rgba", "", "", 200, `"width":32`},
		{"POST", "/v1/metrics?width=2&height=1", "\xff\x00\x00\xff", "Content-Type: application/octet-stream", 200, `"hausdorff":1.0`},
		{"POST", "/v1/metrics?width=2&height=1&threshold=256", "\xff\x00", "Content-Type: application/octet-stream", 400, `threshold`},
		{"POST", "/v1/metrics", `{"a":{"data":"AP8A","width":3,"height":1},"treshold":9}`, "", 400, `cannot use body: got \"treshold\"; want a, b, threshold, hausdorff`},
		{"POST", "/v1/metrics", `{"a":{"data":"AP8A","width":3,"height":1,"chanels":"alpha"}}`, "", 400, `cannot use a: got \"chanels\"; want data, png, parameters, channels, width, height`},
		{"POST", "/v1/metrics?width=2&height=1&hausdorff=maybe", "\xff\x00", "Content-Type: application/octet-stream", 400, `hausdorff`},
		{"POST", "/v1/metrics?width=2", "\xff\x00", "Content-Type: application/octet-stream", 422, `height`},
		{"POST", "/v1/metrics?width=2&height=2", "\xff\x00", "Content-Type: application/octet-stream", 422, `want 4`},
		{"POST", "/v1/metrics?width=99999&height=99999", "\xff\x00", "Content-Type: application/octet-stream", 422, `--max-side`},
		{"POST", "/v1/metrics?width=2&height=2&channels=rgb", "\xff\x00", "Content-Type: application/octet-stream", 422, `channels`},
		{"POST", "/v1/metrics", "no picture", "Content-Type: image/png", 422, `PNG`},
		{"POST", "/v1/metrics", `{}`, "", 422, `a: it is missing`},
		{"POST", "/v1/metrics", `[`, "", 400, `bad_line`},
		{"POST", "/v1/metrics", `{"a":{"data":"AAAA"}}`, "", 422, `a.width`},
		{"POST", "/v1/metrics", `{"a":{"data":"AAAA","width":3,"height":1,"png":"AAAA"}}`, "", 422, `want one`},
		{"POST", "/v1/metrics", `{"a":{"data":"??","width":3,"height":1}}`, "", 422, `a.data`},
		{"POST", "/v1/metrics", `{"a":{"data":"AAAA","width":3,"height":1},"b":{"data":"AA==","width":1,"height":1}}`, "", 422, `one size`},
		{"POST", "/v1/metrics", `{"a":{"data":"AAAA","width":3,"height":1},"threshold":0}`, "", 400, `threshold`},
		{"POST", "/v1/metrics", `{"a":{"data":"AAAA","width":-3,"height":1}}`, "", 422, `a.width`},
		{"POST", "/v1/metrics", `{"a":{` + place("r", 2, 0) + `,"width":3,"height":1}}`, "", 422, `want at least 3`},
		{"POST", "/v1/metrics", `{"a":{` + place("none", 3, 0) + `,"width":3,"height":1}}`, "", 400, `unknown_region`},
		{"POST", "/v1/metrics", `{"a":{"parameters":{},"width":3,"height":1}}`, "", 422, `a.parameters`},
		{"POST", "/v1/metrics?shared_memory_region=r&shared_memory_byte_size=4096&width=32&height=32", "x", "", 422, `want one of them`},

		{"POST", region + "r/unregister", "", "", 200, ""},
		{"POST", region + "r/unregister", "", "", 400, `unknown_region`},
		{"POST", "/v2/systemsharedmemory/unregister", "", "", 200, ""},
		{"GET", "/v2/systemsharedmemory/status", "", "", 200, `[]`},
	} {
		req, err := http.NewRequest(c.method, s.url(c.path), strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			req.Header.Set(name, value)
		}
		resp, err := s.client.Do(req)
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.path, err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%s %s %.90q: got %d %.600s, %v; want %d with %q", c.method, c.path, c.body, resp.StatusCode, body, err, c.status, c.want)
		}
		if strings.Contains(string(body), "triton_style") {
			t.Errorf("%s %s: the answer reveals the key: %s", c.method, c.path, body)
		}
		check(t, router, req, resp, body)
	}
}

// Without --allow-client-shm every use is refused.
func TestSharedOff(t *testing.T) {
	s := serve(t, nil)
	for _, c := range [][3]string{
		{"GET", "/v2/systemsharedmemory/status", ""},
		{"POST", "/v2/systemsharedmemory/region/r/register", `{"key":"sysv:1","byte_size":1}`},
		{"POST", "/v2/systemsharedmemory/unregister", ""},
		{"POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=1", `{"shapes":[],"bounds":[0,0,1,1]}`},
		{"POST", "/v1/metrics?shared_memory_region=r&shared_memory_byte_size=1&width=1&height=1", ""},
	} {
		if code, _, body := s.do(t, c[0], c[1], c[2]); code != 400 || !strings.Contains(body, "--allow-client-shm") {
			t.Errorf("%v: got %d %s; want 400 and the flag", c, code, body)
		}
	}
	if _, _, body := s.do(t, "GET", "/v2", ""); strings.Contains(body, "shared") {
		t.Errorf("got %s; want no extension", body)
	}
}

// Nothing is written beside the picture's place.
func TestRenderInPlace(t *testing.T) {
	s := lend(t, nil)
	for i := range s.mem {
		s.mem[i] = 0xaa
	}
	if code, _, body := s.do(t, "POST", "/v2/systemsharedmemory/region/r/register", s.registration(100, 1000)); code != 200 {
		t.Fatal(body)
	}
	const scene = `{"shapes":[],"bounds":[0,0,20,1],"parameters":{"shared_memory_region":"r","shared_memory_byte_size":900,"shared_memory_offset":50}}`
	if code, _, body := s.do(t, "POST", "/v1/render", scene); code != 200 {
		t.Fatal(body)
	}
	for i, b := range s.mem {
		if written := i >= 150 && i < 150+80; (b == 0) != written {
			t.Fatalf("byte %d is %#x", i, b)
		}
	}
}

// A region is unregistered, and its segment removed, while a picture for it is
// being drawn: the picture still gets there, and nothing is left.
func TestUnregisterDuringRender(t *testing.T) {
	hold := make(chan struct{})
	s := lend(t, nil)
	s.engine.Hold = hold
	s.mem[0] = 0xaa
	if code, _, body := s.do(t, "POST", "/v2/systemsharedmemory/region/r/register", s.registration(0, 80)); code != 200 {
		t.Fatal(body)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		code, _, body := s.do(t, "POST", "/v1/render?shared_memory_region=r&shared_memory_byte_size=80", `{"shapes":[],"bounds":[0,0,20,1]}`)
		if code != 200 {
			t.Errorf("got %d %s", code, body)
		}
	})
	attached := func() int {
		var d sysv.IdDs
		sysv.Ctl(s.id, sysv.IPC_STAT, &d)
		return int(d.Nattch)
	}
	for end := time.Now().Add(time.Minute); attached() < 3; time.Sleep(time.Millisecond) { // ours, reading, writing
		if time.Now().After(end) {
			t.Fatal("the request never took the region")
		}
	}
	if code, _, body := s.do(t, "POST", "/v2/systemsharedmemory/region/r/unregister", ""); code != 200 {
		t.Errorf("got %d %s", code, body)
	}
	if err := sysv.Rm(s.id); err != nil {
		t.Error(err)
	}
	if code, _, body := s.do(t, "GET", "/v2/systemsharedmemory/region/r/status", ""); code != 400 {
		t.Errorf("got %d %s; want it gone", code, body)
	}
	close(hold)
	wg.Wait()
	if s.mem[0] != 0 || attached() != 1 {
		t.Errorf("got %#x and %d attached; want the picture and only ours", s.mem[0], attached())
	}
}

// All forms of one mask give the same numbers.
func TestMetricsForms(t *testing.T) {
	s := lend(t, nil)
	const w, h = 31, 17
	img, grey := image.NewNRGBA(image.Rect(0, 0, w, h)), image.NewGray(image.Rect(0, 0, w, h))
	grey16 := image.NewGray16(grey.Rect)
	for i := range grey.Pix {
		a := uint8(i * 7)
		if i%5 == 0 {
			a = 0
		}
		grey.Pix[i], img.Pix[4*i+3] = a, a
		grey16.SetGray16(i%w, i/w, color.Gray16{Y: uint16(a) * 257})
	}
	encode := func(m image.Image) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if code, _, body := s.do(t, "POST", "/v2/systemsharedmemory/region/r/register", s.registration(0, lent)); code != 200 {
		t.Fatal(body)
	}
	copy(s.mem[64:], img.Pix)
	b64 := base64.StdEncoding.EncodeToString
	const raw = "application/octet-stream"
	var want string
	for i, c := range []struct{ query, body, kind string }{
		{"?width=31&height=17", string(grey.Pix), raw},
		{"?width=31&height=17&channels=rgba", string(img.Pix), raw},
		{"", string(encode(img)), "image/png"},
		{"", string(encode(grey)), "image/png"},
		{"", string(encode(grey16)), "image/png"},
		{"", fmt.Sprintf(`{"a":{"png":%q}}`, b64(encode(img))), ""},
		{"", fmt.Sprintf(`{"a":{"data":%q,"width":31,"height":17}}`, b64(grey.Pix)), ""},
		{"", `{"a":{"width":31,"height":17,"channels":"rgba","parameters":{"shared_memory_region":"r","shared_memory_byte_size":8000,"shared_memory_offset":64}}}`, "application/json"},
		{"?shared_memory_region=r&shared_memory_byte_size=8000&shared_memory_offset=64&width=31&height=17&channels=rgba", "", ""},
	} {
		var header []string
		if c.kind != "" {
			header = []string{"Content-Type", c.kind}
		}
		code, _, body := s.do(t, "POST", "/v1/metrics"+c.query, c.body, header...)
		if i == 0 {
			want = body
		}
		if code != 200 || body != want {
			t.Errorf("%d: got %d %s; want %s", i, code, body, want)
		}
	}
	var got struct {
		A struct {
			Sum     float64 `json:"alpha_sum"`
			Covered int     `json:"covered_pixels"`
		} `json:"a"`
	}
	sum, covered := 0, 0
	for _, a := range grey.Pix {
		sum += int(a)
		if a > 0 {
			covered++
		}
	}
	if err := json.Unmarshal([]byte(want), &got); err != nil || got.A.Sum != float64(sum) || got.A.Covered != covered {
		t.Errorf("got %s, %v; want %d and %d", want, err, sum, covered)
	}
}

// A PNG that says it is huge is refused before its pixels are made.
func TestMetricsBomb(t *testing.T) {
	s := serve(t, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	bomb := b.Bytes()
	copy(bomb[16:24], []byte{0, 0, 0x7f, 0xff, 0, 0, 0x7f, 0xff})
	code, _, body := s.do(t, "POST", "/v1/metrics", string(bomb), "Content-Type", "image/png")
	if code != 422 {
		t.Errorf("got %d %s; want 422", code, body)
	}
}

func FuzzRegistration(f *testing.F) {
	f.Add([]byte(`{"key":"sysv:1","offset":0,"byte_size":1}`))
	f.Add([]byte(`{"key":null,"offset":1e400}`))
	g, err := shm.Open(shm.Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { g.Close() })
	f.Fuzz(func(t *testing.T, body []byte) {
		key, offset, size, err := registration(body)
		if err != nil {
			return
		}
		if err := g.Register("x", key, offset, size, shm.Self()); err == nil {
			g.Unregister("x", shm.Self())
			if offset < 0 || size <= 0 {
				t.Fatalf("took %d bytes at %d", size, offset)
			}
		}
	})
}

func FuzzParameters(f *testing.F) {
	f.Add([]byte(`{"parameters":{"shared_memory_region":"r","shared_memory_byte_size":1,"shared_memory_offset":2}}`))
	f.Add([]byte(` {"scenes":[{},{"parameters":{}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if list, ok, err := scenes(body, 100); err == nil && (len(list) > 100 || !ok && list != nil) {
			t.Fatalf("got %d scenes, %v", len(list), ok)
		}
		if to, err := regionParameters(body); err == nil && to.name == "" && to != (regionRange{}) {
			t.Fatalf("got %+v", to)
		}
	})
}
