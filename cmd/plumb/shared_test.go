package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sysv "github.com/gen2brain/shm"
	"golang.org/x/sys/unix"

	"plumb/daemon/shm"
)

// post sends a body and returns status and answer.
func (d *daemonProcess) post(path, body string) (int, string) {
	resp, err := http.Post("http://"+d.addr+path, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(b)
}

// lentSegment is a segment of this process.
func lentSegment(t *testing.T, size int) (id int, mem []byte) {
	t.Helper()
	id, err := sysv.Get(sysv.IPC_PRIVATE, size, sysv.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	if mem, err = sysv.At(id, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		sysv.Dt(mem)
		sysv.Rm(id)
	})
	return id, mem
}

// boards are scenes with colours, transparency and text.
func boards(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`{"id":"b%d","shapes":[{"id":"shape:a","type":"geo","x":%d,"y":20,"opacity":0.5,"props":{"geo":"ellipse","w":%d,"h":90,"fill":"solid","color":"red"}},`+
			`{"id":"shape:b","type":"geo","x":60,"y":40,"props":{"geo":"star","w":80,"h":80,"fill":"semi","dash":"draw","color":"blue","text":"%d"}}],"bounds":[0,0,%d,150]`, i, 10+i, 50+7*i, i, 200+i))
	}
	return out
}

// Pictures in a region have the pixels of the PNG, and the sums of plumb render:
// alone, several in one request, through a segment and a memfd.
func TestSharedPictures(t *testing.T) {
	sock := filepath.Join(t.TempDir(), "shm")
	d := startDaemon(t, "--allow-client-shm", "--shm-trust-loopback", "--shm-socket", sock, "--runtime-dir", t.TempDir())
	const size = 4 << 20
	id, segment := lentSegment(t, size)
	if code, body := d.post("/v2/systemsharedmemory/region/s/register", fmt.Sprintf(`{"key":%q,"offset":0,"byte_size":%d}`, shm.Key(id), size)); code != 200 {
		t.Fatal(body)
	}
	memfd, lease := lentMemfd(t, sock, "m", size)
	scenes := boards(6)
	for _, region := range []struct {
		name string
		mem  []byte
	}{{"s", segment}, {"m", memfd}} {
		var batch []string
		for i, s := range scenes {
			batch = append(batch, fmt.Sprintf(`%s,"parameters":{"shared_memory_region":%q,"shared_memory_byte_size":400000,"shared_memory_offset":%d}}`, s, region.name, i*400000))
		}
		for _, channels := range []string{"rgba", "alpha"} {
			code, body := d.post("/v1/render?channels="+channels, `{"scenes":[`+strings.Join(batch, ",")+`]}`)
			var reply struct {
				Pictures []struct {
					ID, Error      string
					Width, Height  int
					Stride, Offset int
					Bytes          int
				}
			}
			if err := json.Unmarshal([]byte(body), &reply); code != 200 || err != nil || len(reply.Pictures) != len(scenes) {
				t.Fatalf("got %d %s, %v", code, body, err)
			}
			for i, p := range reply.Pictures {
				_, text := d.post("/v1/render?channels="+channels, scenes[i]+"}")
				img, err := png.Decode(strings.NewReader(text))
				if err != nil {
					t.Fatalf("%v: %.200s", err, text)
				}
				want := pixelsOf(t, img)
				if p.ID != fmt.Sprintf("b%d", i) || p.Width != img.Bounds().Dx() || p.Height != img.Bounds().Dy() || p.Bytes != len(want) || p.Stride*p.Height != p.Bytes {
					t.Fatalf("got %+v; want %v and %d bytes", p, img.Bounds(), len(want))
				}
				if !bytes.Equal(region.mem[p.Offset:p.Offset+p.Bytes], want) {
					t.Errorf("%s %s %d: other pixels than in the PNG", region.name, channels, i)
				}
			}
		}
	}
	sums(t, d, scenes[0])
	lease.Close()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		resp, err := http.Get("http://" + d.addr + "/v2/systemsharedmemory/region/m/status")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode == 400 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the memfd's region outlives its connection")
		}
	}
}

