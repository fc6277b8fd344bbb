package render

import (
	"testing"

	"plumb/render/gpu"
)

// An engine whose device is gone says so; one without a device has nothing to lose.
func TestHealthy(t *testing.T) {
	e, err := Open(Config{Backend: BackendCPU})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Healthy(); err != nil {
		t.Errorf("cpu: got %v; want nil", err)
	}
	r, err := gpu.Open(gpu.Config{Device: "software"})
	if err != nil {
		t.Fatal("no GL context: ", err)
	}
	e = &Engine{stage: glStage{r}, runner: r}
	if err := e.Healthy(); err != nil {
		t.Errorf("gl: got %v; want nil", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Healthy(); err == nil {
		t.Error("gl without its device: got nil; want an error")
	}
}
