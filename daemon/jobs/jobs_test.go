package jobs

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// cut returns the shards of a text.
func cut(t *testing.T, text string) (list []Shard) {
	t.Helper()
	if err := CutLines(3, strings.NewReader(text), int64(len(text)), func(s Shard) error { list = append(list, s); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestCutLines(t *testing.T) {
	long := strings.Repeat("x", ShardBytes/2+1)
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"nothing": {"", nil}, "one": {"a", []int{1}}, "two": {"a\nb\n", []int{2}}, "blank lines": {"\n\n\na\n", []int{4}},
		"a full shard": {strings.Repeat("a\n", ShardLines), []int{ShardLines}}, "one more": {strings.Repeat("a\n", ShardLines) + "b", []int{ShardLines, 1}},
		"many short lines": {strings.Repeat("a\n", 40_000), slices.Repeat([]int{2500}, 16)},
		"very many":        {strings.Repeat("\n", 40*shortLines), slices.Repeat([]int{shortLines}, 40)},
		"long lines":       {long + "\n" + long + "\n" + long + long + long + "\nz", []int{1, 1, 1, 1}},
	} {
		list := cut(t, c.text)
		var end int64
		line := 1
		for i, s := range list {
			if s.Input != 3 || s.From != end || s.Line != line || i >= len(c.lines) || s.Lines != c.lines[i] {
				t.Errorf("%s: got %+v; want lines %v", name, list, c.lines)
				break
			}
			end, line = s.To, line+s.Lines
		}
		if end != int64(len(c.text)) || len(list) != len(c.lines) {
			t.Errorf("%s: got %+v; want all of %d bytes in %d shards", name, list, len(c.text), len(c.lines))
		}
	}
}

// planned makes a job with n shards of one line.
func planned(t *testing.T, n int) *Job {
	t.Helper()
	j, err := Create(NewFolder(t.TempDir()), Header{Plumb: "1", Inputs: []Input{{Path: "/a", Name: "a"}}}, func(give func(Shard) error) error {
		for i := range n {
			if err := give(Shard{From: int64(i), To: int64(i + 1), Line: i + 1, Lines: 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestManifest(t *testing.T) {
	j := planned(t, 5)
	again, err := Open(j.Store)
	if err != nil || again.Shards != 5 || again.Lines != 5 || again.Header.Differs(&j.Header) != "" {
		t.Fatalf("got %+v, %v", again, err)
	}
	if s, err := again.Find(3); err != nil || s.From != 3 || s.Number != 3 {
		t.Errorf("got %+v, %v; want shard 3", s, err)
	}
	if _, err := again.Find(5); err == nil {
		t.Error("shard 5: got no error")
	}
	path := j.Store.Path(ManifestName)
	whole, _ := os.ReadFile(path)
	for cut := range len(whole) {
		os.WriteFile(path, whole[:cut], 0o600)
		if _, err := Open(j.Store); err == nil {
			t.Fatalf("a manifest of %d of %d bytes is taken for a whole one", cut, len(whole))
		}
	}
	if _, err := Open(NewFolder(t.TempDir())); !errors.Is(err, ErrNone) {
		t.Errorf("an empty folder: got %v", err)
	}
}

func TestParts(t *testing.T) {
	j := planned(t, 2)
	s, _ := j.Find(0)
	lines := []byte("{}\n{}\n")
	for range 2 { // twice is harmless
		if err := j.Commit(Part{0, 0}, lines, Marker{Lines: 2, Last: true}); err != nil {
			t.Fatal(err)
		}
	}
	got, m, ok, err := j.Read(Part{0, 0})
	if err != nil || !ok || string(got) != string(lines) || m.Lines != 2 {
		t.Errorf("got %q, %+v, %v, %v", got, m, ok, err)
	}
	if done, n, _ := j.Done(s); !done || n != 2 {
		t.Errorf("got %v, %d; want a shard that is done", done, n)
	}
	for _, damage := range []string{"{}\n[]\n", "{}\n", ""} {
		if err := os.WriteFile(j.Store.Path("part-0"), []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, ok, err := j.Read(Part{0, 0}); ok || err != nil {
			t.Errorf("%q: a part that does not match its marker counts, or %v", damage, err)
		}
		if _, err := os.Stat(j.Store.Path("part-0.done")); err == nil {
			t.Errorf("%q: the marker is still there", damage)
		}
		if err := j.Commit(Part{0, 0}, lines, Marker{Lines: 2, Last: true}); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(j.Store.Path("part-1"), []byte("torn"), 0o600) // a kill before the marker
	if err := j.Commit(Part{1, 0}, lines, Marker{Lines: 2, Last: true}); err != nil {
		t.Fatal(err)
	}
	if got, _, ok, _ := j.Read(Part{1, 0}); !ok || string(got) != string(lines) {
		t.Errorf("got %q, %v; want the whole part in place of a torn one", got, ok)
	}
	if st, err := j.Status(); err != nil || st.Done != 2 || st.Scored != 4 {
		t.Errorf("got %+v, %v", st, err)
	}
}

func TestDeaths(t *testing.T) {
	j := planned(t, 3)
	var open []*Journal // of runs that go on, or die
	for i, ended := range []bool{false, true, false, false} {
		g, err := j.Journal(string(rune('a' + i)))
		if err != nil {
			t.Fatal(err)
		}
		g.Begin(Part{0, 0})
		g.Begin(Part{1, 0})
		if ended {
			g.Close()
		} else {
			open = append(open, g)
		}
	}
	j.Commit(Part{1, 0}, nil, Marker{Last: true})
	died, running, err := j.Begun()
	if err != nil || len(died) != 0 || len(running) != 1 || running[Part{0, 0}] != 3 {
		t.Errorf("got %v, %v, %v; want three that are at part 0", died, running, err)
	}
	for _, g := range open[:2] {
		g.file.Close() // as the end of its process does
	}
	died, running, err = j.Begun()
	if err != nil || len(died) != 1 || died[Part{0, 0}] != 2 || running[Part{0, 0}] != 1 {
		t.Errorf("got %v, %v, %v; want two deaths at part 0 alone, and one that is at it", died, running, err)
	}
	open[2].Close()
}

func TestDiffers(t *testing.T) {
	base := func() Header {
		return Header{Plumb: "1", Settings: map[string]string{"--reward": "raw"}, Inputs: []Input{{Path: "/a", Name: "a", Size: 3}}}
	}
	for want, change := range map[string]func(*Header){
		"":                   func(*Header) {},
		"plumb 1":            func(h *Header) { h.Plumb = "2" },
		"3 bytes":            func(h *Header) { h.Inputs[0].Size = 4 },
		"modified":           func(h *Header) { h.Inputs[0].Modified = h.Inputs[0].Modified.Add(1) },
		"input a":            func(h *Header) { h.Inputs[0].Path = "/b" },
		"input b":            func(h *Header) { h.Inputs = append(h.Inputs, Input{Path: "/b", Name: "b"}) },
		`--reward was "raw"`: func(h *Header) { h.Settings["--reward"] = "clamp01" },
		`--join was ""`:      func(h *Header) { h.Settings["--join"] = "x" },
	} {
		a, b := base(), base()
		change(&b)
		if got := a.Differs(&b); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("got %q; want %q in it", got, want)
		}
	}
}

// TestLongManifest checks that the plan of 100 million lines is not held in memory.
func TestLongManifest(t *testing.T) {
	if testing.Short() {
		t.Skip("50,000 shards")
	}
	const shards = 100_000_000 / ShardLines
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	j, err := Create(NewFolder(t.TempDir()), Header{Inputs: []Input{{Path: "/a"}}}, func(give func(Shard) error) error {
		for i := range shards {
			if err := give(Shard{From: int64(i) << 21, To: int64(i+1) << 21, Line: i*ShardLines + 1, Lines: ShardLines}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("the plan holds %d bytes", grown)
	}
	s, err := j.Status()
	if err != nil || s.Shards != shards || s.Lines != 100_000_000 || s.Done != 0 {
		t.Errorf("got %+v, %v", s, err)
	}
	if last, err := j.Find(shards - 1); err != nil || last.Number != shards-1 {
		t.Errorf("got %+v, %v", last, err)
	}
}
