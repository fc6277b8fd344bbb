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

// UnmarshalText implements encoding.TextUnmarshaler. It reads a whole number above 0 with an optional
// unit: kB, MB and GB are powers of 1000, KiB, MiB and GiB of 1024.
func (s *size) UnmarshalText(data []byte) error {
	text, unit := string(data), 1
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
	if err != nil || n <= 0 || n > math.MaxInt/unit { // the last: n times unit would overflow
		return fmt.Errorf("got %q; want a whole number of bytes above 0, such as 65536 or 64MiB", data)
	}
	*s = size(n * unit)
	return nil
}

// cacheSize is a number of bytes, or 0 for none.
type cacheSize int

// UnmarshalText reads the value of a flag for the size of a cache: 0, which turns the cache off, or a
// size such as 64MiB.
func (c *cacheSize) UnmarshalText(data []byte) error {
	if string(data) == "0" {
		*c = 0
		return nil
	}
	return (*size)(c).UnmarshalText(data)
}

// fraction is a part of a whole, above 0 and at most 1.
type fraction float64

// UnmarshalText reads a number above 0 and at most 1. It implements encoding.TextUnmarshaler, by which
// flags are read.
func (s *fraction) UnmarshalText(b []byte) error {
	value, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(value > 0 && value <= 1) { // written so that NaN is refused too
		return fmt.Errorf("got %q; want a number above 0 and at most 1, such as 0.5", b)
	}
	*s = fraction(value)
	return nil
}

// count is an integer above 0.
type count int

// UnmarshalText reads a whole number above 0. It implements encoding.TextUnmarshaler, by which flags are read.
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
	Backend  string    `enum:"auto,gl,cpu,chrome" default:"auto" group:"drawing" help:"What computes pixels: auto (gl where an OpenGL context opens, else cpu), gl (OpenGL compute shaders), cpu (plain Go: the same results, slower) or chrome (the same as --fidelity tldraw)."`
	Fidelity string    `enum:"native,auto,tldraw" default:"auto" group:"drawing" help:"Who draws whiteboards: auto (plumb where it draws exactly as the tldraw editor does, else the real tldraw in Chromium, and the results say so), native (plumb alone; shapes that it cannot draw exactly are refused by name) or tldraw (Chromium draws everything)."`
	Raster   string    `enum:"reference,exact" default:"reference" group:"drawing" help:"How curves become pixels: reference (as in the browser of the tldraw editor) or exact (the true covered area)."`
	Device   string    `default:"auto" placeholder:"N|UUID|auto" group:"drawing" help:"OpenGL device: auto (the GPU that CUDA would take), software, an index, a UUID or a DRM node. plumb doctor lists the devices."`
	FontsDir string    `placeholder:"DIR" group:"drawing" help:"Folder with tldraw's fonts as TTF files. Default: that of PLUMB_FONTS, else build/fonts beside the program."`
	Workers  int       `default:"0" placeholder:"N" group:"drawing" help:"Number of workers that read items and compute outlines; 0 means one for each core. Results do not depend on it."`
	Batch    count     `default:"256" placeholder:"N" group:"drawing" help:"Maximum number of pictures in one batch for the device. Larger batches cost less per picture; smaller ones shorten the wait of later requests. Results do not depend on it."`
	Tallies  cacheSize `name:"tally-cache" default:"64MiB" placeholder:"BYTES" group:"drawing" help:"Memory for the pixel sums of measured pictures: an equal picture is not measured again, and an edited one only where it differs. At most half of it holds the last images that were drawn, of which images of edited scenes take what did not change; 0 keeps none. In addition a sixteenth of this is used for the whiteboards of tasks, and at most half for images of prompts and environments. Results do not depend on it."`

	Tldraw      string        `enum:"4.2,5.4" default:"4.2" group:"drawing" help:"Version of tldraw whose pictures are made: 4.2 (that of the ASPIRE paper) or 5.4. Shapes that 5.4 draws differently are drawn in Chromium, except for a few whose rules are known."`
	Chrome      string        `placeholder:"PATH" group:"drawing" help:"Path of the Chromium program. Default: PLUMB_CHROME, else chromium or google-chrome in PATH."`
	ChromePages int           `default:"0" placeholder:"N" group:"drawing" help:"Number of scenes that Chromium draws at the same time, 64 at most; 0 means one for each core, 4 at most. Each takes about 150 MB."`
	Sandbox     string        `name:"chrome-sandbox" enum:"auto,require,off," default:"auto" group:"drawing" help:"Chromium's own sandbox: auto (on where the machine allows it; it does not for root), require (end with an error where it is not allowed) or off."`
	ChromeMem   size          `name:"chrome-memory" default:"3GiB" placeholder:"BYTES" group:"drawing" help:"Maximum memory of all Chromium processes together. Above it, Chromium is restarted at once; above half of it, when it is idle."`
	ChromeStart time.Duration `name:"chrome-start" default:"30s" placeholder:"TIME" group:"drawing" help:"Longest wait for Chromium to start, and for each of its pages to open."`
	Use         string        `name:"tldraw-use" env:"PLUMB_TLDRAW_USE" enum:"development,production," default:"" group:"drawing" help:"What tldraw in Chromium is used for, in the words of its licence: development (development, testing and staging inside your organisation) or production (needs --tldraw-license-key and --tldraw-host). Default: development; plumb serve wants it said where other machines reach its address. See docs/tldraw-licence.md."`
	LicenseHost string        `name:"tldraw-host" env:"PLUMB_TLDRAW_HOST" placeholder:"HOST" group:"drawing" help:"With --tldraw-use production: a host that the licence key is valid for, such as boards.example.com. tldraw's page is loaded as https://HOST."`
	LicenseKey  string        `name:"tldraw-license-key" env:"PLUMB_TLDRAW_LICENSE_KEY" placeholder:"KEY" group:"drawing" help:"tldraw's licence key. Set the environment variable rather than the flag, because other users of the machine can see flags. See docs/tldraw-licence.md."`
}

