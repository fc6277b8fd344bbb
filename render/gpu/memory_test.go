package gpu

import "testing"

// What is reported as held is what the slots hold, and nothing once they are gone.
func TestMemory(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r := open(t, fake(way.cfg))
			for i, scenes := range []int{1, 400, 3} {
				if _, err := r.Run(fakeBatch(uint64(i), scenes)); err != nil {
					t.Fatal(err)
				}
				var held int64
				for _, s := range r.current.slots {
					held += int64(s.hostInput.size + s.shaderInput.size + s.shaderOutput.size + s.hostOutput.size)
				}
				if got := r.Info().Memory; got != held || got == 0 {
					t.Errorf("%d bytes reported; slots hold %d", got, held)
				}
			}
			e := r.current
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if n := e.memory.Load(); n != 0 || r.Info().Memory != 0 {
				t.Errorf("%d bytes left after Close, %d reported", n, r.Info().Memory)
			}
		})
	}
}

// A Ticket tells what its own batch took.
func TestTicketTiming(t *testing.T) {
	for _, way := range ways {
		cfg := fake(way.cfg)
		cfg.Stats = new(Stats)
		r := open(t, cfg)
		var sum Timing
		for i, scenes := range []int{40, 3} {
			tk, err := r.Submit(fakeBatch(uint64(i), scenes))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Wait(tk); err != nil {
				t.Fatal(err)
			}
			got := tk.Timing()
			if got.Parts != 1 || got.UpBytes == 0 || got.DownBytes == 0 || got.CopyIn <= 0 || got.Dispatch <= 0 || got.Latency < got.Dispatch+got.Fetch {
				t.Errorf("%s, batch %d: %+v", way.name, i, got)
			}
			if e := r.current; !e.direct && (got.Upload <= 0 || got.ReadBack <= 0) || !e.mapped && got.ReadBack <= 0 {
				t.Errorf("%s, batch %d: no time for transfers: %+v", way.name, i, got)
			}
			sum.add(got)
		}
		if all := r.Totals(); all.Timing != sum || all.Batches != 2 {
			t.Errorf("%s: totals %+v; want the sum %+v", way.name, all, sum)
		}
	}
}
