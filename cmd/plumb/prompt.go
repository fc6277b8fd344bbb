package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/render/font"
	"plumb/scoring"
	"plumb/scoring/plural"
	"plumb/scoring/vqa"
)

// promptCmd is `plumb prompt`.
type promptCmd struct {
	Items  string `arg:"" optional:"" name:"items" help:"Items: JSON lines of ASPIRE (id, test, shapes, prompt), SPATIALAB or SpaCE-Eval, or TangramPuzzle instances; - is standard input. DrawingBench has --tasks instead."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"File for the prompts, one JSON line {\"id\",\"prompt\"} per item; - is standard output."`
	Suite  string `default:"aspire" help:"Suite of the items: ${suites}."`
	Mode   string `enum:"default,cot,reasoning" default:"default" help:"ASPIRE: default, cot (think step by step) or reasoning (the text of default; only the request of plumb run differs)."`
	Input  string `enum:"full,minimal,scaffold" default:"full" help:"ASPIRE: full (all fields of the shapes), minimal (ids alone) or scaffold (as minimal, with a plot, a grid or numbers in the picture; needs --images)."`
	Format string `enum:",mcq,open" default:"" help:"SPATIALAB: how items that name no format are asked: mcq (with their options) or open (without)."`
	Images string `placeholder:"DIR" help:"Folder for the pictures that go with prompts of ASPIRE and TangramPuzzle; the lines then name them. Default: none, and only texts are written."`
	Rows   bool   `help:"Write rows for data sets instead: {\"id\",\"prompt\",\"png\",\"more\",\"label\"}, with the first picture and the others in base64 and the whole task as the label. For all suites; DrawingBench takes its task file as the argument too."`
	Method string `enum:",direct,cot,self-reflection,xolver" default:"" help:"SPATIALAB: how the paper asks: direct, cot, self-reflection or xolver, of which the first call is written."`
	tangramPrompts
	drawingBenchPrompts
	limitFlags
}

// Run writes the prompts that a model is asked about a benchmark's items, in the order of the items.
// DrawingBench, TangramPuzzle and rows for data sets have functions of their own.
func (cmd *promptCmd) Run(std streams) (err error) {
	suites := cmd.uncachedSuites()
	switch {
	case suites.Find(cmd.Suite) == nil:
		return unknownSuite(cmd.Suite, suites)
	case cmd.Rows:
		return cmd.writeRows(std, suites)
	case cmd.Suite == "drawingbench":
		return cmd.writeDrawingBench(std)
	case cmd.Items == "":
		return usage("cannot write prompts: want a file of items, or --suite drawingbench with --tasks or --second-turn")
	case cmd.Suite == "tangram":
		return cmd.writeTangram(std)
	case cmd.Input == ask.InputScaffold && cmd.Images == "":
		return usage("cannot use --input scaffold without --images DIR: the scaffold is in the picture alone")
	}
	return cmd.writeItems(std, suites)
}

// writeItems writes a JSON line for each item of a file, with its prompt. With --images it also draws the
// whiteboard of each item, and the line names the picture's file. An item for which no prompt can be made
// gets a line with its error, and does not end the run.
func (cmd *promptCmd) writeItems(std streams, suites scoring.Suites) (err error) {
	reader, err := openDump(cmd.Items, cmd.lines(), std.in)
	if err != nil {
		return err
	}
	defer reader.Close()
	out, err := output(cmd.Output, std, cmd.Items)
	if err != nil {
		return err
	}
	// What turns a line into an item, its prompt and its picture.
	decoder := dump.NewDecoder(dump.ItemConfig{Suites: suites, DefaultSuite: cmd.Suite, Limits: cmd.scenes()})
	promptOptions := scoring.PromptOptions{Minimal: cmd.Input != ask.InputFull, StepWise: cmd.Mode == ask.ModeCoT,
		Open: cmd.Format == "open", Method: cmd.Method}
	if cmd.Method != "" {
		promptOptions.Step = vqa.Steps(cmd.Method, 1)[0] // the first step of a method with several
	}
	boards, err := cmd.openBoards()
	if err != nil {
		return out.finish(err)
	}
	defer boards.Close()
	makePrompt := func(item *scoring.Item) (string, error) {
		suite := suites.Find(item.Suite)
		if suite.Prompt == nil {
			message := fmt.Sprintf("cannot write prompt: got an item of %s; want --suite %[1]s", item.Suite)
			return "", &scoring.Error{Code: "bad_item", Message: message}
		}
		return suite.Prompt(item, promptOptions)
	}
	drawPicture := func(item *scoring.Item, line []byte) (string, error) {
		if cmd.Images == "" || item.Suite != "aspire" {
			return "", nil
		}
		return cmd.drawBoard(boards, item, line)
	}
	// One line of output for each item.
	var tally promptTally
	for err == nil {
		var source dump.Line
		if source, err = reader.Next(); err == nil {
			line, fault := promptLine(decoder, source, makePrompt, drawPicture)
			tally.add(source.Number, fault)
			_, err = out.Write(line)
		}
	}
	if err == io.EOF {
		err = tally.errorOfRun(std.err)
	} else {
		err = fmt.Errorf("cannot write prompts of %s: %w", cmd.Items, err)
	}
	return out.finish(err)
}

