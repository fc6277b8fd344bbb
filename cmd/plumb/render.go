package main

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"image"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"plumb/daemon"
	"plumb/daemon/atomicfile"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/render/metric"
	"plumb/render/view"
	"plumb/scoring"
	"plumb/scoring/plural"
)

// renderCmd is `plumb render`.
type renderCmd struct {
	Scenes   []string `arg:"" name:"scenes" help:"Files of scenes: JSON lines, a .tldr file or a snapshot of the editor; - is standard input."`
	Out      string   `placeholder:"DIR" help:"Folder for the pictures, one PNG per scene. Default: none, and pixels are only measured."`
	Stats    string   `default:"-" placeholder:"FILE" help:"File for the measurements, one JSON line per scene; - is standard output."`
	Channels string   `enum:"rgba,alpha" default:"rgba" help:"What a PNG holds: rgba (not premultiplied) or alpha (8-bit grey)."`
	Only     *string  `placeholder:"IDS" help:"Ids of the shapes to draw, with their descendants, separated by commas; \"\" draws none, in the bounds of all. Default: those that the scene names, else all."`
	Bounds   string   `placeholder:"x,y,w,h|content[:PAD]" help:"Part of the page to draw, in page units, or content: what is drawn, with a margin of PAD page units. Default: the scene's own bounds, else content:32."`

	Compare   string   `placeholder:"DIR" group:"comparison" help:"Folder for a report that compares plumb's pictures with those of the real tldraw, pixel by pixel. The measurements are then the differences."`
	Reference string   `placeholder:"DIR" group:"comparison" help:"Compare with the pictures of this folder, one PNG per scene named by its id, instead of drawing them in Chromium."`
	Suite     string   `placeholder:"NAME" group:"answers" help:"Draw the answers of a result dump of this suite instead of scenes: drawingbench or tangram."`
	Tasks     []string `sep:"none" placeholder:"[SUITE=]FILE" group:"answers" help:"The benchmark's task file, for answers that only name their task; may be repeated."`

	Worst count `default:"24" placeholder:"N" group:"comparison" help:"Number of scenes that the report shows with pictures, the worst first."`

	engineFlags
	limitFlags
}

// Run draws every scene of the files and writes pictures and measurements of their pixels. With --suite
// it draws the answers in dumps instead. With --compare it compares the pictures with those that the
// editor, tldraw, makes.
func (cmd *renderCmd) Run(std streams) error {
	config, err := coreConfig(&cmd.engineFlags, &cmd.limitFlags, &scoreFlags{Suite: cmd.Suite, Tasks: cmd.Tasks})
	if err != nil {
		return err
	}
	ctx, stop := signalContext()
	defer stop()
	job := &renderRun{ctx: ctx, pictureDir: cmd.Out, alpha: cmd.Channels == "alpha"}
	job.drawTask = job.draw
	given, err := cmd.pictureOptions()
	if err != nil {
		return err
	}
	// Other work with the same flags.
	switch {
	case cmd.Suite != "":
		return cmd.renderAnswers(ctx, config, std)
	case cmd.Compare != "":
		return cmd.compare(config, job, given, std)
	}
	// Draw the scenes.
	if err := cmd.makeFolder(); err != nil {
		return err
	}
	stats, err := output(cmd.Stats, std, cmd.Scenes...)
	if err != nil {
		return err
	}
	job.core, err = daemon.Open(config)
	if err != nil {
		return err
	}
	defer job.core.Close()
	tellFallback(std.err, job.core)
	job.options = job.core.Pictures
	job.options.Bounds, job.options.Only = given.Bounds, given.Only
	return stats.finish(job.drawAll(cmd.Scenes, config.Lines, std, stats))
}

// makeFolder makes the folder for pictures that --out names, if it is given.
func (cmd *renderCmd) makeFolder() error {
	if cmd.Out == "" {
		return nil
	}
	if err := os.MkdirAll(cmd.Out, 0o755); err != nil {
		return fmt.Errorf("cannot make folder: %w", err)
	}
	return nil
}

