// Package chrome draws whiteboards with tldraw itself in a headless Chromium: it runs the browser and its tabs,
// writes scenes as tldraw's records, and checks the pictures that come back. In: scenes, as values or as the
// bytes they came in, and the pictures that are wanted of them. Out: pixels, not premultiplied. It refuses what
// the editor refuses (ErrScene) and what breaks a limit (ErrLimit), and lets nothing that is in a scene reach
// the network or the disk: the page is served out of memory without a port, and every other request is stopped
// and counted. A picture is accepted only with the proof that its pixels are those of this export (proof.go).
package chrome

import (
	"errors"
	"image"
	"log/slog"
	"plumb/render/view"
	"runtime"
	"time"
)

// The errors that callers tell apart.
var (
	// ErrMissing: no browser, or no page to load into it. The text says what to install.
	ErrMissing = errors.New("no tldraw in a browser")
	// ErrScene: the editor refuses the scene; the text is the editor's.
	ErrScene = errors.New("refused by the editor")
	// ErrLimit: the scene or its picture is larger than Config allows.
	ErrLimit = errors.New("over a limit")
	// ErrDeadline: the editor did not finish the scene within Config.Deadline.
	ErrDeadline = errors.New("export took too long")
	// ErrLost: the browser or its tab failed in every attempt to draw this scene.
	ErrLost = errors.New("browser lost")
	// ErrSandbox: the browser's sandbox is required and cannot be had here.
	ErrSandbox = errors.New("no sandbox")
	// ErrLicense: tldraw wants a licence key for this use, or another one.
	ErrLicense = errors.New("tldraw's licence")
	// ErrClosed: the pool is closed.
	ErrClosed = errors.New("pool is closed")
)

// The versions of tldraw for which scripts/page.sh makes a page.
const (
	Version42 = "4.2" // of the benchmarks' time, the default
	Version54 = "5.4"
	// VersionPlain is 4.2 as everybody mounts it and exports from it, without the guard against the network.
	// The benchmark compares with it; it reads lists of shapes only, and is not for scenes of others.
	VersionPlain = "plain"
)

// Whether the browser runs in its own sandbox.
const (
	SandboxAuto    = "auto"    // where the machine allows it
	SandboxRequire = "require" // or not at all
	SandboxOff     = "off"     // never
)

// Config says how a Pool works. The zero value is usable.
type Config struct {
	Path       string // the browser's program; "" looks for it, see Find
	Page       string // folder made by scripts/page.sh; "" looks for it, see PageDir
	Version    string // of tldraw; "" is Version42
	LicenseKey string // handed to the editor; see docs/tldraw-licence.md
	// Use says what tldraw is used for, Development or Production; "" counts as Development. Production wants
	// LicenseKey, and in LicenseHost a host that the key is for ("boards.example.com").
	Use         string
	LicenseHost string
	// Sandbox is SandboxAuto, SandboxRequire or SandboxOff; "" is SandboxAuto.
	Sandbox string
	// Hinted fits text to the pixel grid as most desktops do. Without it glyphs are as the
	// native renderer draws them. See docs/spec/drawing.md#r56.
	Hinted bool

	Pages          int           // exports at a time; default one per processor, at most 4
	PageExports    int           // exports after which a page is replaced; default 1,000
	BrowserExports int           // exports after which the browser is replaced; default 20,000
	Deadline       time.Duration // for one scene in the browser; default 10 s
	Start          time.Duration // for a browser to start, and for a page to load; default 30 s
	// MaxMemory is what the browser's processes may hold together, in bytes of their own. Above half of it the
	// browser is replaced when it is idle, above it at once. Default 3 GiB.
	MaxMemory int64

	MaxSource int // bytes of a scene; default 64 MiB
	// MaxAsset is the largest file inside a scene (a data URL), in bytes as written; default 16 MiB.
	MaxAsset       int
	MaxAssetPixels int // px of an image inside a scene; default 64 Mpx
	MaxPixels      int // px of a picture; default 64 Mpx
	MaxSide        int // px of a picture's side; default 32,768

	Temp string       // folder for the browser's profile; "" is the system's
	Log  *slog.Logger // nil discards
}

// withDefaults returns the browser's configuration with defaults in place of zero values.
func (config Config) withDefaults() Config {
	set := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&config.Pages, min(runtime.GOMAXPROCS(0), 4))
	set(&config.PageExports, 1000)
	set(&config.BrowserExports, 20000)
	set(&config.MaxSource, 64<<20)
	set(&config.MaxAsset, 16<<20)
	set(&config.MaxAssetPixels, 64<<20)
	set(&config.MaxPixels, 64<<20)
	set(&config.MaxSide, 32768)
	if config.Version == "" {
		config.Version = Version42
	}
	if config.Deadline == 0 {
		config.Deadline = 10 * time.Second
	}
	if config.Start == 0 {
		config.Start = 30 * time.Second
	}
	if config.MaxMemory == 0 {
		config.MaxMemory = 3 << 30
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	return config
}

// Request is a scene and what is wanted of it.
type Request struct {
	// View is the scene and the pictures: one of FirstIDs over Bounds and, where SecondIDs is not nil, one of
	// these over the same bounds. Scene is not read where Source is given.
	view.View
	// Source is the scene as it came in, in any of its encodings (docs/spec/drawing.md#r1). It
	// also holds what a *scene.Scene does not (assets, headings, custom colours, older
	// versions), so it is to be preferred where it is at hand.
	Source []byte
	// Content takes what is drawn, with Padding px around it, in place of
	// Bounds. With 5.4 too the padding is as given, never trimmed.
	Content bool
	Padding float64
	// Measure asks for the box of what FirstIDs names instead of pictures. It takes a
	// fraction of the time of one.
	Measure bool
}

// Result is what came of a Request.
type Result struct {
	// Image shows the shapes of FirstIDs, Other those of SecondIDs (nil where that is nil). Of a
	// view with nothing in it the image has no pixels if Content is set, because its size follows
	// from the shapes; else all of its pixels are transparent.
	Image, Other *image.NRGBA
	// Bounds is the part of the page that the images show or, of a Request with Measure, what the shapes take
	// up: strokes do not count, and a side may be zero. Empty says that there is nothing to measure.
	Bounds view.Box
	Empty  bool
	// Blocked is the number of requests that were stopped on behalf of the
	// scene. Where several pages work at once it may include a neighbour's.
	Blocked int
}
