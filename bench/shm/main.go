// Command shm measures how fast a daemon gives out pictures: as PNG, as raw
// bytes and into a client's shared memory, one scene per request and several.
// The same scenes go through all routes in turn, several times in one run, and
// each picture is compared with the PNG's pixels first.
//
//	go run ./bench/shm > bench/results/shm.txt
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	sysv "github.com/gen2brain/shm"
	"github.com/valyala/fastjson"

	"plumb/bench/figure"
	"plumb/bench/rig"
	"plumb/daemon/shm"
	"plumb/scoring/plural"
)

// bytesPerPicture is the size of the part of the segment for one picture, bytes.
const bytesPerPicture = 8 << 20

// main reads the flags and measures how fast a daemon gives out pictures over HTTP and in shared memory.
func main() {
	log.SetFlags(0)
	n := flag.Int("scenes", 96, "scenes of the sample dump, spread over it")
	runs := flag.Int("runs", 5, "counted runs of each route, after one that is not")
	clients := flag.Int("clients", 4, "requests at once")
	batch := flag.Int("batch", 16, "scenes per request of the batch route")
	dump := flag.String("dump", "testdata/aspire/demo.jsonl", "the sample dump")
	plumb := flag.String("plumb", "bin/plumb", "the program")
	args := flag.String("args", "--fidelity native", "further flags of plumb serve, separated by blanks")
	flag.Parse()
	if err := measure(*plumb, strings.Fields(*args), *dump, *n, *runs, *clients, *batch); err != nil {
		log.Fatal(err)
	}
}

// bench is a running daemon with the shared memory into which it draws.
type bench struct {
	addr            string
	cmd             *exec.Cmd
	id              int
	mem             []byte
	sceneBeginnings [][]byte // see load
	client          *http.Client
}

// measure starts the program plumb as a daemon and measures how many pictures per second leave it on each of
// five routes: over HTTP as PNG, as PNG that the client decodes, or as raw pixels, and into shared memory,
// one or batch pictures a request. n is the number of scenes of the dump. Each run goes over all scenes on all
// routes in turn.
func measure(plumb string, args []string, dump string, n, runs, clients, batch int) error {
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return err
	}
	scenes, err := loadScenes(dump, n)
	if err != nil {
		return err
	}
	bench := &bench{sceneBeginnings: scenes, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}}
	defer bench.close()
	if err := bench.start(plumb, args, max(clients*batch, len(scenes))); err != nil {
		return err
	}
	pixels, err := bench.verify()
	if err != nil {
		return err
	}
	header(commit, args, len(scenes), pixels, runs, clients, batch)
	routes := []struct {
		name             string
		fetch            func(client, i int) error // makes one request
		scenesPerRequest int
	}{
		{"png", func(_, i int) error { return noValue(bench.fetch(i, "")) }, 1},
		{"png, decoded", func(_, i int) error { return bench.fetchDecoded(i) }, 1},
		{"raw", func(_, i int) error { return noValue(bench.fetch(i, "application/octet-stream")) }, 1},
		// Each client has batch places of the segment, from client*batch on.
		{"shm", func(client, i int) error { return bench.drawInto(i, i+1, client*batch) }, 1},
		{"shm, batched", func(client, i int) error { return bench.drawInto(i, min(i+batch, len(scenes)), client*batch) }, batch},
	}
	rates := make([][]float64, len(routes)) // pictures per second, by route and run
	for run := 0; run <= runs; run++ {
		for k, route := range routes {
			rate, err := bench.measurePass(clients, route.scenesPerRequest, route.fetch)
			if err != nil {
				return fmt.Errorf("%s: %w", route.name, err)
			}
			if run > 0 { // the first fills caches
				rates[k] = append(rates[k], rate)
			}
		}
	}
	// The table.
	const bytesPerPixel = 4
	megabytes := float64(bytesPerPixel*pixels) / float64(len(scenes)) / 1e6 // of a picture, on average
	fmt.Printf("%-13s %10s %10s %8s   %s\n", "route", "scenes/s", "MB/s", "of png", "runs")
	png := figure.Median(rates[0])
	for k, route := range routes {
		rate := figure.Median(rates[k])
		fmt.Printf("%-13s %10.1f %10.1f %8.2f   %.0f\n", route.name, rate, rate*megabytes, rate/png, rates[k])
	}
	return nil
}