// sums compares what POST /v1/metrics counts of a PNG with what plumb render says.
func sums(t *testing.T, d *daemonProcess, scene string) {
	t.Helper()
	_, picture := d.post("/v1/render", scene+"}")
	resp, err := http.Post("http://"+d.addr+"/v1/metrics", "image/png", strings.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct {
		A struct {
			Covered int `json:"covered_pixels"`
			Opaque  int `json:"opaque_pixels"`
			BBox    [4]int
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	_, stats, errs := plumb(t, scene+"}\n", "render", "--fidelity", "native", "-")
	var line struct {
		Covered int `json:"covered_pixels"`
		Opaque  int `json:"opaque_pixels"`
		BBox    [4]int
	}
	if err := json.Unmarshal([]byte(stats), &line); err != nil {
		t.Fatalf("%v: %s%s", err, stats, errs)
	}
	if got.A != line || line.Covered == 0 {
		t.Errorf("got %+v; plumb render says %+v", got.A, line)
	}
}

// pixelsOf returns what a raw reply would hold.
func pixelsOf(t *testing.T, img image.Image) []byte {
	t.Helper()
	switch img := img.(type) {
	case *image.NRGBA:
		return img.Pix
	case *image.Gray:
		return img.Pix
	}
	t.Fatalf("got a PNG of type %T", img)
	return nil
}

// lentMemfd registers a sealed memfd over the daemon's socket.
func lentMemfd(t *testing.T, sock, name string, size int64) ([]byte, net.Conn) {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, size); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW); err != nil {
		t.Fatal(err)
	}
	mem, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: sock, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, _, err := c.WriteMsgUnix(fmt.Appendf(nil, `{"register":{"name":%q,"byte_size":%d}}`, name, size), unix.UnixRights(fd), nil); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil || string(b[:n]) != `{"ok":true}` {
		t.Fatalf("got %s, %v", b[:n], err)
	}
	return mem, c
}

// TestHelperLender plays the client of the next test: it makes a segment, prints
// its id and waits to be killed.
func TestHelperLender(t *testing.T) {
	if os.Getenv("PLUMB_TEST_LENDER") == "" {
		return // not a test of its own
	}
	id, err := sysv.Get(sysv.IPC_PRIVATE, 1<<20, sysv.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("segment %d\n", id)
	time.Sleep(10 * time.Minute)
}

// A daemon is killed under load, and its client with it. The next daemon leaves
// no segment and no process behind, and every answer that came before is whole.
func TestKilledDaemon(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--allow-client-shm", "--shm-trust-loopback", "--runtime-dir", dir, "--shm-socket", filepath.Join(dir, "s")}
	d := startDaemon(t, args...)
	client := exec.Command(os.Args[0], "-test.run", "^TestHelperLender$")
	client.Env = append(os.Environ(), "PLUMB_TEST_LENDER=1")
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			client.Process.Kill()
			client.Wait()
		}
	}()
	var id int
	if _, err := fmt.Fscanf(out, "segment %d\n", &id); err != nil {
		t.Fatal(err)
	}
	defer sysv.Rm(id)
	if code, body := d.post("/v2/systemsharedmemory/region/r/register", fmt.Sprintf(`{"key":%q,"byte_size":%d}`, shm.Key(id), 1<<20)); code != 200 {
		t.Fatal(body)
	}
	scene := boards(1)[0] + `,"parameters":{"shared_memory_region":"r","shared_memory_byte_size":1000000}}`
	_, want := d.post("/v1/render", scene)
	if !strings.Contains(want, `"bytes":120000`) {
		t.Fatal(want)
	}
	var load sync.WaitGroup
	some := make(chan struct{}, 1000)
	for range 4 {
		load.Go(func() {
			for {
				code, got := d.post("/v1/render", scene)
				if code == 0 {
					return // the daemon is gone
				}
				if code != 200 || got != want {
					t.Errorf("got %d %s; want %s", code, got, want)
				}
				select {
				case some <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 20 {
		<-some
	}
	pid := d.cmd.Process.Pid
	d.cmd.Process.Kill()
	client.Process.Kill()
	client.Wait()
	ended = true
	load.Wait()
	var st sysv.IdDs
	if _, err := sysv.Ctl(id, sysv.IPC_STAT, &st); err != nil {
		t.Fatalf("the segment went by itself, so this shows nothing: %v", err)
	}
	next := startDaemon(t, args...)
	if _, err := sysv.Ctl(id, sysv.IPC_STAT, &st); err == nil {
		t.Error("the segment is still there")
	}
	if left := children(t, pid); len(left) > 0 {
		t.Errorf("processes %v of the killed daemon live", left)
	}
	if code, got := next.post("/v1/render", boards(1)[0]+`,"parameters":{"shared_memory_region":"r","shared_memory_byte_size":1000000}}`); code != 400 || !strings.Contains(got, "unknown_region") {
		t.Errorf("got %d %s; want that the region is not known", code, got)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "shm-*.json")); len(files) != 1 {
		t.Errorf("got %v; want the record of the new daemon only", files)
	}
}

// children lists the live processes whose parent or group is pid.
func children(t *testing.T, pid int) (list []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stats {
		b, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if len(f) > 2 && f[0] != "Z" && (f[1] == strconv.Itoa(pid) || f[2] == strconv.Itoa(pid)) {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(s)))
			list = append(list, n)
		}
	}
	return list
}

func TestSharedUsage(t *testing.T) {
	code, _, errs := plumb(t, "", "serve", "--shm-socket", "/nowhere/s")
	if code != 2 || !strings.Contains(errs, "--allow-client-shm") {
		t.Errorf("got exit %d, %s; want 2 and the flag that is missing", code, errs)
	}
}
