package daemon

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plumb/daemon/shm"
	"plumb/daemon/trace"
	"plumb/render"
	"plumb/render/scene"
	"plumb/scoring/suites"
	"plumb/testdata"
)

// A daemon that does not start leaves its trace file complete and closed.
func TestFailedStartClosesTraces(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere", "socket")
	for name, change := range map[string]func(*Config){
		"shared memory": func(cfg *Config) {
			cfg.Shared = &Shared{Config: shm.Config{Log: silent}, Socket: nowhere}
		},
		"listen": func(cfg *Config) { cfg.Socket = nowhere },
	} {
		path := filepath.Join(t.TempDir(), "trace.json")
		cfg := Config{
			Core: CoreConfig{Engine: render.Config{Backend: render.BackendCPU}, Fonts: filepath.Join(testdata.Root(), "build", "fonts"),
				Suites: suites.New(suites.Config{}), Suite: "aspire", Scenes: scene.DefaultLimits()},
			Trace: trace.Config{File: path}, Out: io.Discard, Log: silent,
		}
		change(&cfg)
		if _, err := start(cfg); err == nil || !strings.Contains(err.Error(), nowhere) {
			t.Errorf("%s: got the error %v; want one of the socket in a folder that is missing", name, err)
		}
		if b, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(b), "]\n") {
			t.Errorf("%s: got the trace file %q, %v; want a complete one", name, b, err)
		}
	}
}