// loadScenes returns n different scenes of a dump, spread evenly over it, or repeated if the dump has fewer.
// A scene is the beginning of a request of the daemon: its JSON lacks the last brace, because
// parameters may follow.
func loadScenes(path string, n int) ([][]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all [][]byte
	seen := map[string]bool{}
	// Collect the different scenes.
	for line := range bytes.Lines(text) {
		value, err := fastjson.ParseBytes(line)
		if err != nil {
			return nil, err
		}
		shapes := value.Get("shapes").MarshalTo(nil)
		if len(value.GetArray("shapes")) == 0 || seen[string(shapes)] {
			continue
		}
		seen[string(shapes)] = true
		all = append(all, fmt.Appendf(nil, `{"shapes":%s`, shapes))
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no scenes in %s", path)
	}
	// Choose n of them.
	var chosen [][]byte
	for i := range n {
		chosen = append(chosen, all[i*len(all)/n]) // if there are fewer than n, some come several times in a row
	}
	return chosen, nil
}

// start makes a segment of System V shared memory with that many places for pictures, starts a daemon, and
// registers the segment with it, so that the daemon may write pictures into the segment.
func (bench *bench) start(plumb string, args []string, places int) (err error) {
	size := places * bytesPerPicture
	if size > shm.MaxSegment {
		return fmt.Errorf("%d bytes of pictures; want at most %d: fewer clients or smaller batches", size, shm.MaxSegment)
	}
	if bench.id, err = sysv.Get(sysv.IPC_PRIVATE, size, sysv.IPC_CREAT|0o600); err != nil {
		return err
	}
	if bench.mem, err = sysv.At(bench.id, 0, 0); err != nil {
		return err
	}
	bench.cmd = exec.Command(plumb, append([]string{"serve", "--listen", "127.0.0.1:0", "--allow-client-shm", "--shm-trust-loopback", "--log-level", "warn"}, args...)...)
	errs, err := bench.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := bench.cmd.Start(); err != nil {
		return err
	}
	// Wait until it has printed its address.
	listening := regexp.MustCompile(`(?m)^listening on (\S+)$`)
	var output []byte
	for buf := make([]byte, 4096); bench.addr == ""; {
		n, err := errs.Read(buf)
		output = append(output, buf[:n]...)
		if match := listening.FindSubmatch(output); match != nil {
			bench.addr = string(match[1])
		} else if err != nil {
			return fmt.Errorf("the daemon ended: %s", output)
		}
	}
	go io.Copy(os.Stderr, errs)
	_, err = bench.post("/v2/systemsharedmemory/region/bench/register", fmt.Appendf(nil, `{"key":%q,"byte_size":%d}`, shm.Key(bench.id), size), "")
	return err
}

// close ends the daemon and frees the shared memory.
func (bench *bench) close() {
	if bench.cmd != nil && bench.cmd.Process != nil {
		bench.cmd.Process.Kill()
		bench.cmd.Wait()
	}
	if bench.mem != nil {
		sysv.Dt(bench.mem)
		sysv.Rm(bench.id)
	}
}

// post sends a JSON body to a path of the daemon and returns the body of the reply. accept is the media type
// that a picture should have, "" for PNG. A status other than 200 is an error.
func (bench *bench) post(path string, body []byte, accept string) ([]byte, error) {
	req, err := http.NewRequest("POST", "http://"+bench.addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	resp, err := bench.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out bytes.Buffer
	if resp.ContentLength > 0 {
		out.Grow(int(resp.ContentLength) + bytes.MinRead) // ReadFrom grows a buffer with less room than MinRead
	}
	_, err = out.ReadFrom(resp.Body)
	if err == nil && resp.StatusCode != 200 {
		err = fmt.Errorf("status %d: %.300s", resp.StatusCode, out.Bytes())
	}
	return out.Bytes(), err
}

// request returns the JSON of scene i as a whole request, without parameters.
func (bench *bench) request(i int) []byte { return append(slices.Clone(bench.sceneBeginnings[i]), '}') }

// fetch gets the picture of scene i from the daemon over HTTP. accept is the media type that it should
// have, "" for PNG. No bytes are an error.
func (bench *bench) fetch(i int, accept string) ([]byte, error) {
	out, err := bench.post("/v1/render", bench.request(i), accept)
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("scene %d: no bytes", i)
	}
	return out, err
}

// fetchDecoded gets the picture of scene i as a PNG and decodes it, as a client does that needs pixels.
func (bench *bench) fetchDecoded(i int) error {
	out, err := bench.fetch(i, "")
	if err != nil {
		return err
	}
	_, err = png.Decode(bytes.NewReader(out))
	return err
}

// noValue returns the error alone of a fetched picture.
func noValue(_ []byte, err error) error { return err }

// placed is the part of an answer that is read: where a picture lies in shared memory.
type placed struct {
	Error         string
	Width, Height int
	Offset, Bytes int
}

