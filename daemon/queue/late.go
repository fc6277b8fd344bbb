package queue

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"plumb/scoring"
)

// Pictures that the editor draws take a hundred times as long as those of the engine. So
// samples that need one wait in a stage of their own before they go on to the device.

// awaitPictures waits until the editor has drawn the late pictures of a sample, at most until the
// deadline of its readers. For a sample of a stream, and for any sample if the editor first had to be made
// ready, the time allowed begins anew now. It returns false if a picture fails, which fails the sample, or if
// nobody waits for the sample.
func (queue *Queue) awaitPictures(task *task) (ok bool) {
	if queue.giveUpIfUnread(task) {
		return false
	}
	// Find the deadline.
	hadToWarm := queue.warmEditor(task)
	start := queue.now()
	end := time.Duration(task.lastDeadline.Load())
	if task.fromStream {
		task.deadlineStart.Store(int64(start))
	}
	if task.fromStream || hadToWarm {
		end = start + queue.deadlineOf(task.options)
	}
	ctx, cancel := context.WithTimeout(context.Background(), end-start)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			slog.Error("BUG: panic in a picture that comes late", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			task.failPictures(&scoring.Error{Code: "internal", Message: "cannot draw picture: internal error; the log has the details"})
			ok = false
		}
	}()
	// Wait for each late picture.
	for _, pic := range task.pictures {
		late, ok := pic.(Late)
		if !ok {
			continue
		}
		wantsImage := task.viewToDraw != nil // and not only sums of pixels
		if err := late.Finish(ctx, wantsImage); err != nil {
			if ctx.Err() != nil { // the deadline passed
				allowed := queue.deadlineOf(task.options)
				isOfRequest := allowed < queue.cfg.Deadline
				err = deadlineError(allowed, isOfRequest)
			}
			task.failPictures(err)
			return false
		}
		task.addCost(pic)
	}
	// All pictures are there: the sample can be measured.
	task.hasLatePictures = false
	queue.endPart(task, PartExport)
	queue.cfg.Watch.reportStage("export", task.partEnds[PartExport]-start)
	return true
}

// editorNotReady is the value of task.editorReadyAt while the editor is not ready.
const editorNotReady = -1

// warmEditor waits until the editor is ready to draw a sample's pictures, and reports whether it had to
// wait.
func (queue *Queue) warmEditor(task *task) bool {
	if !queue.cfg.Engine.Cold() {
		return false
	}
	task.editorReadyAt.Store(editorNotReady)
	queue.cfg.Engine.Warm()
	task.editorReadyAt.Store(int64(queue.now()))
	return true
}

// checkAgain is how long a reader waits before it checks again whether its time has begun.
const checkAgain = 100 * time.Millisecond

// extraWait returns how long a reader waits beyond its deadline because the editor was not ready to draw;
// 0 or less means no longer. While the editor is made ready, the reader checks again after a tenth of a
// second. Once it is ready, the reader has its whole time limit from that moment on.
func (queue *Queue) extraWait(reader *reader) time.Duration {
	switch _, _, readySince := queue.waitState(reader); readySince {
	case 0: // it never waited for the editor
		return 0
	case editorNotReady:
		return checkAgain
	default:
		return reader.timeLimit - (queue.now() - readySince)
	}
}

// failPictures fails a sample one of whose pictures could not be drawn, and releases its pictures.
func (task *task) failPictures(err error) {
	task.releasePictures()
	task.fault, task.err = asError(err), err
}

// recordOrigin records that another backend draws a picture of the sample later, and why, as a note. A
// reason that several pictures have is noted once.
func (task *task) recordOrigin(origin Origin) {
	task.hasLatePictures, task.backend = true, origin.Backend
	if origin.Reason == "" {
		return
	}
	n := scoring.Note{Code: "rendered_by_" + origin.Backend, Path: origin.Shape, Message: origin.Reason}
	if !slices.Contains(task.originNotes, n) {
		task.originNotes = append(task.originNotes, n)
	}
}

// completeResult adds to a result the notes on how the line was read, the backend that drew the pictures,
// and the notes on why another backend than engine drew them. engine is the backend of the queue's
// own renderer.
func (task *task) completeResult(result *scoring.Result, engine string) {
	if task.readNotes != nil {
		result.Notes = append(slices.Clip(task.readNotes), result.Notes...)
	}
	if task.backend == "" {
		if result.Backend == "" {
			result.Backend = engine
		}
		return
	}
	result.Backend = task.backend
	result.Notes = append(slices.Clip(result.Notes), task.originNotes...)
}
