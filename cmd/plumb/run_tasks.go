package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"plumb/daemon"
	"plumb/daemon/ask"
	"plumb/daemon/atomicfile"
	"plumb/daemon/chat"
	"plumb/daemon/dump"
	"plumb/daemon/queue"
	"plumb/scoring"
)

// defaultScore returns the command `plumb score` with the default value of every flag. The dump is set
// by the caller.
func defaultScore() *scoreCmd {
	var c cli
	if _, err := parser(&c).Parse([]string{"score", "-"}); err != nil {
		panic("BUG: " + err.Error())
	}
	return &c.Score
}

// source returns the source of the tasks that `plumb run` asks about: those of --tasks, or generated
// ones for ASPIRE. It sets preparedRun.tasks to the bytes of the task file, and opens what the suite needs: the
// renderer of whiteboards, or the scorer of first turns.
func (cmd *runCmd) source(preparedRun *preparedRun, opts ask.Options) (ask.Suite, error) {
	scoreCmd := defaultScore()
	suites := scoreCmd.suites(0, 0)
	suite := suites.Find(cmd.Suite)
	if suite == nil {
		return nil, unknownSuite(cmd.Suite, suites)
	}
	// Refuse flags that the suite has no use for.
	if len(cmd.Tests) > 0 && cmd.Suite != "aspire" && cmd.Suite != "tangram" {
		return nil, usage("cannot use --tests %s: %s has no tests to choose among; want it with aspire or tangram",
			strings.Join(cmd.Tests, ","), cmd.Suite)
	}
	if cmd.Tasks == "" && cmd.Suite != "aspire" {
		return nil, usage("cannot run %s without --tasks: want --tasks FILE with the benchmark's tasks", cmd.Suite)
	}
	if cmd.Suite == "drawingbench" {
		return cmd.drawingSource(preparedRun)
	}
	if _, err := os.Stat(cmd.Tasks); cmd.Tasks != "" && err != nil {
		return nil, fmt.Errorf("cannot read tasks: %w", err)
	}
	// Read or generate the tasks.
	var lines [][]byte
	var err error
	if cmd.Tasks == "" {
		lines, err = cmd.aspireLines()
	} else {
		lines, err = taskLines(cmd.Tasks, scoreCmd.lines())
	}
	if err != nil {
		return nil, err
	}
	preparedRun.tasks = append(bytes.Join(lines, []byte{'\n'}), '\n')
	// Make the source that asks about them.
	switch cmd.Suite {
	case "aspire":
		if preparedRun.boards, err = ask.NewBoards(scoreCmd.scenes(), 0); err != nil {
			return nil, err
		}
		preparedRun.boards.Kept = cmd.keptPicture
		if cmd.Tests, err = aspireTests(cmd.Tests); err != nil {
			return nil, err
		}
		return ask.NewAspire(suite, lines, preparedRun.boards, opts)
	case "tangram":
		if opts.Seed, err = strconv.ParseInt(cmd.Seed, 10, 64); err != nil {
			return nil, usage("cannot use --seed %q: want a whole number", cmd.Seed)
		}
		set, err := readInstances(cmd.Tasks, scoreCmd.lines(), nil)
		if err != nil {
			return nil, err
		}
		return ask.NewTangram(set, opts)
	}
	return ask.NewVisual(suite, lines, filepath.Dir(cmd.Tasks), cmd.ImageDetail)
}

// taskLines reads the lines of a task file, without spaces around them. A line that cannot be read,
// or a file without lines, is an error.
func taskLines(path string, limits dump.Limits) (lines [][]byte, err error) {
	err = eachLine(path, limits, nil, func(line dump.Line) error {
		if line.Fault != "" {
			return fmt.Errorf("line %d: %s", line.N, line.Fault)
		}
		lines = append(lines, bytes.Clone(bytes.TrimSpace(line.Bytes)))
		return nil
	})
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("cannot use --tasks %s: it has no tasks", path)
	}
	return lines, err
}

// drawingSource returns the source of DrawingBench's tasks. It sets preparedRun.tasks, and
// preparedRun.scorer to a scorer of first turns, because their scores and feedback decide on the
// second ones.
func (cmd *runCmd) drawingSource(preparedRun *preparedRun) (ask.Suite, error) {
	var err error
	if preparedRun.tasks, err = os.ReadFile(cmd.Tasks); err != nil {
		return nil, fmt.Errorf("cannot read tasks: %w", err)
	}
	d := defaultScore()
	d.Suite = cmd.Suite
	d.Tasks = []string{"drawingbench=" + cmd.Tasks}
	d.Variant = cmd.Variant
	d.Backend = "cpu"
	config, err := core(&d.engineFlags, &d.limitFlags, &d.scoreFlags)
	if err != nil {
		return nil, err
	}
	variants, err := d.variants(config.Suites)
	if err != nil {
		return nil, err
	}
	preparedRun.scorer = &turnScorer{config: config, options: queue.Options{Suite: cmd.Suite, Variants: variants}}
	tasks, err := dump.LoadTasks(cmd.Tasks, config.Suites.Find(cmd.Suite).Tasks, d.lines(), d.scenes())
	if err != nil {
		return nil, err
	}
	return ask.NewDrawingBench(tasks, preparedRun.scorer.score)
}

// turnScorer scores the turns of tasks that are asked several times. It opens the engine when the
// first turn comes, because a dry run has none. It is safe for concurrent use.
type turnScorer struct {
	config  daemon.CoreConfig
	options queue.Options

	once sync.Once
	core *daemon.Core
	err  error
}

// score returns the result of a first turn's dump line. A line without a score is an error.
func (scorer *turnScorer) score(line []byte) (*scoring.Result, error) {
	scorer.once.Do(func() { scorer.core, scorer.err = daemon.Open(scorer.config) })
	if scorer.err != nil {
		return nil, scorer.err
	}
	o := scorer.options
	answer, err := scorer.core.Queue.Score(context.Background(), dump.Line{N: 1, Bytes: line}, &o)
	if err == nil && !answer.Result.Scored {
		err = answer.Result.Err
	}
	return &answer.Result, err
}

// close closes the engine that scores turns, if a turn has needed one.
func (scorer *turnScorer) close() error {
	if scorer.core == nil {
		return nil
	}
	return scorer.core.Close()
}

// tasksName is the name of the task file in the folder of a run.
func (cmd *runCmd) tasksName() string {
	if cmd.Suite == "drawingbench" {
		return "tasks.json"
	}
	return "tasks.jsonl"
}

// picturePath returns the file of a picture in the folder of the run.
func (cmd *runCmd) picturePath(sum string) string {
	return filepath.Join(cmd.Out, "images", sum+".png")
}

// keptPicture returns a picture of the folder, nil where it is not there.
func (cmd *runCmd) keptPicture(sum string) []byte {
	b, _ := os.ReadFile(cmd.picturePath(sum)) // what is not there is drawn again
	return b
}

// keepPicture writes a picture that was drawn for the run into its folder, once. Pictures of other
// suites are files of the benchmark and are not copied.
func (cmd *runCmd) keepPicture(img *chat.Image) error {
	path := cmd.picturePath(img.SHA256())
	if _, err := os.Stat(path); err == nil || img.Type != "image/png" || cmd.Suite != "aspire" && cmd.Suite != "tangram" {
		return nil
	}
	return atomicfile.WriteFile(path, func(f *atomicfile.File) error {
		_, err := f.Write(img.Data)
		return err
	})
}

// hashOf is the SHA-256 of bytes in hexadecimal digits.
func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
