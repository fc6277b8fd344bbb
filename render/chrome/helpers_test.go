package chrome

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// helpers returns the processes of this type (Chromium's flag --type) that
// belong to a browser.
func helpers(b *browserInstance, kind string) (pids []int) {
	for _, one := range browserProcesses(b.pid, b.profile.dir) {
		line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(one.pid), "cmdline"))
		if !one.zombie && slices.Contains(strings.FieldsFunc(string(line), func(r rune) bool { return r == 0 || r == 32 }), "--type="+kind) {
			pids = append(pids, one.pid)
		}
	}
	return pids
}

// killHelpers kills them and returns how many there were.
func killHelpers(p *Pool, kind string) (n int) {
	if b := current(p); b != nil {
		for _, pid := range helpers(b, kind) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				n++
			}
		}
	}
	return n
}

// TestKilledGPU kills the GPU process between two exports, after which canvases
// of tabs that are open read as transparent.
func TestKilledGPU(t *testing.T) {
	p := open(t, Config{})
	want := same(t, p, nil)
	if killHelpers(p, "gpu-process") == 0 {
		t.Fatal("the browser has no GPU process")
	}
	for range 3 {
		time.Sleep(100 * time.Millisecond)
		same(t, p, want)
	}
	if s := p.Stats(); s.Lost == 0 {
		t.Errorf("got %+v; want a tab that was lost", s)
	}
}

// TestKilledHelpers kills the processes of one type again and again while
// scenes are drawn, at moments that move through an export. Each picture must be
// the one that is drawn when nothing is killed.
func TestKilledHelpers(t *testing.T) {
	if testing.Short() {
		t.Skip("opens many tabs")
	}
	moments := 3
	if n, err := strconv.Atoi(os.Getenv("PLUMB_CHROME_KILLS")); err == nil {
		moments = n
	}
	refs := references(t, sample...)
	for _, kind := range []string{"gpu-process", "renderer", "utility"} {
		t.Run(kind, func(t *testing.T) { killedHelpers(t, kind, refs, moments) })
	}
}

func killedHelpers(t *testing.T, kind string, refs []reference, moments int) {
	p := open(t, Config{Pages: 2, Deadline: time.Minute}) // a busy machine needs long for tabs that are opened
	want := make([][]byte, len(refs))
	for i := range refs {
		want[i] = exported(t, p, &refs[i])
	}
	var killed atomic.Int64
	for moment := range moments {
		var all sync.WaitGroup
		for i := range refs {
			all.Go(func() {
				if got := exported(t, p, &refs[i]); !bytes.Equal(got, want[i]) {
					t.Errorf("%s: the picture differs from the undisturbed one", refs[i].ID)
				}
			})
		}
		time.Sleep(time.Duration(31*moment%400) * time.Millisecond)
		killed.Add(int64(killHelpers(p, kind)))
		all.Wait()
	}
	t.Logf("%d processes killed, %+v", killed.Load(), p.Stats())
	if killed.Load() == 0 {
		t.Error("no process was killed")
	}
}

// exported returns the pixels of a scene.
func exported(t *testing.T, p *Pool, r *reference) []byte {
	res, err := p.Export(context.Background(), r.requests(t, picture{})["records"])
	if err != nil {
		t.Errorf("%s: %v", r.ID, err)
		return nil
	}
	return res.Image.Pix
}

// TestBlank: a picture that is empty where a shape is visible is drawn again on
// a fresh tab, and believed when it is empty there too.
func TestBlank(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	p := open(t, Config{})
	r, err := p.Export(context.Background(), sourceRequest(withAsset(t, "image", "image/png", dataAddress("image/png", b.Bytes()))))
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); !transparent(r.Image.Pix) || s.Blank != 1 || s.Pages != 2 || s.Lost != 0 || s.Unproved != 0 {
		t.Errorf("a transparent image: got %+v, transparent %v; want a second tab and nothing lost", s, transparent(r.Image.Pix))
	}
	away := boxRequest(t)
	away.Bounds.X = 1000
	if r, err = p.Export(context.Background(), away); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); !transparent(r.Image.Pix) || s.Blank != 1 {
		t.Errorf("a box outside the picture: got %+v; want an empty picture that is believed", s)
	}
}
