package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/testdata"
)

// Every route can be put under load, and every request that is sent is one that the daemon answers.
func TestLoad(t *testing.T) {
	d := startDaemon(t, "--backend", "cpu")
	dump := filepath.Join(testdata.Root(), "testdata", "aspire", "demo.jsonl")
	for route := range loadPaths {
		plot := filepath.Join(t.TempDir(), "p.svg")
		code, out, errs := plumb(t, "", "load", "--url", "http://"+d.addr, "--route", route, "--concurrency", "2", "--rate", "20", "--duration", "250ms", "--warmup", "0s", "--plot", plot, "-o", "-", dump)
		if code != 0 || !strings.Contains(errs, "p99 ms") {
			t.Fatalf("%s: got %d %s", route, code, errs)
		}
		for line := range strings.Lines(out) {
			var r struct {
				OK    int
				Codes map[string]int
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.OK == 0 || len(r.Codes) != 1 {
				t.Errorf("%s: got %s, %v; want answers of status 200 alone", route, line, err)
			}
		}
		if b, err := os.ReadFile(plot); err != nil || !strings.Contains(string(b), "<svg") {
			t.Errorf("%s: got %.60s, %v; want a plot", route, b, err)
		}
	}
	bodies := filepath.Join(t.TempDir(), "bodies.jsonl")
	if err := os.WriteFile(bodies, []byte(`{"no":"route"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--url", "http://" + d.addr, "--path", "/nowhere", "--concurrency", "1", "--duration", "50ms", "--warmup", "0s", bodies}, 1, "404:"},
		{[]string{"--concurrency", "0", bodies}, 2, "--concurrency 0"}, {[]string{"--rate=0", bodies}, 2, "--rate 0"},
		{[]string{"--url", "nowhere", "--concurrency", "1", bodies}, 1, "want http://HOST:PORT"},
	} {
		if code, _, errs := plumb(t, "", append([]string{"load"}, c.args...)...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: got %d %s; want %d with %s", c.args, code, errs, c.code, c.want)
		}
	}
}
