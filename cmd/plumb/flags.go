package main

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"plumb/daemon"
	"plumb/daemon/dump"
	"plumb/daemon/memory"
	"plumb/daemon/queue"
	"plumb/render"
	"plumb/render/chrome"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/suites"
	"plumb/scoring/table"
)

// size is a number of bytes: "64MiB", "16KiB", "1000".
type size int

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *size) UnmarshalText(b []byte) error {
	text, unit := string(b), 1
	for _, u := range []struct {
		suffix string
		bytes  int
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			text, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 || n > math.MaxInt/unit {
		return fmt.Errorf("got %q; want a number of bytes above 0 such as 65536 or 64MiB", b)
	}
	*s = size(n * unit)
	return nil
}

// cacheSize is a number of bytes, or 0 for none.
type cacheSize int

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *cacheSize) UnmarshalText(b []byte) error {
	if string(b) == "0" {
		*c = 0
		return nil
	}
	return (*size)(c).UnmarshalText(b)
}

// fraction is a part of a whole, above 0 and at most 1.
type fraction float64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *fraction) UnmarshalText(b []byte) error {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(v > 0 && v <= 1) {
		return fmt.Errorf("got %q; want a number above 0, at most 1", b)
	}
	*s = fraction(v)
	return nil
}

// count is an integer above 0.
type count int

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *count) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(string(b))
	if err != nil || n <= 0 {
		return fmt.Errorf("got %q; want a whole number above 0", b)
	}
	*c = count(n)
	return nil
}

// engineFlags choose how pixels are made.
type engineFlags struct {
	Backend  string    `enum:"auto,gl,cpu,chrome" default:"auto" help:"What evaluates pixels: auto (gl where a context opens, else cpu), gl, cpu (plain Go: same results, slower), or chrome (as --fidelity tldraw)."`
	Fidelity string    `enum:"native,auto,tldraw" default:"auto" help:"Who draws: native (plumb; scenes that it cannot draw as the editor does are refused by name), auto (the real tldraw in Chromium draws those, and results say so), or tldraw (draws all scenes)."`
	Raster   string    `enum:"reference,exact" default:"reference" help:"How curves become pixels: reference (as the editor's browser does) or exact (true coverage)."`
	Device   string    `default:"auto" placeholder:"N|UUID|auto" help:"GL device: auto (the GPU that CUDA would take), an index, a UUID, a DRM node or software."`
	FontsDir string    `placeholder:"DIR" help:"Folder of the editor's fonts as TTF. Default: PLUMB_FONTS, else build/fonts beside the program."`
	Workers  int       `default:"0" placeholder:"N" help:"Goroutines that decode items and compute outlines; 0 = one per core. Results do not depend on it."`
	Batch    count     `default:"256" placeholder:"N" help:"Most pictures per GPU batch. Larger batches cost less per picture; smaller ones shorten the wait of later requests. Results do not depend on it."`
	Tallies  cacheSize `name:"tally-cache" default:"64MiB" placeholder:"BYTES" help:"Memory for sums of pictures that were measured: an equal picture is not measured again, and an edited one only where it differs; 0 keeps none. A sixteenth as much again keeps whiteboards of tasks. Results do not depend on it."`

	Tldraw      string        `enum:"4.2,5.4" default:"4.2" help:"Version of tldraw whose pictures are made: 4.2 or 5.4. Shapes that 5.4 draws differently are drawn in Chromium, but for a few whose rules are known."`
	Chrome      string        `placeholder:"PATH" help:"Path of Chromium. Default: PLUMB_CHROME, else chromium or google-chrome in PATH."`
	ChromePages int           `default:"0" placeholder:"N" help:"Scenes that Chromium draws at the same time; 0 = one per core, 4 at most. Each takes about 150 MB."`
	Sandbox     string        `name:"chrome-sandbox" enum:"auto,require,off," default:"auto" help:"Chromium's own sandbox: auto (where the machine allows it; as root it does not), require (or end with an error) or off."`
	ChromeMem   size          `name:"chrome-memory" default:"3GiB" placeholder:"BYTES" help:"Memory of all Chromium processes together. Above it Chromium is restarted at once; above half of it when it is idle."`
	ChromeStart time.Duration `name:"chrome-start" default:"30s" placeholder:"TIME" help:"Longest wait for Chromium to start, and for a page of it to open."`
	Use         string        `name:"tldraw-use" env:"PLUMB_TLDRAW_USE" enum:"development,production," default:"" help:"What tldraw in Chromium is used for, in the words of its licence: development (inside your organisation: development, testing, staging; the default but on addresses that other machines reach, where it must be said) or production (needs a key). See docs/tldraw-licence.md."`
	LicenseHost string        `name:"tldraw-host" env:"PLUMB_TLDRAW_HOST" placeholder:"HOST" help:"With --tldraw-use production: a host that the licence key is for, such as boards.example.com; tldraw's page is loaded as https://HOST."`
	LicenseKey  string        `name:"tldraw-license-key" env:"PLUMB_TLDRAW_LICENSE_KEY" placeholder:"KEY" help:"Passed to tldraw in Chromium; see docs/tldraw-licence.md. Better in the environment: other users of the machine see flags."`
}