// chromeConfig returns the configuration of Chromium, which draws scenes with the editor tldraw, from the
// flags. The error is a usageError: a value out of range, or a use of tldraw that its licence does not allow.
func (flags *engineFlags) chromeConfig() (config chrome.Config, err error) {
	if flags.ChromePages < 0 || flags.ChromePages > maxPages {
		return config, usage("cannot use --chrome-pages %d: want 0 (one for each core) to %d", flags.ChromePages, maxPages)
	}
	if flags.ChromeStart < 0 || flags.ChromeStart > time.Hour {
		return config, usage("cannot use --chrome-start %v: want 0s, for the default, to 1h", flags.ChromeStart)
	}
	config = chrome.Config{Path: flags.Chrome, Pages: flags.ChromePages, Sandbox: flags.Sandbox, MaxMemory: int64(flags.ChromeMem), Start: flags.ChromeStart,
		Use: flags.Use, LicenseKey: flags.LicenseKey, LicenseHost: flags.LicenseHost}
	if err := config.CheckUse(); err != nil {
		return config, usageError{err}
	}
	return config, nil
}

// maxPages is how many pages of Chromium may be asked for.
const maxPages = 64

// limitFlags bound the time and memory that input may cost. See docs/spec/cli.md#r33.
type limitFlags struct {
	MaxLine       size          `default:"64MiB" placeholder:"BYTES" group:"limits" help:"Maximum length of a line of a dump, stream or scene file. A longer line is reported and skipped."`
	MaxDepth      count         `default:"300" placeholder:"N" group:"limits" help:"Maximum nesting depth of JSON, 300 at most."`
	MaxValues     count         `default:"4000000" placeholder:"N" group:"limits" help:"Maximum number of JSON values in one line. Each takes 90 to 130 bytes of memory while the line is read."`
	MaxShapes     count         `default:"100000" placeholder:"N" group:"limits" help:"Maximum number of shapes in one scene."`
	MaxPoints     count         `default:"65536" placeholder:"N" group:"limits" help:"Maximum number of points of one line or freehand stroke; also of dashes of one line and of bumps of one cloud."`
	MaxCoverage   size          `default:"256MiB" placeholder:"BYTES" group:"limits" help:"Maximum memory for the pixels that the outlines of one picture touch."`
	MaxMemory     size          `default:"2GiB" placeholder:"BYTES" group:"limits" help:"Maximum memory for large samples while they are worked on (parsed values, outlines), and in the daemon also for what clients send. A sample that does not fit waits; one that can never fit is refused."`
	MaxPixels     count         `default:"67108864" placeholder:"N" group:"limits" help:"Maximum number of pixels of one canvas. The default is 64 megapixels."`
	MaxSide       count         `default:"32768" placeholder:"PX" group:"limits" help:"Maximum width and height of a canvas in pixels."`
	MaxText       size          `default:"64KiB" placeholder:"BYTES" group:"limits" help:"Maximum length of the text of one shape."`
	MaxCoordinate float64       `default:"1e9" placeholder:"PX" group:"limits" help:"Maximum absolute value of a position or length."`
	MaxRatio      count         `default:"200" placeholder:"N" group:"limits" help:"Maximum factor by which compressed input may expand."`
	MaxActions    count         `default:"100000" placeholder:"N" group:"limits" help:"Maximum number of entries in one list of actions. An answer with more is scored as an empty one, with a note."`
	MaxPaint      count         `default:"300000000" placeholder:"N" group:"limits" help:"Maximum number of pixel writes for drawing one DrawingBench answer. The default takes about two seconds."`
	MaxResponse   size          `default:"4MiB" placeholder:"BYTES" group:"limits" help:"Maximum length of an answer. A longer one is scored as an empty one, with a note."`
	MaxAsset      size          `default:"16MiB" placeholder:"BYTES" group:"limits" help:"Maximum size of a file inside a scene (a data URL) that Chromium draws."`
	MaxAssetPx    count         `name:"max-asset-pixels" default:"67108864" placeholder:"N" group:"limits" help:"Maximum number of pixels of an image inside a scene (PNG, JPEG, GIF, WebP, BMP, AVIF or SVG). Images of other kinds are refused, because their size cannot be told."`
	Deadline      time.Duration `default:"12s" aliases:"max-deadline" placeholder:"TIME" group:"limits" help:"Longest work on one sample, after which the sample gets an error. Trainers give up after 20 s or more."`
	QueueMax      count         `default:"4096" aliases:"max-queue" placeholder:"N" group:"limits" help:"Maximum number of requests in flight. Above it, the daemon answers with status 429."`
}