// pictureOptions returns the options that --bounds and --only set for the pictures of all scenes: the part of the
// page, and the shapes. Without the flag an option is nil, and that of each scene holds. --only "" asks
// for no shapes: a list that is empty, but not nil.
func (cmd *renderCmd) pictureOptions() (options dump.PictureOptions, err error) {
	if cmd.Bounds != "" {
		bounds, err := dump.ParseBounds(cmd.Bounds)
		if err != nil {
			return options, usageError{err}
		}
		options.Bounds = &bounds
	}
	if cmd.Only != nil {
		options.Only = strings.FieldsFunc(*cmd.Only, func(r rune) bool { return r == ',' || r == ' ' })
		if options.Only == nil {
			options.Only = []string{}
		}
	}
	return options, nil
}

// renderRun holds what all scenes of a run share.
type renderRun struct {
	ctx        context.Context // ends with a signal
	core       *daemon.Core
	idHashes   map[uint64]struct{} // hashes of the ids of pictures that have their names
	hashSeed   maphash.Seed
	pictureDir string // of --out; "" for no pictures
	alpha      bool   // pictures are alpha alone
	options    dump.PictureOptions
	drawTask   func(*renderTask) []byte // draws one scene and returns its line; called concurrently
	afterTask  func(*renderTask) error  // called for each scene in order; may be nil
	eachTask   source
	tally      tally
	bar        *progress                          // nil in a comparison
	threads    int                                // goroutines, where there is no core
	encodePNG  func(io.Writer, image.Image) error // nil: PNG at best speed
}

// source calls give for each picture that is to be made of a file.
type source func(path string, limits dump.Limits, stdin io.Reader, give func(*renderTask)) error

// renderTask is one scene to draw.
type renderTask struct {
	line        dump.Line
	pictureID   string           // the id, known once drawn
	partialFile *atomicfile.File // the picture before it has its name; nil for none
	name        string           // id of a file that is one scene, "" for lines
	path        string           // of the file that holds the scene
	offset      int64            // bytes of the file up to the end of the scene
	resultLine  []byte           // with the measurements, or with err
	err         *scoring.Error   // why there is no picture
	drawn       chan struct{}    // closed when resultLine is set
	pair        *pair            // set in a comparison
}

// drawAll draws all scenes of all files, writes their lines of measurements to stats, and prints how many
// scenes have no picture. A scene that cannot be drawn has an error on its line and does not fail the run.
// The run fails if a picture cannot be written, or if there is no picture at all.
func (run *renderRun) drawAll(paths []string, limits dump.Limits, std streams, stats io.Writer) error {
	if run.pictureDir != "" {
		tellLeftovers(std.err, atomicfile.LeftoversIn(run.pictureDir))
	}
	run.bar = newProgress(std.err, paths, "scene", "picture", progressEvery)
	err := run.drawFiles(paths, limits, std.in, stats)
	run.bar.end()
	if run.ctx.Err() != nil {
		fmt.Fprintf(std.err, "PARTIAL: the run was interrupted after %s\n", plural.Of(run.tally.lines, "scene"))
		err = interruption{errors.New("interrupted; the same command begins anew")}
	}
	run.tally.writeFailures(std.err, "drawn")
	switch unwritten := run.tally.codes["output"]; {
	case err != nil:
	case unwritten > 0:
		err = fmt.Errorf("cannot write %d of %s to --out %s", unwritten, plural.Of(run.tally.lines, "picture"), run.pictureDir)
	case run.tally.withResult == 0:
		err = run.tally.nothingError("drawn")
	}
	return err
}