// browser returns the configuration of Chromium that the flags ask for.
func (e *engineFlags) browser() (c chrome.Config, err error) {
	if e.ChromePages < 0 || e.ChromePages > maxPages {
		return c, usage("cannot use --chrome-pages %d: want 0 to %d", e.ChromePages, maxPages)
	}
	if e.ChromeStart < 0 || e.ChromeStart > time.Hour {
		return c, usage("cannot use --chrome-start %v: want a time above 0, 1h at most", e.ChromeStart)
	}
	c = chrome.Config{Path: e.Chrome, Pages: e.ChromePages, Sandbox: e.Sandbox, MaxMemory: int64(e.ChromeMem), Start: e.ChromeStart,
		Use: e.Use, LicenseKey: e.LicenseKey, LicenseHost: e.LicenseHost}
	if err := c.CheckUse(); err != nil {
		return c, usageError{err}
	}
	return c, nil
}

// maxPages is how many pages of Chromium may be asked for.
const maxPages = 64

// limitFlags bound the time and memory that input may cost. See docs/spec/cli.md#r33.
type limitFlags struct {
	MaxLine       size          `default:"64MiB" placeholder:"BYTES" group:"limits" help:"Longest line of a dump, stream or scene file; longer ones are reported and skipped."`
	MaxDepth      count         `default:"300" placeholder:"N" group:"limits" help:"Deepest nesting of JSON, 300 at most."`
	MaxValues     count         `default:"4000000" placeholder:"N" group:"limits" help:"JSON values in one line; each takes 90 to 130 bytes while it is read."`
	MaxShapes     count         `default:"100000" placeholder:"N" group:"limits" help:"Shapes in one scene."`
	MaxPoints     count         `default:"65536" placeholder:"N" group:"limits" help:"Points of one shape: of a freehand line or line; also dashes of one line and bumps of one cloud."`
	MaxCoverage   size          `default:"256MiB" placeholder:"BYTES" group:"limits" help:"Memory for the pixels that the outlines of one picture touch."`
	MaxMemory     size          `default:"2GiB" placeholder:"BYTES" group:"limits" help:"Memory for large samples while they are worked on (values that were parsed, outlines), and in the daemon for what clients send too. What does not fit waits; what can never fit is refused."`
	MaxPixels     count         `default:"67108864" placeholder:"N" group:"limits" help:"Pixels of one canvas (64 Mpx)."`
	MaxSide       count         `default:"32768" placeholder:"PX" group:"limits" help:"Longest side of a canvas in px."`
	MaxText       size          `default:"64KiB" placeholder:"BYTES" group:"limits" help:"Text of one shape."`
	MaxCoordinate float64       `default:"1e9" placeholder:"PX" group:"limits" help:"Largest position or length."`
	MaxRatio      count         `default:"200" placeholder:"N" group:"limits" help:"How many times compressed input may expand."`
	MaxActions    count         `default:"100000" placeholder:"N" group:"limits" help:"Entries of one list of actions."`
	MaxPaint      count         `default:"300000000" placeholder:"N" group:"limits" help:"Most pixel writes to draw one DrawingBench answer; the default takes about two seconds."`
	MaxResponse   size          `default:"4MiB" placeholder:"BYTES" group:"limits" help:"Longest answer."`
	MaxAsset      size          `default:"16MiB" placeholder:"BYTES" group:"limits" help:"Longest file inside a scene (a data URL) that Chromium is given."`
	MaxAssetPx    count         `name:"max-asset-pixels" default:"67108864" placeholder:"N" group:"limits" help:"Pixels of one image inside a scene: PNG, JPEG, GIF, WebP, BMP, AVIF or SVG; other kinds, whose size cannot be told, are refused."`
	Deadline      time.Duration `default:"12s" aliases:"max-deadline" placeholder:"TIME" group:"limits" help:"Longest work on one sample; after it the sample gets an error. Trainers give up after 20 s or more."`
	QueueMax      count         `default:"4096" aliases:"max-queue" placeholder:"N" group:"limits" help:"Most requests in flight; above it the daemon answers 429."`
}

