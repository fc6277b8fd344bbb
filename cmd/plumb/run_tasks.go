package main

import (
	"bytes"
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

// defaultScore returns the command `plumb score` with the default value of every flag, for commands that
// score as it does. The caller sets the dumps.
func defaultScore() *scoreCmd {
	var c cli
	if _, err := parser(&c).Parse([]string{"score", "-"}); err != nil { // the parser sets the defaults
		panic("BUG: " + err.Error())
	}
	return &c.Score
}

// requestSource returns the source of the requests that `plumb run` sends to a model: it makes them of the tasks
// of --tasks, or for ASPIRE of generated tasks. It sets preparedRun.tasks to the bytes of the task file,
// and opens what the suite needs: for ASPIRE the renderer of whiteboards, for DrawingBench the scorer of
// first turns.
func (cmd *runCmd) requestSource(preparedRun *preparedRun, options ask.Options) (ask.Suite, error) {
	scoreCmd := defaultScore()
	suites := scoreCmd.uncachedSuites()
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
	// Make the source of requests.
	switch cmd.Suite {
	case "aspire":
		if preparedRun.boards, err = ask.NewBoards(scoreCmd.scenes(), noBoardCache); err != nil {
			return nil, err
		}
		preparedRun.boards.Kept = cmd.keptPicture
		if cmd.Tests, err = aspireTests(cmd.Tests); err != nil {
			return nil, err
		}
		return ask.NewAspire(suite, lines, preparedRun.boards, options)
	case "tangram":
		if options.Seed, err = strconv.ParseInt(cmd.Seed, 10, 64); err != nil {
			return nil, usage("cannot use --seed %q: want a whole number", cmd.Seed)
		}
		set, err := readInstances(cmd.Tasks, scoreCmd.lines(), nil)
		if err != nil {
			return nil, err
		}
		return ask.NewTangram(set, options)
	}
	return ask.NewVisual(suite, lines, filepath.Dir(cmd.Tasks), cmd.ImageDetail)
}

// taskLines reads the lines of a task file, without spaces around them. A line that cannot be read,
// or a file without lines, is an error.
func taskLines(path string, limits dump.Limits) (lines [][]byte, err error) {
	err = eachLine(path, limits, nil, func(line dump.Line) error {
		if line.Fault != "" {
			return fmt.Errorf("line %d: %s", line.Number, line.Fault)
		}
		lines = append(lines, bytes.Clone(bytes.TrimSpace(line.Bytes)))
		return nil
	})
	if err == nil && len(lines) == 0 {
		err = fmt.Errorf("cannot use --tasks %s: it has no tasks", path)
	}
	return lines, err
}

// drawingSource returns the source of the requests about the DrawingBench tasks of --tasks. A task has a
// second turn if the score of the first one asks for it, and its prompt holds feedback. So it also sets
// preparedRun.scorer, which scores first turns. It sets preparedRun.tasks to the bytes of the task file.
func (cmd *runCmd) drawingSource(preparedRun *preparedRun) (ask.Suite, error) {
	var err error
	if preparedRun.tasks, err = os.ReadFile(cmd.Tasks); err != nil {
		return nil, fmt.Errorf("cannot read tasks: %w", err)
	}
	scoreCmd := defaultScore()
	scoreCmd.Suite = cmd.Suite
	scoreCmd.Tasks = []string{"drawingbench=" + cmd.Tasks}
	scoreCmd.Variant = cmd.Variant
	scoreCmd.Backend = "cpu" // the suite draws its own pictures, so no device is needed
	config, err := coreConfig(&scoreCmd.engineFlags, &scoreCmd.limitFlags, &scoreCmd.scoreFlags)
	if err != nil {
		return nil, err
	}
	variants, err := scoreCmd.variants(config.Suites)
	if err != nil {
		return nil, err
	}
	preparedRun.scorer = &turnScorer{config: config, options: queue.Options{Suite: cmd.Suite, Variants: variants}}
	tasks, err := dump.LoadTasks(cmd.Tasks, config.Suites.Find(cmd.Suite).Tasks, scoreCmd.lines(), scoreCmd.scenes())
	if err != nil {
		return nil, err
	}
	return ask.NewDrawingBench(tasks, preparedRun.scorer.scoreFirstTurn)
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

// scoreFirstTurn scores the answer of a first turn, given as a dump line, and returns the result. An answer that
// gets no score is an error.
func (scorer *turnScorer) scoreFirstTurn(line []byte) (*scoring.Result, error) {
	result, _, err := scorer.scoreLine(line)
	if err == nil && !result.Scored {
		err = result.Err
	}
	return result, err
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

// keepPicture writes a picture that was drawn for a request of the run into the run's folder, unless it
// is there. Only ASPIRE and TangramPuzzle draw pictures. Those of other suites are files of the
// benchmark and are not copied.
func (cmd *runCmd) keepPicture(img *chat.Image) error {
	path := cmd.picturePath(img.SHA256())
	_, err := os.Stat(path)
	exists := err == nil
	drawn := (cmd.Suite == "aspire" || cmd.Suite == "tangram") && img.Type == "image/png"
	if exists || !drawn {
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
