package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plumb/daemon/shm"
)

// takerVariable tells a process of these tests that it is to take a region, and
// where the daemon is.
const takerVariable = "PLUMB_TEST_TAKER"

// overSocket sends a request over a Unix socket.
func overSocket(path, method, route, body string) string {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	req, err := http.NewRequest(method, "http://plumb"+route, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	resp, err := c.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, b)
}

// takeRegion is what a process does that wants another one's region; TestMain calls it.
func takeRegion(path string) {
	for _, call := range [][2]string{{"POST", "/region/r/unregister"}, {"POST", "/unregister"}, {"GET", "/region/r/status"}} {
		fmt.Printf("%s %s: %s\n", call[0], call[1], overSocket(path, call[0], "/v2/systemsharedmemory"+call[1], ""))
	}
}

// Another process can take a region away neither by its name nor with all of
// them, and one of another user does not even see it.
func TestTakenRegion(t *testing.T) {
	dir, err := os.MkdirTemp("", "plumb-owner-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755)
	path := filepath.Join(dir, "s")
	startDaemon(t, "--backend", "cpu", "--allow-client-shm", "--socket", path, "--runtime-dir", t.TempDir())
	os.Chmod(path, 0o666)
	id, _ := lentSegment(t, 4096)
	if got := overSocket(path, "POST", "/v2/systemsharedmemory/region/r/register", fmt.Sprintf(`{"key":%q,"byte_size":4096}`, shm.Key(id))); !strings.HasPrefix(got, "200 ") {
		t.Fatal(got)
	}
	taker := func(uid uint32) string {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), takerVariable+"="+path)
		if uid != 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	got := taker(0)
	if !strings.Contains(got, "/region/r/unregister: 400 ") || !strings.Contains(got, "another process registered it") || !strings.Contains(got, "GET /region/r/status: 200") {
		t.Errorf("a process of the same user got\n%s", got)
	}
	if os.Geteuid() == 0 { // only root can be somebody else
		if got := taker(65534); strings.Count(got, "there is none of that name") != 2 {
			t.Errorf("a process of another user got\n%s", got)
		}
	}
	if got := overSocket(path, "GET", "/v2/systemsharedmemory/region/r/status", ""); !strings.HasPrefix(got, "200 ") {
		t.Errorf("the region is gone: %s", got)
	}
	if got := overSocket(path, "POST", "/v2/systemsharedmemory/region/r/unregister", ""); !strings.HasPrefix(got, "200 ") {
		t.Errorf("its own process got %s", got)
	}
}
