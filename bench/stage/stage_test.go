package stage

import (
	"slices"
	"testing"
	"time"

	"plumb/bench/scenes"
	"plumb/render"
	"plumb/render/scene"
)

func set(t *testing.T, class string, n int) *Set {
	t.Helper()
	all := scenes.Classes()
	i := slices.IndexFunc(all, func(c scenes.Class) bool { return c.Name == class })
	if i < 0 {
		t.Fatalf("no scene class %q", class)
	}
	lines, err := all[i].Spec.Lines(class, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSet(class, lines, scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func engine(t *testing.T, backend string) *render.Engine {
	t.Helper()
	e, err := render.Open(render.Config{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestSameResults holds that results depend on neither backend, batch, workers
// nor on whether stages are noted.
func TestSameResults(t *testing.T) {
	want := ""
	for _, c := range []Config{
		{Engine: engine(t, render.BackendAuto), Workers: 1, Batch: 1},
		{Engine: engine(t, render.BackendAuto), Workers: 3, Batch: 7, Profile: true},
		{Engine: engine(t, render.BackendCPU), Workers: 2, Batch: 64, Callers: 1},
	} {
		s := set(t, "S8", 10)
		c.Count = 25
		got, err := Run(c, s)
		if err != nil {
			t.Fatal(err)
		}
		if got.Scenes != 25 || got.Failed != 0 {
			t.Errorf("%+v: got %d scenes, %d failed; want 25, 0", c, got.Scenes, got.Failed)
		}
		if got.Cost.Shapes != 8 || got.Cost.Tiles == 0 || got.Cost.Pixels != 1400*800 {
			t.Errorf("got cost %+v", got.Cost)
		}
		if want == "" {
			want = s.Digest()
		}
		if d := s.Digest(); d != want || d == "" {
			t.Errorf("workers %d, batch %d: got digest %q; want %q", c.Workers, c.Batch, d, want)
		}
	}
	s := set(t, "S8", 10)
	if _, err := Lone(Config{Engine: engine(t, render.BackendAuto), Count: 10}, s); err != nil || s.Digest() != want {
		t.Errorf("lone scenes: got digest %q, %v; want %q", s.Digest(), err, want)
	}
}

// TestProfile holds that every stage is noted and that the sums are possible.
func TestProfile(t *testing.T) {
	s, err := Run(Config{Engine: engine(t, render.BackendAuto), Workers: 2, Batch: 8, Count: 64, Profile: true}, set(t, "S8", 16))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Parts
	for st := range Stages {
		if st != Wait && p.WallTimes[st.String()] <= 0 {
			t.Errorf("%v took no time", st)
		}
	}
	if p.HostBusy <= 0 || p.HostBusy > 1 || p.DeviceBusy <= 0 || p.DeviceBusy > 1 || p.BothBusy > min(p.HostBusy, p.DeviceBusy)+1e-9 || p.Overlap > 1 {
		t.Errorf("got shares %+v", p)
	}
	for _, sp := range p.Spans {
		if sp.Start < 0 || sp.End < sp.Start {
			t.Fatalf("got span %+v", sp)
		}
	}
	if s.BytesUp <= 0 && s.Parts.WallTimes["upload"] > 0 {
		t.Errorf("nothing went up")
	}
}

func TestWays(t *testing.T) {
	e := engine(t, render.BackendAuto)
	r, err := Run(Config{Engine: e, Way: Render, Workers: 2, Batch: 8, Count: 40}, set(t, "S8", 8))
	if err != nil || r.Scenes != 40 || r.Cost.Tiles == 0 {
		t.Errorf("render stage: got %+v, %v", r, err)
	}
	d, err := DeviceAlone(Config{Engine: e, Batch: 16, Time: time.Millisecond}, set(t, "S8", 8))
	if err != nil || d.Batches == 0 || d.ResidentRate < d.MovedRate || d.Items == 0 {
		t.Errorf("device: got %+v, %v", d, err)
	}
	n, err := Segments(set(t, "S8", 4))
	if err != nil || n < 1000 {
		t.Errorf("got %g segments, %v", n, err)
	}
}

func TestRefuses(t *testing.T) {
	if _, err := NewSet("x", nil, scene.DefaultLimits()); err == nil {
		t.Error("a set of nothing was made")
	}
	if _, err := NewSet("x", [][]byte{[]byte(`{"shapes":[{"id":"shape:a","type":"geo","x":"far"}]}`)}, scene.DefaultLimits()); err == nil {
		t.Error("a bad scene was taken")
	}
	if _, err := Run(Config{Workers: 0, Batch: 1, Count: 1}, nil); err == nil {
		t.Error("a run without workers was started")
	}
}

// TestNoteSeesChange holds that a scene whose result changes is an error.
func TestNoteSeesChange(t *testing.T) {
	s := set(t, "S8", 1)
	if err := s.checkSame(0, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if s.checkSame(0, []byte("a")) != nil || s.checkSame(0, []byte("b")) == nil {
		t.Error("a changed result was not seen")
	}
}

func TestOverlap(t *testing.T) {
	a := busyIntervals([]Span{{Stage: Tile, Start: 0, End: 4}, {Stage: Decode, Start: 2, End: 6}, {Stage: Score, Start: 8, End: 9}}, Stage.Host)
	b := []interval{{5, 8}, {8, 20}}
	if totalTime(a) != 7 || overlapTime(a, b) != 2 {
		t.Errorf("got union %v of length %d, common %d; want 7 and 2", a, totalTime(a), overlapTime(a, b))
	}
}