// lines returns the limits of reading dumps.
func (l *limitFlags) lines() dump.Limits {
	return dump.Limits{Line: int(l.MaxLine), Ratio: int(l.MaxRatio)}
}

// scenes returns the limits of scenes.
func (l *limitFlags) scenes() scene.Limits {
	return scene.Limits{Line: int(l.MaxLine), Depth: int(l.MaxDepth), Values: int(l.MaxValues), Shapes: int(l.MaxShapes), Points: int(l.MaxPoints),
		Pixels: int(l.MaxPixels), Side: int(l.MaxSide), Text: int(l.MaxText), Coordinate: l.MaxCoordinate}
}

// suites returns the suites for a release of tldraw, which keep that many bytes of whiteboards.
func (l *limitFlags) suites(release view.Version, initials int) scoring.Suites {
	return suites.New(suites.Config{Initials: initials, Scenes: l.scenes(), Response: int(l.MaxResponse), Actions: int(l.MaxActions), Paint: int(l.MaxPaint), Tldraw: release})
}

// scoreFlags choose the suite, the tasks, the variants of the rules and the reward.
type scoreFlags struct {
	Suite   string   `placeholder:"NAME" help:"Suite of lines that name none. Default: the suite that has the line's test."`
	Tasks   []string `sep:"none" placeholder:"[SUITE[:SPLIT]=]FILE" help:"The benchmark's task file, for lines that carry only an id and an answer; repeatable. Lines choose a split, such as train, by their member split; without one it is test. plumb serve reads the file again on SIGHUP and when it changes."`
	Variant []string `sep:"none" placeholder:"NAME[=VALUE]" help:"Named variant of the scoring rules; repeatable. An unknown name lists them all."`
	Reward  string   `enum:"raw,clamp01,clamp11" default:"clamp01" help:"How the reward follows from the score: raw, clamp01 (limited to 0..1) or clamp11 (to -1..1)."`
}

// isSplit reports whether a text can name a split of tasks.
func isSplit(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	})
}

