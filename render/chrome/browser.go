package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// browserInstance is one running browser.
type browserInstance struct {
	ctx     context.Context // ends with the browser
	stop    context.CancelFunc
	profile *profile
	pid     int // also its process group
	product string

	exports  atomic.Int64
	retired  atomic.Bool   // it gets no new pages and no new exports
	retiring chan struct{} // closed when retired is set
	reason   atomic.Value  // string: why it was retired
	pages    int           // open or being opened; guarded by Pool.mu
	closing  sync.Once     // of close
	removed  chan struct{} // closed when no process and no file is left
}

// launch starts a Chromium and waits until it answers, for at most cfg.Start. After an error no process and no
// file is left, and the error holds what the browser printed. The time limit is a timer and not a deadline of
// the context, because chromedp, the library that controls the browser, ends the browser with the context of
// the first call. That call is made here, because a tab that is opened before it would start a second browser.
func launch(cfg *Config, program string, sandboxed bool) (*browserInstance, error) {
	profile, err := newProfile(cfg.Temp, cfg.Hinted)
	if err != nil {
		return nil, err
	}
	instance := &browserInstance{profile: profile, retiring: make(chan struct{}), removed: make(chan struct{})}
	out := &tail{}
	var cmd *exec.Cmd // of the browser, once it is to be started
	alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), append(flags(program, profile, sandboxed),
		chromedp.CombinedOutput(out), chromedp.ModifyCmdFunc(func(c *exec.Cmd) {
			// The browser gets a process group, which is killed as one, and ends with this process.
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
			cmd = c
		}))...)
	quiet := func(string, ...any) {} // calls return the errors that matter
	ctx, stop := chromedp.NewContext(alloc, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet), chromedp.WithDebugf(quiet))
	instance.ctx = ctx
	instance.stop = func() { stop(); stopAlloc() }

	late := time.AfterFunc(cfg.Start, stopAlloc) // the time limit, in place of a deadline
	instance.onThread(func() {
		v, e := chromedp.CallBrowser(ctx, browser.GetVersion, cdp.Empty{})
		err = e
		if e == nil {
			instance.product = v.Product
		}
	})
	if cmd != nil && cmd.Process != nil { // also of a program that never answered
		instance.pid = cmd.Process.Pid
	}
	if err == nil {
		_, err = chromedp.CallBrowser(ctx, browser.SetDownloadBehavior,
			browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny})
	}
	if !late.Stop() { // the time limit has passed
		err = errors.Join(fmt.Errorf("no answer within %v (--chrome-start)", cfg.Start), err)
	}
	if err != nil {
		instance.close()
		return nil, fmt.Errorf("cannot start the browser %s: %w: %w; it printed: %s", program, ErrMissing, err, out)
	}
	go func() { // removes what a browser that dies by itself leaves
		<-ctx.Done()
		instance.close()
	}()
	return instance, nil
}

// onThread calls f, which starts the browser, and waits for it. f runs on a thread that exists as long as the
// browser does, because the kernel ends the browser (Pdeathsig) when the thread that started it ends.
func (browser *browserInstance) onThread(f func()) {
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		f()
		close(done)
		<-browser.removed
	}()
	<-done
}

