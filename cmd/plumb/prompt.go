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
	"plumb/scoring/vqa"
)

// promptCmd is `plumb prompt`.
type promptCmd struct {
	Items  string `arg:"" optional:"" name:"items" help:"ASPIRE items: JSON lines with id, test, shapes and prompt; or items of SPATIALAB and SpaCE-Eval; or TangramPuzzle instances; - is stdin. DrawingBench has --tasks."`
	Output string `short:"o" default:"-" placeholder:"FILE" help:"File for the prompts, one line {\"id\",\"prompt\"} per item; - is stdout."`
	Suite  string `default:"aspire" help:"Suite of the items; an unknown name lists them all."`
	Mode   string `enum:"default,cot,reasoning" default:"default" help:"ASPIRE: default, cot (think step by step) or reasoning (the text of default; the request of plumb run differs)."`
	Input  string `enum:"full,minimal,scaffold" default:"full" help:"ASPIRE: full (all fields of the shapes), minimal (ids alone) or scaffold (as minimal, with a plot, a grid or numbers in the picture; needs --images)."`
	Format string `enum:",mcq,open" default:"" help:"SPATIALAB: how items that name no format are asked: mcq, or open (without their options)."`
	Images string `placeholder:"DIR" help:"Folder for the pictures that go with the prompts of ASPIRE and TangramPuzzle; lines then name theirs. Without it only texts are written."`
	Rows   bool   `help:"Write rows for data sets instead: {\"id\",\"prompt\",\"png\",\"more\",\"label\"} with the first picture and the others in base64 and the whole task as the label. All suites; DrawingBench takes its file as the argument too."`
	Method string `enum:",direct,cot,self-reflection,xolver" default:"" help:"SPATIALAB: how the paper asks: direct, cot, self-reflection or xolver, of which the first call is written."`
	tangramPrompts
	drawingBenchPrompts
	limitFlags
}

// Run writes what a model is asked, in the order of the items.
func (c *promptCmd) Run(std streams) (err error) {
	suites := c.suites(0, 0)
	if suites.Find(c.Suite) == nil {
		return usage("cannot use suite %q: want one of %v", c.Suite, suites.Names())
	}
	if c.Rows {
		return c.rows(std, suites)
	}
	if c.Suite == "drawingbench" {
		return c.drawingBench(std)
	}
	if c.Items == "" {
		return usage("cannot write prompts: want a file of items, or --suite drawingbench with --tasks or --second-turn")
	}
	if c.Suite == "tangram" {
		return c.tangram(std)
	}
	if c.Input == ask.InputScaffold && c.Images == "" {
		return usage("cannot use --input scaffold: want --images DIR, as the scaffold is in the picture alone")
	}
	r, err := openDump(c.Items, c.lines(), std.in)
	if err != nil {
		return err
	}
	defer r.Close()
	out, err := output(c.Output, std, c.Items)
	if err != nil {
		return err
	}
	d := dump.NewDecoder(dump.ItemConfig{Suites: suites, Suite: c.Suite, Limits: c.scenes()})
	o := scoring.PromptOptions{Minimal: c.Input != ask.InputFull, StepWise: c.Mode == ask.ModeCoT, Open: c.Format == "open", Method: c.Method}
	if c.Method != "" {
		o.Step = vqa.Steps(c.Method, 1)[0]
	}
	boards, err := c.openBoards()
	if err != nil {
		return out.finish(err)
	}
	defer boards.Close()
	text := func(it *scoring.Item) (string, error) {
		s := suites.Find(it.Suite)
		if s.Prompt == nil {
			return "", &scoring.Error{Code: "bad_item", Message: fmt.Sprintf("cannot write prompt: got an item of %s; want --suite %[1]s", it.Suite)}
		}
		return s.Prompt(it, o)
	}
	picture := func(it *scoring.Item, line []byte) (string, error) {
		if c.Images == "" || it.Suite != "aspire" {
			return "", nil
		}
		return c.drawBoard(boards, it, line)
	}
	var told promptTally
	for err == nil {
		var l dump.Line
		if l, err = r.Next(); err == nil {
			line, fault := promptLine(d, l, text, picture)
			told.add(l.N, fault)
			_, err = out.Write(line)
		}
	}
	if err == io.EOF {
		err = told.verdict(std.err)
	} else {
		err = fmt.Errorf("cannot write prompts of %s: %w", c.Items, err)
	}
	return out.finish(err)
}

// openBoards starts the renderer that draws the pictures of ASPIRE's prompts.
func (c *promptCmd) openBoards() (*ask.Boards, error) {
	if c.Images != "" {
		if err := font.Use(c.FontsDir); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(c.Images, 0o755); err != nil {
			return nil, fmt.Errorf("cannot make folder: %w", err)
		}
	}
	return ask.NewBoards(c.scenes())
}

// drawBoard writes the picture of an item and returns its path.
func (c *promptCmd) drawBoard(boards *ask.Boards, it *scoring.Item, line []byte) (string, error) {
	scaffold := c.Input == ask.InputScaffold
	if scaffold && !ask.HasScaffold(it.Test) {
		return "", &scoring.Error{Code: "bad_item", Message: "cannot draw scaffold: the test " + it.Test + " has none"}
	}
	b, err := boards.Draw(line, it.Test, scaffold)
	if err != nil {
		return "", &scoring.Error{Code: "bad_scene", Message: err.Error()}
	}
	path := filepath.Join(c.Images, fileName(it.ID)+".png")
	return path, writeWhole(path, b)
}

// promptTally counts items with a prompt and without.
type promptTally struct {
	made, failed int
	first        string // line and fault of the first item without one
}

// add counts an item of `plumb prompt`; fault is nil where it has a prompt.
func (t *promptTally) add(line int, fault *scoring.Error) {
	if fault == nil {
		t.made++
		return
	}
	if t.failed++; t.failed == 1 {
		t.first = fmt.Sprintf("line %d: %s: %s", line, fault.Code, fault.Message)
	}
}

// verdict says on w how many items have no prompt. Where none has one, that is an
// error.
func (t *promptTally) verdict(w io.Writer) error {
	switch {
	case t.made+t.failed == 0:
		return errors.New("cannot write any prompt: there are no items")
	case t.failed == 0:
		return nil
	case t.made == 0:
		return fmt.Errorf("cannot write any prompt: all %d items failed; the first is %s", t.failed, t.first)
	}
	fmt.Fprintf(w, "%d of %d items have no prompt; the first is %s\n", t.failed, t.made+t.failed, t.first)
	return nil
}

// promptLine returns the line of one item, with its prompt or what is wrong with it. The error is
// nil where there is a prompt.
func promptLine(d *dump.Decoder, l dump.Line, ask func(*scoring.Item) (string, error), draw func(*scoring.Item, []byte) (string, error)) ([]byte, *scoring.Error) {
	it, fault := d.Item(l, "")
	if fault == nil {
		text, err := ask(it)
		path := ""
		if err == nil {
			path, err = draw(it, l.Bytes)
		}
		if err == nil {
			b := scoring.AppendString([]byte(`{"id":`), it.ID)
			b = scoring.AppendString(append(b, `,"prompt":`...), text)
			if path != "" {
				b = scoring.AppendString(append(b, `,"image":`...), path)
			}
			return append(b, "}\n"...), nil
		}
		if !errors.As(err, &fault) {
			fault = &scoring.Error{Code: "internal", Message: err.Error()}
		}
	}
	return failure(it.ID, fault.Code, fault.Message), fault
}
