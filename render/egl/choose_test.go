package egl

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

type fakeContext struct{ closed *int }

func (f fakeContext) close() { *f.closed++ }

func TestChoose(t *testing.T) {
	gpu := func(index, cuda int, uuid, node string) Adapter {
		return Adapter{Index: index, CUDA: cuda, UUID: uuid, Node: node}
	}
	soft := Adapter{Index: 9, CUDA: -1, Software: true}
	a := gpu(0, 1, "aa00", "/dev/dri/renderD128")
	b := gpu(1, 0, "aabb", "/dev/dri/renderD129")
	c := gpu(2, -1, "", "/dev/dri/renderD130") // GL knows it as cc00
	twin := gpu(3, -1, "", "/dev/dri/renderD128")
	for _, row := range []struct {
		name     string
		want     string
		adapters []Adapter
		broken   []int // EGL indexes that refuse a context, -1 surfaceless
		index    int   // of the adapter chosen
		platform Platform
		err      error
	}{
		{"no devices at all", "auto", nil, nil, -1, PlatformSurfaceless, nil},
		{"surfaceless refused", "auto", nil, []int{-1}, -1, PlatformDefault, nil},
		{"CUDA's first, not EGL's", "", []Adapter{soft, a, b, c}, nil, 1, PlatformDevice, nil},
		{"CUDA's first is broken, one is left", "auto", []Adapter{soft, a, b}, []int{1}, 0, PlatformDevice, nil},
		{"CUDA's first is broken, two are left", "auto", []Adapter{soft, a, b, c}, []int{1}, 0, "", ErrAmbiguous},
		{"one GPU under two drivers", "auto", []Adapter{a, twin, soft}, nil, 0, PlatformDevice, nil},
		{"GPU before software", "auto", []Adapter{soft, c}, nil, 2, PlatformDevice, nil},
		{"listed but not given to the container", "auto", []Adapter{a, b, c, soft}, []int{0, 1, 2}, 9, PlatformDevice, nil},
		{"software by name", "software", []Adapter{a, b, soft}, nil, 9, PlatformDevice, nil},
		{"index as CUDA counts", "1", []Adapter{a, b, c}, nil, 0, PlatformDevice, nil},
		{"index CUDA does not have", "2", []Adapter{a, b, c}, nil, 0, "", ErrNoDevice},
		{"index in EGL's list", "2", []Adapter{c, soft}, nil, 2, PlatformDevice, nil},
		{"named devices do not fall back", "1", []Adapter{a, b, soft}, []int{0}, 0, "", ErrNoDevice},
		{"UUID", "GPU-aa-bb", []Adapter{a, b}, nil, 1, PlatformDevice, nil},
		{"UUID that two devices begin with", "AA", []Adapter{a, b}, nil, 0, "", ErrAmbiguous},
		{"UUID only GL knows", "cc", []Adapter{a, b, c}, nil, 2, PlatformDevice, nil},
		{"empty UUID", "GPU-", []Adapter{a, b}, nil, 0, "", ErrNoDevice},
		{"DRM node", "/dev/dri/renderD129", []Adapter{a, b}, nil, 1, PlatformDevice, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			opened, closed := 0, 0
			ctx, info, err := openChosen(Config{Device: row.want}, row.adapters, func(cand candidate) (context, Info, error) {
				if bad := cand.adapter.Index; slices.Contains(row.broken, bad) && cand.platform != PlatformDefault {
					return nil, Info{}, ErrNoDevice
				}
				if cand.adapter.Index == 2 {
					cand.adapter.UUID = "cc00"
				}
				opened++
				return fakeContext{&closed}, Info{Platform: cand.platform, Adapter: cand.adapter}, nil
			})
			if !errors.Is(err, row.err) || (err != nil) != (row.err != nil) {
				t.Fatalf("got error %v; want %v", err, row.err)
			}
			left := opened - closed
			if err != nil {
				if ctx != nil || left != 0 {
					t.Errorf("%d contexts left open after an error", left)
				}
				return
			}
			if info.Adapter.Index != row.index || info.Platform != row.platform || left != 1 {
				t.Errorf("chose %s on %s, %d open; want index %d on %s, 1 open", info.Adapter, info.Platform, left, row.index, row.platform)
			}
		})
	}
}

func TestErrorsNameTheChoices(t *testing.T) {
	_, err := adapterNamed("7", []Adapter{{Index: 0, CUDA: 0, Node: "/dev/dri/renderD128"}}, nil)
	for _, part := range []string{`"7"`, "CUDA 0", "/dev/dri/renderD128"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not name %s", err, part)
		}
	}
}