// lines returns the limits of reading dumps.
func (l *limitFlags) lines() dump.Limits {
	return dump.Limits{Line: int(l.MaxLine), Ratio: int(l.MaxRatio)}
}

// scenes returns the limits of scenes.
func (l *limitFlags) scenes() scene.Limits {
	return scene.Limits{Line: int(l.MaxLine), Depth: int(l.MaxDepth), Values: int(l.MaxValues),
		Shapes: int(l.MaxShapes), Points: int(l.MaxPoints), Pixels: int(l.MaxPixels), Side: int(l.MaxSide),
		Text: int(l.MaxText), Coordinate: l.MaxCoordinate}
}

// uncachedSuites returns the suites with the limits of the flags for commands that score nothing: they
// keep no whiteboards of tasks, and the version of tldraw does not matter to them.
func (l *limitFlags) uncachedSuites() scoring.Suites { return l.suites(view.V4, 0) }

// suites returns the suites with the limits of the flags, for a version of tldraw. They keep the
// whiteboards of tasks in boardCache bytes, 0 for none.
func (l *limitFlags) suites(tldraw view.Version, boardCache int) scoring.Suites {
	return suites.New(suites.Config{InitialBytes: boardCache, Scenes: l.scenes(), Response: int(l.MaxResponse),
		Actions: int(l.MaxActions), Paint: int(l.MaxPaint), Tldraw: tldraw})
}

// scoreFlags choose the suite, the tasks, the variants of the rules and the reward.
type scoreFlags struct {
	Suite   string   `placeholder:"NAME" group:"scoring" help:"Suite (benchmark) of lines that name none: ${suites}. Default: the suite that has the line's test."`
	Tasks   []string `sep:"none" placeholder:"[SUITE[:SPLIT]=]FILE" group:"scoring" help:"The benchmark's task file, for lines that hold only an id and an answer; may be repeated. A line chooses a split of the tasks, such as train, by its member split; without that member it is test. plumb serve reads the file again on SIGHUP and when it changes."`
	Variant []string `sep:"none" placeholder:"NAME[=VALUE]" group:"scoring" help:"Named variant of the scoring rules; may be repeated. An unknown name, such as list, prints all names."`
	Reward  string   `enum:"raw,clamp01,clamp11" default:"clamp01" group:"scoring" help:"How the reward follows from the score: raw (the score itself), clamp01 (limited to 0..1) or clamp11 (limited to -1..1)."`
}

// isSplit reports whether a text can name a split of tasks: ASCII letters, digits, - and _ alone.
func isSplit(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	})
}

// taskFiles returns the task files that --tasks names, by the key of their suite and split. A value of --tasks
// is [SUITE[:SPLIT]=]FILE. A file without SUITE= belongs to the suite of --suite. Without --suite too, it is
// opened and belongs to the suite whose tasks it holds. The error is a usageError, or that of opening a file.
func (flags *scoreFlags) taskFiles(suites scoring.Suites, limits dump.Limits) (map[string]string, error) {
	files := map[string]string{}
	for _, arg := range flags.Tasks {
		name, path, named := strings.Cut(arg, "=")
		suite, split, _ := strings.Cut(name, ":")
		if !named || suites.Find(suite) == nil { // no SUITE= before the file; a = was part of the path
			suite, split, path = flags.Suite, "", arg
		}
		if suite == "" {
			var err error // "" is no error: the file does not show its suite
			if suite, err = dump.SuiteOfTasks(path, suites, limits); err != nil {
				return nil, err
			}
		}
		if suite == "" {
			return nil, usage("cannot use --tasks %q: the file does not show its suite; want SUITE=FILE, with SUITE one of %s",
				arg, strings.Join(suites.Names(), ", "))
		}
		if split != "" && !isSplit(split) {
			return nil, usage("cannot use --tasks %q: got split %q; want letters, digits, - and _", arg, split)
		}
		key := dump.TasksKey(suite, split)
		if files[key] != "" {
			return nil, usage("cannot use --tasks %q: %s has the file %s already; want one file for each suite and split", arg, key, files[key])
		}
		files[key] = path
	}
	return files, nil
}