// noBoardCache is the memory for the last whiteboards that were drawn, of which edited ones take what did
// not change. The boards of prompts are not edited, so none are kept.
const noBoardCache = 0

// openBoards starts the renderer that draws whiteboards for the prompts of ASPIRE. With --images it opens
// the fonts for the whole process and makes the folder of the pictures.
func (cmd *promptCmd) openBoards() (*ask.Boards, error) {
	if cmd.Images != "" {
		if err := font.Use(cmd.FontsDir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(cmd.Images, 0o755); err != nil {
			return nil, fmt.Errorf("cannot make folder: %w", err)
		}
	}
	return ask.NewBoards(cmd.scenes(), noBoardCache)
}

// drawBoard draws the whiteboard of an ASPIRE item, writes it as a PNG file into the folder of --images,
// and returns the path of the file. With --input scaffold a plot, a grid or numbers are drawn into the
// picture; a test that has none of these is an error. line is the item as JSON.
func (cmd *promptCmd) drawBoard(boards *ask.Boards, item *scoring.Item, line []byte) (string, error) {
	scaffold := cmd.Input == ask.InputScaffold
	if scaffold && !ask.HasScaffold(item.Test) {
		return "", &scoring.Error{Code: "bad_item", Message: "cannot draw scaffold: the test " + item.Test + " has none"}
	}
	data, err := boards.Draw(line, item.Test, scaffold)
	if err != nil {
		return "", &scoring.Error{Code: "bad_scene", Message: err.Error()}
	}
	path := filepath.Join(cmd.Images, fileName(item.ID)+".png")
	return path, writeWhole(path, data)
}

// promptTally counts items with a prompt and without.
type promptTally struct {
	withPrompt, withoutPrompt int
	firstFault                string // line and fault of the first item without one
}

// add counts an item for which `plumb prompt` was to make a prompt. line is its number in the file, and
// fault says why there is no prompt, nil where there is one.
func (tally *promptTally) add(line int, fault *scoring.Error) {
	if fault == nil {
		tally.withPrompt++
		return
	}
	if tally.withoutPrompt++; tally.withoutPrompt == 1 {
		tally.firstFault = fmt.Sprintf("line %d: %s: %s", line, fault.Code, fault.Message)
	}
}

// errorOfRun prints on w how many items have no prompt, and why the first one has none. It returns an
// error if no item has a prompt.
func (tally *promptTally) errorOfRun(w io.Writer) error {
	switch {
	case tally.withPrompt+tally.withoutPrompt == 0:
		return errors.New("cannot write any prompt: the file has no lines; want one item on each")
	case tally.withoutPrompt == 0:
		return nil
	case tally.withPrompt == 0:
		return fmt.Errorf("cannot write any prompt: %s %s", plural.Of(tally.withoutPrompt, "item failed:", "items failed; the first is"), tally.firstFault)
	}
	fmt.Fprintf(w, "%d of %s no prompt; the first is %s\n", tally.withoutPrompt, plural.Of(tally.withPrompt+tally.withoutPrompt, "item has", "items have"), tally.firstFault)
	return nil
}

// promptLine returns a JSON line for one item of a file: its id, its prompt, and the path of its picture
// if it has one. makePrompt makes the prompt. drawPicture draws and writes the picture and returns its path, "" for
// none. If there is no prompt, it returns a line with the error, and the error too.
func promptLine(decoder *dump.Decoder, line dump.Line, makePrompt func(*scoring.Item) (string, error),
	drawPicture func(*scoring.Item, []byte) (string, error)) ([]byte, *scoring.Error) {
	item, fault := decoder.Item(line, "") // "": a line that names no suite has the decoder's
	if fault != nil {
		return errorLine(item.ID, fault.Code, fault.Message), fault
	}
	prompt, err := makePrompt(item)
	path := ""
	if err == nil {
		path, err = drawPicture(item, line.Bytes)
	}
	if err != nil {
		if !errors.As(err, &fault) { // the item is not at fault
			fault = &scoring.Error{Code: "internal", Message: err.Error()}
		}
		return errorLine(item.ID, fault.Code, fault.Message), fault
	}
	out := scoring.AppendString([]byte(`{"id":`), item.ID)
	out = scoring.AppendString(append(out, `,"prompt":`...), prompt)
	if path != "" {
		out = scoring.AppendString(append(out, `,"image":`...), path)
	}
	return append(out, "}\n"...), nil
}
