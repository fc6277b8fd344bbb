package gpu

import (
	"sync"
	"testing"
	"time"

	"plumb/render/batch"
)

// While the device works on one batch, the next one is laid out in a slot of its
// own: its upload does not wait for the device.
func TestUploadWhileTheDeviceWorks(t *testing.T) {
	wrote := make(chan struct{}, 100)
	cfg := fake(Config{})
	cfg.wrote = func() { wrote <- struct{}{} }
	r := open(t, cfg)
	a, b := fakeBatch(1, 30), fakeBatch(2, 30)
	for range 2 * r.cfg.Slots { // every slot is as large as it must be
		for _, warm := range []*batch.Batch{a, b} {
			if _, err := r.Run(warm); err != nil {
				t.Fatal(err)
			}
			<-wrote
		}
	}
	works, finish := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		r.current.dev.Do(func() error { // stands in for a long dispatch
			close(works)
			<-finish
			return nil
		})
	})
	<-works
	var tickets [2]Ticket
	for i, next := range []*batch.Batch{a, b} {
		wg.Go(func() {
			var err error
			if tickets[i], err = r.Submit(next); err != nil {
				t.Error(err)
			}
		})
		select {
		case <-wrote:
		case <-time.After(time.Minute):
			t.Error("a batch waits for the device before it is uploaded")
		}
	}
	if n := len(r.current.free); n != r.cfg.Slots-2 {
		t.Errorf("%d slots are free; want %d", n, r.cfg.Slots-2)
	}
	close(finish)
	wg.Wait()
	for i, next := range []*batch.Batch{a, b} {
		rows, err := r.Wait(tickets[i])
		if err == nil {
			err = sameRows(rows, fakeRows(next))
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// Results of a software device are taken in the call that ran the batch: Wait
// does not need the thread, which others may hold.
func TestResultsAreTakenAtOnce(t *testing.T) {
	r := open(t, fake(Config{}))
	if !r.current.synchronous {
		t.Skip("not a software device")
	}
	b := fakeBatch(3, 30)
	tk, err := r.Submit(b)
	if err != nil {
		t.Fatal(err)
	}
	works, finish := make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.current.dev.Do(func() error {
			close(works)
			<-finish
			return nil
		})
	}()
	<-works
	got := make(chan error, 1)
	go func() {
		rows, err := r.Wait(tk)
		if err == nil {
			err = sameRows(rows, fakeRows(b))
		}
		got <- err
	}()
	select {
	case err := <-got:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the results wait for a batch that came later")
	}
	close(finish)
	<-done
}
