package egl

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// closeLimit is how long Close waits for a call in progress, because a driver may hang in it for
// ever.
const closeLimit = 2 * time.Second

// Device owns one GL context and the only OS thread that may use it.
type Device struct {
	info        Info
	calls       chan call     // unbuffered, so that a call which was sent has begun
	quit        chan struct{} // closed by Close
	stuck       chan struct{} // closed when the thread is given up
	threadEnded chan struct{} // closed when the context is destroyed

	quitOnce, stuckOnce sync.Once
}

// call is a function to run on the device's thread.
type call struct {
	run  func() error
	done chan error // buffers one result, so that the thread never waits for a reader
}

// timeout returns a channel that receives after the time limit of a call to the device, and nil
// (never) where it is 0 or less.
func timeout(limit time.Duration) <-chan time.Time {
	if limit <= 0 {
		return nil
	}
	return time.After(limit)
}

// Open opens a context on the device that cfg names, on an OS thread of its own, and keeps both
// until Close. Errors wrap ErrNoDevice, ErrAmbiguous or, past the limit, ErrStuck.
func Open(cfg Config) (*Device, error) {
	device := &Device{
		calls: make(chan call), quit: make(chan struct{}),
		stuck: make(chan struct{}), threadEnded: make(chan struct{}),
	}
	ready := make(chan error, 1) // buffered, so that the thread can end even if nobody reads it
	go device.runThread(cfg, ready)
	select {
	case err := <-ready:
		if err != nil {
			return nil, err
		}
		return device, nil
	case <-timeout(cfg.Limit):
		device.quitOnce.Do(func() { close(device.quit) }) // the thread ends when the driver returns
		return nil, fmt.Errorf("cannot open device in %v: %w", cfg.Limit, ErrStuck)
	}
}

// runThread runs on the device's OS thread: it opens the context, runs calls until quit, and
// destroys the context. It sends the result of opening to ready.
func (device *Device) runThread(cfg Config, ready chan<- error) {
	runtime.LockOSThread() // never unlocked: the thread dies with the context
	defer close(device.threadEnded)
	ctx, info, err := openChosen(cfg, Adapters(), func(c candidate) (context, Info, error) {
		n, info, err := openNative(c)
		if err != nil {
			return nil, Info{}, err // not n: a nil *native in an interface is not nil
		}
		return n, info, nil
	})
	device.info = info
	ready <- err
	if err != nil {
		return
	}
	defer ctx.close()
	for {
		select {
		case c := <-device.calls:
			c.done <- runRecovered(c.run)
		case <-device.quit:
			return
		}
	}
}

// Panic is the error of Do when its function panicked. The panic is a bug, and leaves the context
// in an unknown state.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string {
	return fmt.Sprintf("BUG: panic on the device thread: %v\n%s", p.Value, p.Stack)
}

// runRecovered runs f and turns a panic into a *Panic.
func runRecovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Info describes the context. It does not change while the device is open.
func (device *Device) Info() Info { return device.info }

// Do runs f on the device's thread, after the calls that came before it, and
// returns its error, a *Panic, ErrClosed or ErrStuck. Send whole batches of
// work: every call changes threads twice. f must not call Do.
func (device *Device) Do(f func() error) error { return device.DoWithin(0, f) }

// DoWithin runs f on the device's thread, as Do does, with a limit on the time that f takes, 0 for
// none. Waiting for earlier calls does not count. When f takes longer, the device is given up: this
// call and all later ones return ErrStuck, while f may still run and use what it refers to.
func (device *Device) DoWithin(limit time.Duration, f func() error) error {
	c := call{run: f, done: make(chan error, 1)}
	select { // a closed device takes no call even if its thread still listens
	case <-device.quit:
		return device.refusalError()
	default:
	}
	select {
	case device.calls <- c:
	case <-device.quit:
		return device.refusalError()
	case <-device.stuck:
		return ErrStuck
	}
	select {
	case err := <-c.done:
		return err
	case <-timeout(limit):
		device.giveUp()
	case <-device.stuck:
	}
	return fmt.Errorf("cannot finish call on %s: %w", device.info.Renderer, ErrStuck)
}

// refusalError returns the error of a call to a device that is closed or given up.
func (device *Device) refusalError() error {
	select {
	case <-device.stuck:
		return ErrStuck
	default:
		return ErrClosed
	}
}

// giveUp makes all calls to the device return ErrStuck.
func (device *Device) giveUp() { device.stuckOnce.Do(func() { close(device.stuck) }) }

// Close waits for the call in progress, destroys the context and ends the thread. When the call
// takes longer than closeLimit it returns ErrStuck and leaves thread and context behind. Closing
// twice is harmless.
func (device *Device) Close() error {
	device.quitOnce.Do(func() { close(device.quit) })
	select {
	case <-device.threadEnded:
		return nil
	case <-time.After(closeLimit):
		device.giveUp()
		return fmt.Errorf("cannot close %s: %w", device.info.Renderer, ErrStuck)
	}
}

// IsLost reports whether an error of Do means that the device must be replaced.
func IsLost(err error) bool {
	var p *Panic
	return errors.Is(err, ErrStuck) || errors.As(err, &p)
}