// taskFiles splits SUITE=FILE and SUITE:SPLIT=FILE; a file alone belongs to the suite of
// --suite, or the one whose tasks it holds. Keys are those of dump.TasksKey.
func (f *scoreFlags) taskFiles(suites scoring.Suites, l dump.Limits) (map[string]string, error) {
	files := map[string]string{}
	for _, arg := range f.Tasks {
		name, path, ok := strings.Cut(arg, "=")
		suite, split, _ := strings.Cut(name, ":")
		if !ok || suites.Find(suite) == nil {
			suite, split, path = f.Suite, "", arg
		}
		if suite == "" {
			var err error
			if suite, err = dump.Whose(path, suites, l); err != nil {
				return nil, err
			}
		}
		if suite == "" {
			return nil, usage("cannot use tasks %q: want SUITE=FILE with one of %v", arg, suites.Names())
		}
		if split != "" && !isSplit(split) {
			return nil, usage("cannot use tasks %q: got split %q; want letters, digits, - and _", arg, split)
		}
		key := dump.TasksKey(suite, split)
		if files[key] != "" {
			return nil, usage("cannot use tasks %q: suite %s has a file already", arg, key)
		}
		files[key] = path
	}
	return files, nil
}

// variants resolves --variant against those of all suites and of tables.
func (f *scoreFlags) variants(suites scoring.Suites) (scoring.Variants, error) {
	v, err := scoring.ParseVariants(f.Variant, append(suites.Variants(), table.Variants()...))
	if err != nil {
		return nil, usageError{err}
	}
	return v, nil
}

// core returns the configuration of scoring that `plumb serve`, `plumb score` and `plumb render`
// share, from their flags.
func core(e *engineFlags, l *limitFlags, s *scoreFlags) (daemon.CoreConfig, error) {
	raster, err := daemon.ParseRaster(e.Raster)
	if err != nil {
		return daemon.CoreConfig{}, usageError{err}
	}
	if e.Workers < 0 {
		return daemon.CoreConfig{}, usage("cannot use --workers %d: want 0 or more", e.Workers)
	}
	if l.MaxDepth > 300 {
		return daemon.CoreConfig{}, usage("cannot use --max-depth %d: want at most 300", l.MaxDepth)
	}
	browser, err := e.browser()
	if err != nil {
		return daemon.CoreConfig{}, err
	}
	browser.MaxAsset, browser.MaxAssetPixels = int(l.MaxAsset), int(l.MaxAssetPx)
	release, _ := view.ParseVersion(e.Tldraw) // the engine reports what is wrong with it
	suites := l.suites(release, int(e.Tallies)/16)
	if s.Suite != "" && suites.Find(s.Suite) == nil {
		return daemon.CoreConfig{}, usage("cannot use suite %q: want one of %v", s.Suite, suites.Names())
	}
	files, err := s.taskFiles(suites, l.lines())
	if err != nil {
		return daemon.CoreConfig{}, err
	}
	return daemon.CoreConfig{
		Engine: render.Config{Backend: e.Backend, Device: e.Device, Raster: raster, MaxCoverage: int(l.MaxCoverage), TallyCache: int(e.Tallies),
			Fidelity: e.Fidelity, Tldraw: e.Tldraw, Chrome: browser},
		Fonts: e.FontsDir, Suites: suites, Suite: s.Suite, TaskFile: files,
		Lines: l.lines(), Scenes: l.scenes(), Response: int(l.MaxResponse), Actions: int(l.MaxActions),
		Queue: queue.Config{Scorer: "plumb " + version, Workers: e.Workers, Batch: int(e.Batch),
			Max: int(l.QueueMax), Deadline: l.Deadline, Memory: memory.New("--max-memory", int64(l.MaxMemory), int64(l.MaxMemory))},
	}, nil
}

// logger returns a logger that writes records of the level and above to stderr. It also makes it
// the default of the process, because the renderer and the queue log by package slog alone. The
// level is one of those of --log-level, which refuses others when flags are read.
func logger(std streams, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo // not reached from flags
	}
	log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: l}))
	slog.SetDefault(log)
	return log
}

// secret returns the token in the environment variable that a flag names.
func secret(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	v := os.Getenv(name)
	if v == "" {
		return "", usage("cannot read token: the environment has no %s", name)
	}
	return v, nil
}
