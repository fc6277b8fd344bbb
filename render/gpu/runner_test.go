package gpu

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/batch"
	"plumb/render/egl"
	"plumb/shaders"
)

// open opens a Runner on the default device; there is no skip for lack of GL.
func open(t testing.TB, cfg Config) *Runner {
	t.Helper()
	r, err := Open(cfg)
	if err != nil {
		t.Fatalf("no GL; install Mesa's EGL (libegl1, libgl1-mesa-dri): %v", err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func fake(cfg Config) Config {
	cfg.source = fakeSource
	return cfg
}

// ways are all the ways in which bytes reach the shaders and come back.
var ways = []struct {
	name string
	cfg  Config
}{
	{"texture direct", Config{Transfer: TransferDirect}},
	{"texture copy", Config{Transfer: TransferCopy}},
	{"storage direct", Config{Access: AccessStorage, Transfer: TransferDirect}},
	{"storage copy", Config{Access: AccessStorage, Transfer: TransferCopy}},
	{"texture unmapped", Config{noStorage: true}},
	{"storage unmapped", Config{Access: AccessStorage, noStorage: true}},
}

func TestEveryWayBringsTheBytes(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			cfg := fake(way.cfg)
			cfg.Stats = new(Stats)
			r := open(t, cfg)
			// Growing and shrinking batches: later ones must not see earlier ones' bytes.
			for i, scenes := range []int{1, 40, 3, 400, 0, 2} {
				b := fakeBatch(uint64(i), scenes)
				rows, err := r.Run(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := sameRows(rows, fakeRows(b)); err != nil {
					t.Errorf("%d scenes: %v", scenes, err)
				}
				px, err := r.Pictures(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := samePixels(px, fakePixels(b)); err != nil {
					t.Errorf("%d scenes: %v", scenes, err)
				}
			}
			if got := cfg.Stats.Totals(); got.Batches != 12 || got.Parts != 10 || got.UpBytes == 0 || got.Dispatch == 0 {
				t.Errorf("statistics of 12 batches, 2 of them empty: %+v", got)
			}
		})
	}
}

func TestSteadySizes(t *testing.T) {
	for size := 1; size < 1<<20; size += 1 + size/7 {
		got := textureRangeSize(size)
		if got < size || got >= size+slack || got>>8&0xff == 0 || got%texel != 0 {
			t.Errorf("steady(%d) is %d: want up to %d more, bits 8 to 15 not all zero", size, got, slack)
		}
	}
}

// A stage that reads from a wrong place gives wrong rows. Each change stays within the batch: beyond it lie
// random bytes, which a GPU would take for loops of minutes.
func TestABrokenStageIsSeen(t *testing.T) {
	b := fakeBatch(1, 20)
	for _, edit := range [][2]string{
		{"run.w + it.x + k", "run.w + it.x + k + 1u"},
		{"index * 3u + 1u", "index * 3u"},
		{"uFirstRun + gl", "uFirstRun / 2u + gl"},
	} {
		r := open(t, Config{source: func(v shaders.Variant, texture bool) string {
			s := strings.Replace(fakeSource(v, texture), edit[0], edit[1], 1)
			if s == fakeSource(v, texture) {
				t.Fatalf("the stage does not contain %q", edit[0])
			}
			return s
		}})
		rows, err := r.Run(b)
		if err != nil {
			t.Fatal(err)
		}
		if sameRows(rows, fakeRows(b)) == nil {
			t.Errorf("a stage with %q for %q passes", edit[1], edit[0])
		}
	}
}

// Limits far below the device's make a batch run in many parts.
func TestParts(t *testing.T) {
	b := fakeBatch(7, 60)
	rows, pixels := fakeRows(b), fakePixels(b)
	for _, row := range []struct {
		name  string
		limit func(*limits)
	}{
		{"few groups", func(l *limits) { l.workGroups = 1 }},
		{"small slots", func(l *limits) { l.slotBytes = 10 << 10 }},
		{"small textures", func(l *limits) { l.texels = 300 }},
		{"small storage", func(l *limits) { l.storageBytes = 8 << 10 }},
		{"everything small", func(l *limits) { l.workGroups, l.slotBytes, l.texels, l.storageBytes = 2, 9<<10, 200, 7<<10 }},
	} {
		for _, access := range []Access{AccessTexture, AccessStorage} {
			t.Run(fmt.Sprintf("%s, access %d", row.name, access), func(t *testing.T) {
				stats := new(Stats)
				r := open(t, fake(Config{Access: access, limit: row.limit, Stats: stats}))
				got, err := r.Run(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := sameRows(got, rows); err != nil {
					t.Error(err)
				}
				px, err := r.Pictures(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := samePixels(px, pixels); err != nil {
					t.Error(err)
				}
				if n := stats.Totals().Parts; n <= 2 && row.name != "few groups" && !(access == AccessStorage && row.name == "small textures") {
					t.Errorf("the batches ran in %d parts: the limit was not used", n)
				}
			})
		}
	}
}

func TestCapacity(t *testing.T) {
	b := fakeBatch(3, 4)
	for _, limit := range []func(*limits){
		func(l *limits) { l.slotBytes = 1 << 10 },
		func(l *limits) { l.storageBytes = 4 },
	} {
		r := open(t, fake(Config{limit: limit}))
		rows, err := r.Run(b)
		if !errors.Is(err, ErrCapacity) || rows != nil {
			t.Errorf("sums: got %d rows and %v; want ErrCapacity and nothing else", len(rows), err)
		}
		px, err := r.Pictures(b)
		if !errors.Is(err, ErrCapacity) || px != nil {
			t.Errorf("pictures: got %d px and %v; want ErrCapacity and nothing else", len(px), err)
		}
	}
}

// One part fails after others have been sent: nothing comes out, and the slots
// are free again.
func TestCapacityInTheMiddle(t *testing.T) {
	b := fakeBatch(3, 40)
	last := &b.Runs[b.ShaderRuns()-1]
	tile := &b.Tiles[last.FirstTile]
	first := uint32(len(b.Items)) - last.FirstItem
	for range 400 {
		b.Items = append(b.Items, batch.Item{})
	}
	tile.FirstItem, tile.ItemCount = first, 400
	r := open(t, fake(Config{Slots: 2, limit: func(l *limits) { l.slotBytes = 6 << 10 }}))
	for range 4 {
		if rows, err := r.Run(b); !errors.Is(err, ErrCapacity) || rows != nil {
			t.Fatalf("got %d rows and %v; want ErrCapacity and nothing else", len(rows), err)
		}
	}
	small := fakeBatch(4, 1)
	rows, err := r.Run(small)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameRows(rows, fakeRows(small)); err != nil {
		t.Error(err)
	}
}

// More than 65,535 groups: llvmpipe's limit of one dispatch is reached for real.
func TestMoreGroupsThanOneDispatchTakes(t *testing.T) {
	const n = 65_535*runsPerGroup + 7
	b := fakeBatch(5, 1)
	one := b.Runs[0]
	one.TileCount = 1
	b.Runs = nil
	for i := range n {
		r := one
		r.Stride = uint32(i)
		b.Runs = append(b.Runs, r)
	}
	b.Ends = [batch.Classes]int{n, n, n}
	stats := new(Stats)
	r := open(t, fake(Config{Stats: stats, SlotBytes: 1 << 30}))
	rows, err := r.Run(b)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < n; i += 1 + i%97 { // near either end and in between
		for _, i := range []int{i, n - 1 - i} {
			for y := range batch.TileH {
				want := fakeRun(b, &b.Runs[i], shaders.Plain, uint32(y), func(_, _ uint32) {})
				if got := rows[i*batch.TileH+y]; got.A0 != want.A0 {
					t.Fatalf("row %d of run %d: got %v; want %v", y, i, got, want)
				}
			}
		}
	}
	if got := r.Info().Limits.Groups; got == 65_535 && stats.Totals().Parts != 1 {
		t.Errorf("%d parts; want one part in two dispatches", stats.Totals().Parts)
	}
}

func TestOverlap(t *testing.T) {
	r := open(t, fake(Config{Slots: 3}))
	for round := range 5 {
		var tickets []Ticket
		for i := range 3 {
			tk, err := r.Submit(fakeBatch(uint64(round*3+i), 5+i*20))
			if err != nil {
				t.Fatal(err)
			}
			tickets = append(tickets, tk)
		}
		for _, i := range []int{2, 0, 1} {
			rows, err := r.Wait(tickets[i])
			if err != nil {
				t.Fatal(err)
			}
			if err := sameRows(rows, fakeRows(tickets[i].work.batch)); err != nil {
				t.Errorf("round %d, ticket %d: %v", round, i, err)
			}
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	// Batches in parts compete for slots: no two may wait for each other.
	r := open(t, fake(Config{Slots: 2, limit: func(l *limits) { l.slotBytes = 16 << 10 }}))
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			var dst []batch.RowSums
			for i := range 8 {
				b := fakeBatch(uint64(g*100+i), 1+g*10)
				tk, err := r.Submit(b)
				if err == nil {
					dst, err = r.WaitInto(dst, tk)
				}
				if err == nil {
					err = sameRows(dst, fakeRows(b))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestClosed(t *testing.T) {
	r, err := Open(fake(Config{}))
	if err != nil {
		t.Fatal(err)
	}
	tk, err := r.Submit(fakeBatch(1, 3))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	if rows, err := r.Wait(tk); !errors.Is(err, ErrClosed) || rows != nil {
		t.Errorf("Wait after Close: got %d rows and %v; want ErrClosed", len(rows), err)
	}
	if _, err := r.Run(fakeBatch(1, 3)); !errors.Is(err, ErrClosed) {
		t.Errorf("Run after Close: got %v; want ErrClosed", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(Config{Device: "no such device"}); !errors.Is(err, egl.ErrNoDevice) {
		t.Errorf("got %v; want egl.ErrNoDevice", err)
	}
	broken := func(v shaders.Variant, texture bool) string {
		return strings.Replace(fakeSource(v, texture), "void main()", "void main(", 1)
	}
	if _, err := Open(Config{source: broken}); err == nil || !strings.Contains(err.Error(), "cannot compile shader PLAIN") {
		t.Errorf("got %v; want the name of the shader that does not compile", err)
	}
}

// A driver that hangs inside a call keeps its thread; the Runner goes on with
// another.
func TestStuckThread(t *testing.T) {
	r := open(t, fake(Config{}))
	b := fakeBatch(9, 30)
	tk, err := r.Submit(b)
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan struct{})
	defer close(free)
	if err := r.current.dev.DoWithin(time.Millisecond, func() error { <-free; return nil }); !errors.Is(err, egl.ErrStuck) {
		t.Fatal(err)
	}
	for range 2 { // the batch in flight, and one that comes after
		rows, err := r.Wait(tk)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameRows(rows, fakeRows(b)); err != nil {
			t.Error(err)
		}
		if tk, err = r.Submit(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Wait(tk); err != nil {
		t.Fatal(err)
	}
	if n := r.Info().Resets; n != 1 {
		t.Errorf("%d resets; want 1", n)
	}
}

// A buffer larger than a slot may be, or than the memory of the driver, is ErrCapacity, and the slot is usable
// again afterwards.
func TestOutOfMemory(t *testing.T) {
	const tooLarge = 1 << 46
	for _, row := range []struct {
		name      string
		noStorage bool
		slot      int // limit, bytes; 0 for the default
	}{
		{"mapped", false, 0},
		{"unmapped", true, 0},
		{"mapped, refused by the driver", false, 2 * tooLarge},
		{"unmapped, refused by the driver", true, 2 * tooLarge},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := open(t, fake(Config{noStorage: row.noStorage, SlotBytes: row.slot}))
			e := r.current
			err := e.dev.Do(func() error { return e.slots[0].hostInput.ensure(e, tooLarge, flagsHostWrites, gl.STREAM_DRAW) })
			if err == nil && row.slot > 0 && !e.dev.Info().Software {
				return // NVIDIA's driver grants what it does not have, and only refuses its use
			}
			if !errors.Is(err, ErrCapacity) {
				t.Errorf("64 TiB: got %v; want ErrCapacity", err)
			}
			b := fakeBatch(9, 30)
			for range e.slots {
				rows, err := r.Run(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := sameRows(rows, fakeRows(b)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// A lost context is stood in for by marking it; the fault build injects losses
// and hangs into batches in flight.
func TestLostBetweenBatches(t *testing.T) {
	r := open(t, fake(Config{}))
	b := fakeBatch(9, 30)
	tk, err := r.Submit(b)
	if err != nil {
		t.Fatal(err)
	}
	r.current.lost.Store(true)
	for range 2 { // the batch in flight, and one that comes after
		rows, err := r.Wait(tk)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameRows(rows, fakeRows(b)); err != nil {
			t.Error(err)
		}
		if tk, err = r.Submit(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Wait(tk); err != nil {
		t.Fatal(err)
	}
	if n := r.Info().Resets; n != 1 {
		t.Errorf("%d resets; want 1", n)
	}
}