// drawFiles draws all scenes of all files. One goroutine reads, others draw, and this one takes the pictures in
// the order of the input: it counts them, gives their files their names and writes their lines to stats. The
// first error of reading or writing is returned, and all scenes that were read are drawn all the same.
func (run *renderRun) drawFiles(paths []string, limits dump.Limits, stdin io.Reader, stats io.Writer) error {
	workers, eachTask := 2*run.workers(), run.eachTask // twice as many: some wait for the device
	if eachTask == nil {
		eachTask = eachScene
	}
	// Draw.
	work := make(chan *renderTask)
	order := make(chan *renderTask, workers)
	var pool sync.WaitGroup
	for range workers {
		pool.Go(func() {
			for task := range work {
				task.resultLine = run.drawTask(task)
				close(task.drawn)
			}
		})
	}
	// Read.
	failed := make(chan error, 1)
	go func() {
		defer close(order)
		defer close(work)
		for _, path := range paths {
			err := eachTask(path, limits, stdin, func(task *renderTask) {
				if run.ctx.Err() != nil {
					return // the rest is read and dropped
				}
				task.path = path
				run.bar.lineRead(task.offset)
				order <- task
				work <- task
			})
			if err != nil {
				failed <- err
				return
			}
			run.bar.dumpDone()
		}
		failed <- nil
	}()
	// Take the pictures.
	var err error
	for task := range run.inOrder(order) {
		run.commitPicture(task)
		run.bar.lineDone(task.err == nil)
		run.tally.addLine(task.path, task.line.Number, task.pictureID, task.err)
		if _, e := stats.Write(task.resultLine); e != nil && err == nil {
			err = fmt.Errorf("cannot write statistics: %w", e)
		}
		if run.afterTask != nil && err == nil {
			err = run.afterTask(task)
		}
	}
	if run.ctx.Err() != nil {
		return err // the reader may block on its input; it ends with the process
	}
	pool.Wait()
	return errors.Join(<-failed, err)
}

// inOrder yields the scenes of the channel order, which has the order of the input, each after it has been
// drawn. When the run is interrupted, it yields no more: it waits for the scenes that are being drawn and
// discards their pictures.
func (run *renderRun) inOrder(order <-chan *renderTask) iter.Seq[*renderTask] {
	return func(yield func(*renderTask) bool) {
		for {
			var task *renderTask
			var ok bool
			select {
			case task, ok = <-order:
			case <-run.ctx.Done():
				select {
				case task, ok = <-order: // a scene in flight
				default: // do not wait: the input may block for ever
				}
			}
			if !ok { // the end of the input, or nothing is in flight
				return
			}
			<-task.drawn
			if run.ctx.Err() == nil {
				yield(task)
			} else if task.partialFile != nil {
				task.partialFile.Discard()
			}
		}
	}
}

// workers returns how many scenes can be drawn at the same time: as many as the engine has workers, or
// where no engine draws, the number of threads of the run.
func (run *renderRun) workers() int {
	if run.core == nil {
		return max(1, run.threads)
	}
	return max(1, run.core.Workers)
}

// eachScene calls give with a task for every scene of a file. A scene is a line, or the whole file where
// it is one document of several lines. The scene of a .tldr or .json file gets the name of the file.
func eachScene(path string, limits dump.Limits, stdin io.Reader, give func(*renderTask)) error {
	reader, err := openDump(path, limits, stdin)
	if err != nil {
		return err
	}
	defer reader.Close()
	name := ""
	if ext := filepath.Ext(path); ext == ".tldr" || ext == ".json" {
		name = strings.TrimSuffix(filepath.Base(path), ext)
	}
	err = dump.Scenes(reader, limits, func(l dump.Line) {
		give(&renderTask{line: l, name: name, offset: reader.Offset(), drawn: make(chan struct{})})
	})
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", inputName(path), err)
	}
	return nil
}

// inputName returns the name of an input for messages: that of the file, or "standard input" for "-".
func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// openDump opens a file of scenes or answers, or standard input for "-".
func openDump(path string, limits dump.Limits, stdin io.Reader) (*dump.Reader, error) {
	if path == "-" {
		return dump.NewReader(stdin, limits)
	}
	return dump.Open(path, limits)
}