// drawInto lets the daemon draw the scenes [from, to) into the places from firstPlace on.
func (bench *bench) drawInto(from, to, firstPlace int) error {
	_, err := bench.renderShared(from, to, firstPlace)
	return err
}

// fault returns an error if the daemon did not draw the picture of scene i.
func (picture *placed) fault(i int) error {
	if picture.Error != "" || picture.Bytes == 0 {
		return fmt.Errorf("scene %d: no picture: %s", i, picture.Error)
	}
	return nil
}

// renderShared has the daemon draw the scenes from `from` up to, but without, `to` into the segment of shared
// memory, in one request. Places of the segment are numbered. The picture of scene `from` goes to the place
// firstPlace, that of the next scene to the place after it. It returns where the pictures are, and their sizes.
func (bench *bench) renderShared(from, to, firstPlace int) ([]placed, error) {
	appendScene := func(dst []byte, i int) []byte {
		dst = append(dst, bench.sceneBeginnings[i]...)
		return fmt.Appendf(dst, `,"parameters":{"shared_memory_region":"bench","shared_memory_byte_size":%d,"shared_memory_offset":%d}}`, bytesPerPicture, (firstPlace+i-from)*bytesPerPicture)
	}
	if to == from+1 { // a single scene is a request without a list
		var picture placed
		out, err := bench.post("/v1/render", appendScene(nil, from), "")
		if err == nil {
			err = json.Unmarshal(out, &picture)
		}
		if err == nil {
			err = picture.fault(from)
		}
		return []placed{picture}, err
	}
	body := []byte(`{"scenes":[`)
	for i := from; i < to; i++ {
		if i > from {
			body = append(body, ',')
		}
		body = appendScene(body, i)
	}
	out, err := bench.post("/v1/render", append(body, "]}"...), "")
	if err != nil {
		return nil, err
	}
	var reply struct{ Pictures []placed }
	if err := json.Unmarshal(out, &reply); err != nil {
		return nil, err
	}
	for i, picture := range reply.Pictures {
		if err := picture.fault(from + i); err != nil {
			return nil, err
		}
	}
	return reply.Pictures, nil
}

// verify requests every scene twice, once into the shared segment and once as a PNG, and returns an
// error if the pixels differ. pixels is the number of pixels of all scenes.
func (bench *bench) verify() (pixels int, err error) {
	const firstPlace = 0
	all, err := bench.renderShared(0, len(bench.sceneBeginnings), firstPlace)
	if err != nil {
		return 0, err
	}
	for i, shared := range all {
		text, err := bench.post("/v1/render", bench.request(i), "")
		if err != nil {
			return 0, err
		}
		img, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			return 0, err
		}
		want, ok := img.(*image.NRGBA)
		if !ok { // the decoder gives pictures without transparency another type
			want = image.NewNRGBA(img.Bounds())
			draw.Draw(want, want.Rect, img, img.Bounds().Min, draw.Src)
		}
		if shared.Width != want.Rect.Dx() || !bytes.Equal(bench.mem[shared.Offset:shared.Offset+shared.Bytes], want.Pix) {
			return 0, fmt.Errorf("scene %d: the segment holds other pixels than the PNG", i)
		}
		pixels += shared.Width * shared.Height
	}
	return pixels, nil
}

// measurePass has clients request the pictures of all scenes once and returns how many scenes per second they got.
// request makes one request on behalf of a client, for scenesPerRequest scenes from scene i on. Of the errors
// of requests it returns one.
func (bench *bench) measurePass(clients, scenesPerRequest int, request func(client, i int) error) (float64, error) {
	work := make(chan int)
	errs := make(chan error, clients) // the first errors; further ones are dropped
	var wg sync.WaitGroup
	start := time.Now()
	for client := range clients {
		wg.Go(func() {
			for i := range work {
				if err := request(client, i); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for i := 0; i < len(bench.sceneBeginnings); i += scenesPerRequest {
		work <- i
	}
	close(work)
	wg.Wait()
	took := time.Since(start)
	select {
	case err := <-errs:
		return 0, err
	default:
	}
	return float64(len(bench.sceneBeginnings)) / took.Seconds(), nil
}

// header prints what was measured, where and how.
func header(commit string, args []string, scenes, pixels, runs, clients, batch int) {
	fmt.Printf("# pictures out of a daemon: plumb serve %s\n", strings.Join(args, " "))
	fmt.Print(rig.Header(commit))
	fmt.Printf("# %d scenes of %.2f Mpx in the mean; %d clients; %d scenes per batched request; medians of %s\n", scenes, float64(pixels)/float64(scenes)/1e6, clients, batch, plural.Of(runs, "run"))
}