// variants returns the variants that --variant names. A name that neither a suite nor the tables have
// is a usageError, which lists all names.
func (flags *scoreFlags) variants(suites scoring.Suites) (scoring.Variants, error) {
	variants, err := scoring.ParseVariants(flags.Variant, append(suites.Variants(), table.Variants()...))
	if err != nil {
		return nil, usageError{err}
	}
	return variants, nil
}

const (
	// parserDepth is how deeply JSON may be nested for the JSON parser, fastjson.
	parserDepth = 300
	// boardCacheDivisor makes of --tally-cache the memory for the whiteboards of tasks. The help of
	// --tally-cache names this sixteenth.
	boardCacheDivisor = 16
)

// coreConfig returns the configuration of the daemon's core, which draws and scores, from the flags that
// commands share. It finds out which suite the task files belong to, but does not read tasks, start the
// engine or start Chromium.
func coreConfig(engineFlags *engineFlags, limitFlags *limitFlags, scoreFlags *scoreFlags) (daemon.CoreConfig, error) {
	raster, err := daemon.ParseRaster(engineFlags.Raster)
	if err != nil {
		return daemon.CoreConfig{}, usageError{err}
	}
	if engineFlags.Workers < 0 {
		return daemon.CoreConfig{}, usage("cannot use --workers %d: want 0 or more", engineFlags.Workers)
	}
	if limitFlags.MaxDepth > parserDepth {
		return daemon.CoreConfig{}, usage("cannot use --max-depth %d: want at most %d", limitFlags.MaxDepth, parserDepth)
	}
	chromium, err := engineFlags.chromeConfig()
	if err != nil {
		return daemon.CoreConfig{}, err
	}
	chromium.MaxAsset, chromium.MaxAssetPixels = int(limitFlags.MaxAsset), int(limitFlags.MaxAssetPx)
	release, _ := view.ParseVersion(engineFlags.Tldraw) // an unknown version is refused where the engine opens
	suites := limitFlags.suites(release, int(engineFlags.Tallies)/boardCacheDivisor)
	if scoreFlags.Suite != "" && suites.Find(scoreFlags.Suite) == nil {
		return daemon.CoreConfig{}, unknownSuite(scoreFlags.Suite, suites)
	}
	files, err := scoreFlags.taskFiles(suites, limitFlags.lines())
	if err != nil {
		return daemon.CoreConfig{}, err
	}
	maxMemory := int64(limitFlags.MaxMemory) // one client may use all of it
	return daemon.CoreConfig{
		Engine: render.Config{Backend: engineFlags.Backend, Device: engineFlags.Device, Raster: raster, MaxCoverage: int(limitFlags.MaxCoverage),
			TallyCache: int(engineFlags.Tallies), Fidelity: engineFlags.Fidelity, Tldraw: engineFlags.Tldraw, Chrome: chromium},
		Fonts: engineFlags.FontsDir, Suites: suites, Suite: scoreFlags.Suite, TaskFile: files,
		Lines: limitFlags.lines(), Scenes: limitFlags.scenes(), Response: int(limitFlags.MaxResponse), Actions: int(limitFlags.MaxActions),
		Queue: queue.Config{Scorer: "plumb " + version, Workers: engineFlags.Workers, MaxBatch: int(engineFlags.Batch),
			MaxRequests: int(limitFlags.QueueMax), Deadline: limitFlags.Deadline, Memory: memory.New("--max-memory", maxMemory, maxMemory)},
	}, nil
}

// logger returns a logger that writes records of a level and above to standard error. It also makes it
// the default of the process, because the renderer and the queue log with the default logger of package
// slog. level is a value of --log-level, whose parser has refused all others.
func logger(std streams, level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelInfo // not reached from flags
	}
	log := slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: l}))
	slog.SetDefault(log)
	return log
}

// secret returns the access token in the environment variable that a flag names, or "" where the flag
// names none. A variable that is not set or empty is a usageError.
func secret(variable string) (string, error) {
	if variable == "" {
		return "", nil
	}
	value := os.Getenv(variable)
	if value == "" {
		return "", usage("cannot read the token: the environment variable %s is not set, or empty", variable)
	}
	return value, nil
}