// draw draws one scene, writes its picture with --out, and returns a JSON line with the measurements of
// the picture, or with the error if there is none. It sets renderTask.pictureID to the id under which the
// picture is kept: that in the scene, else the one of its file or line.
func (run *renderRun) draw(renderTask *renderTask) []byte {
	id := renderTask.fallbackID()
	if renderTask.line.Fault != "" {
		return renderTask.fail(id, &scoring.Error{Code: "bad_line", Message: renderTask.line.Fault})
	}
	// A worker of the queue reads the scene and its id. After the deadline it may still be reading while
	// this function goes on, so the id comes through a channel, buffered as there is no receiver then.
	ids := make(chan string, 1)
	picture, err := run.core.Queue.Draw(run.ctx, nil, func() (view.View, error) {
		given, picture, err := dump.Picture(renderTask.line.Bytes, run.options)
		ids <- given
		return picture, err
	})
	select {
	case given := <-ids:
		if given != "" {
			id = given
		}
	default: // the id was not read before the deadline
	}
	renderTask.pictureID = id
	if err == nil && run.pictureDir != "" {
		err = run.writePicture(renderTask, picture.Image)
	}
	if err != nil {
		return renderTask.fail(id, err)
	}
	return run.statsLine(id, picture)
}

// fallbackID returns the id of a scene that has none of its own: the name of its file, or the number of its
// line.
func (renderTask *renderTask) fallbackID() string {
	if renderTask.name != "" {
		return renderTask.name
	}
	return fmt.Sprintf("line:%d", renderTask.line.Number)
}

// codeOf returns the code with which the error of a scene or prompt is written in JSON: that of a
// scoring.Error, else not_native for a scene that only the editor can draw, backend where fonts are
// missing, and bad_scene for any other.
func codeOf(err error) string {
	var coded *scoring.Error
	switch {
	case errors.As(err, &coded):
		return coded.Code
	case errors.Is(err, view.ErrForeign):
		return "not_native"
	case errors.Is(err, view.ErrFonts):
		return "backend"
	}
	return "bad_scene"
}

// fail records why there is no picture, and returns the line that says so.
func (s *renderTask) fail(id string, err error) []byte {
	s.err = &scoring.Error{Code: codeOf(err), Message: err.Error()}
	return errorLine(id, s.err.Code, s.err.Message)
}

// errorLine returns the JSON line of a scene without a picture, or of an item without a prompt: its id, and
// the code and the message of the error.
func errorLine(id, code, message string) []byte {
	line := scoring.AppendString([]byte(`{"id":`), id)
	line = scoring.AppendString(append(line, `,"error":{"code":`...), code)
	line = scoring.AppendString(append(line, `,"message":`...), message)
	return append(line, "}}\n"...)
}

// statsLine returns the measurements of a drawn scene as a JSON line. The sums over its pixels are those that
// the device computed. Only the number of covered pixels is counted here, in the picture, whose pixels
// are rounded to 8 bits. See docs/spec/cli.md#r31.
func (run *renderRun) statsLine(id string, picture queue.Picture) []byte {
	measured := metric.Measure(metric.OfImage(picture.Image), metric.CoveredFrom)
	covered := measured.Covered     // it is a field of Sums, which the next line replaces
	measured.Sums = picture.Tally.A // the sums of alpha
	measured.Covered = covered
	out := scoring.AppendString([]byte(`{"id":`), id)
	out = fmt.Appendf(out, `,"width":%d,"height":%d,`, picture.Image.Rect.Dx(), picture.Image.Rect.Dy())
	out = scoring.AppendStats(out, measured, nil) // nil: undefined measures are null, without a reason
	out = scoring.AppendString(append(out, `,"backend":`...), picture.Origin.Backend)
	if picture.Origin.Reason != "" {
		out = scoring.AppendString(append(out, `,"reason":`...), picture.Origin.Reason)
	}
	return append(out, "}\n"...)
}

// fileName returns the name of the file for an id, without a suffix, such as that of a scene's picture.
// Every byte of the id outside A-Za-z0-9._- becomes %XX, because an id may hold characters that file names
// cannot. See docs/spec/cli.md#r32.
func fileName(id string) string {
	var text strings.Builder
	for i := range len(id) {
		c := id[i]
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-' {
			text.WriteByte(c)
		} else {
			fmt.Fprintf(&text, "%%%02X", c)
		}
	}
	return text.String()
}