// flags returns the browser's flags: fixed values of what a picture may depend on (colour
// profile, scale, hinting), no network, and no background work. "disable-dev-shm-usage" is
// for containers, whose /dev/shm often has 64 MB.
func flags(program string, profile *profile, sandboxed bool) []chromedp.ExecAllocatorOption {
	o := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.Headless,
		chromedp.NoInheritEnv, chromedp.Env(environment(profile)...),
		chromedp.UserDataDir(profile.data()),
		chromedp.WindowSize(1280, 800),
		chromedp.Flag("no-sandbox", !sandboxed),
	}
	// Switches without a value.
	for _, name := range []string{
		"no-first-run", "no-default-browser-check", "no-pings", "no-service-autorun", "metrics-recording-only",
		"disable-background-networking", "disable-background-timer-throttling", "disable-backgrounding-occluded-windows",
		"disable-breakpad", "disable-client-side-phishing-detection", "disable-component-extensions-with-background-pages",
		"disable-component-update", "disable-crash-reporter", "disable-default-apps", "disable-domain-reliability",
		"disable-extensions", "disable-gpu", "disable-hang-monitor", "disable-ipc-flooding-protection", "disable-lcd-text",
		"disable-prompt-on-repost", "disable-renderer-backgrounding", "disable-speech-api", "disable-sync",
		"disable-dev-shm-usage", "dns-prefetch-disable", "use-mock-keychain",
	} {
		o = append(o, chromedp.Flag(name, true))
	}
	// Settings.
	for name, value := range map[string]string{
		"disable-features": "Translate,MediaRouter,OptimizationHints,AutofillServerCommunication," +
			"CertificateTransparencyComponentUpdater,DialMediaRouteProvider",
		"force-color-profile":              "srgb",
		"force-device-scale-factor":        "1",
		"font-render-hinting":              "none",
		"lang":                             "en-US",
		"password-store":                   "basic",
		"host-resolver-rules":              "MAP * ~NOTFOUND",
		"webrtc-ip-handling-policy":        "disable_non_proxied_udp",
		"safebrowsing-disable-auto-update": "",
	} {
		o = append(o, chromedp.Flag(name, value))
	}
	return o
}

// environment returns the whole environment of the browser: without secrets, and without settings
// that could change a picture, except for the installed fonts.
func environment(profile *profile) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "LANG=en_US.UTF-8", "TZ=UTC",
		"HOME=" + profile.dir, "XDG_CONFIG_HOME=" + profile.dir, "XDG_CACHE_HOME=" + profile.dir, "TMPDIR=" + profile.dir,
		"FONTCONFIG_FILE=" + profile.fonts(), "DBUS_SESSION_BUS_ADDRESS=disabled:",
	}
}

// kill retires the browser for a reason and ends its processes at once. Calls to its pages return
// errors from then on. Its folder stays until close.
func (browser *browserInstance) kill(reason string) {
	browser.retire(reason)
	if browser.pid > 0 {
		syscall.Kill(-browser.pid, syscall.SIGKILL)
	}
	browser.stop()
}

// retire takes the browser out of use for a reason: it gets no new tabs, and closes when its last tab does.
func (browser *browserInstance) retire(reason string) {
	if browser.retired.CompareAndSwap(false, true) {
		browser.reason.Store(reason)
		close(browser.retiring)
	}
}

// retireReason returns why the browser was taken out of use, or that it ended by itself.
func (browser *browserInstance) retireReason() string {
	if s, ok := browser.reason.Load().(string); ok {
		return s
	}
	return "it ended by itself"
}

// close ends the browser and removes its folder. It returns when no process and no file is left. It may be
// called several times and concurrently: every call waits for the first one.
func (browser *browserInstance) close() {
	browser.closing.Do(func() {
		browser.retire("closed")
		if browser.pid > 0 {
			syscall.Kill(-browser.pid, syscall.SIGKILL)
		}
		browser.stop()
		if browser.pid > 0 {
			killRemaining(browser.pid, browser.profile.dir)
		}
		browser.profile.remove()
		close(browser.removed)
	})
	<-browser.removed
}

// memory returns the bytes of private memory of the browser's processes.
func (browser *browserInstance) memory() (sum int64) {
	for _, p := range browserProcesses(browser.pid, browser.profile.dir) {
		sum += p.bytes
	}
	return sum
}

// alive reports whether the browser's connection is open.
func (browser *browserInstance) alive() bool { return browser.ctx.Err() == nil }

// tail keeps the last output of a browser, for the error message when it fails.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write keeps the last 2,000 bytes of what Chromium prints, which an error shows when the browser
// does not start. It implements io.Writer.
func (tail *tail) Write(dst []byte) (int, error) {
	tail.mu.Lock()
	defer tail.mu.Unlock()
	tail.buf = append(tail.buf, dst...)
	if over := len(tail.buf) - 2000; over > 0 {
		tail.buf = append(tail.buf[:0], tail.buf[over:]...)
	}
	return len(dst), nil
}

// String returns the last output of Chromium, for messages.
func (tail *tail) String() string {
	tail.mu.Lock()
	defer tail.mu.Unlock()
	return string(tail.buf)
}
