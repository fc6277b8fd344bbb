package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"plumb/render/sheet"

	"plumb/daemon/atomicfile"
	"plumb/render/font"
	"plumb/scoring"
	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/choice"
	"plumb/scoring/tangram/diagram"
	"plumb/scoring/tangram/prompt"
)

// tangramPrompts are the flags of prompts for TangramPuzzle.
type tangramPrompts struct {
	Test     string `enum:"outline,solution" default:"solution" group:"tangram" help:"Task: outline (1, which silhouette) or solution (2, place the pieces)."`
	Setting  string `enum:"zero-shot,in-context,visual-centric" default:"zero-shot" group:"tangram" help:"Setting of Task 2: zero-shot, in-context (three solved instances first) or visual-centric (the outline only in the picture)."`
	Seed     int64  `default:"0" placeholder:"N" group:"tangram" help:"Seed of the options and of the solved instances."`
	Images   string `placeholder:"DIR" group:"tangram" help:"Folder for the pictures that go with the prompts; lines then name theirs. Without it only texts are written."`
	FontsDir string `placeholder:"DIR" group:"tangram" help:"Folder of the fonts that the pictures are labelled with, as TTF. Default: PLUMB_FONTS, else build/fonts beside the program."`
}

// question is one prompt before it is written.
type question struct {
	line []byte // open: without the closing brace
	text string
	draw func() (*image.NRGBA, error)
}

// tangram writes the prompts of TangramPuzzle, in the order of the ids: options
// and examples are drawn from all instances, so a bad one ends the run.
func (c *promptCmd) tangram(std streams) error {
	out, err := output(c.Output, std, c.Items)
	if err != nil {
		return err
	}
	set, err := readInstances(c.Items, c.lines(), std.in)
	if err != nil {
		return err
	}
	if c.Images != "" {
		if err := font.Use(c.FontsDir); err != nil {
			return err
		}
		if err := os.MkdirAll(c.Images, 0o755); err != nil {
			return fmt.Errorf("cannot make folder: %w", err)
		}
		tellLeftovers(std.err, atomicfile.LeftoversIn(c.Images))
	}
	list := c.solutions
	if c.Test == "outline" {
		list = c.outlines
	}
	err = list(set, func(id string, a question) error {
		line, err := c.finish(id, a)
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			return fmt.Errorf("cannot write prompt of %q: %w", id, err)
		}
		return nil
	})
	return out.finish(err)
}

// outlines makes the prompts of Task 1.
func (c *promptCmd) outlines(set []*assembly.Instance, give func(string, question) error) error {
	items, err := choice.Items(candidates(set), c.Seed)
	if err != nil {
		return err
	}
	loops := make(map[string]sheet.Loop, len(set))
	for _, in := range set {
		loops[in.ID] = loopOf(in)
	}
	for i := range items { // both are sorted by id
		draw := func() (*image.NRGBA, error) {
			var four [4]sheet.Loop
			for k, o := range items[i].Options {
				four[k] = loops[o]
			}
			return diagram.Options(four)
		}
		if err := give(items[i].ID, question{appendItem([]byte{'{'}, &items[i]), prompt.Outline(set[i]), draw}); err != nil {
			return err
		}
	}
	return nil
}

func loopOf(in *assembly.Instance) (l sheet.Loop) {
	for _, p := range in.Outline {
		x, y := p.Floats()
		l = append(l, sheet.Point{X: x, Y: y})
	}
	return l
}

// solutions makes the prompts of Task 2.
func (c *promptCmd) solutions(set []*assembly.Instance, give func(string, question) error) error {
	all := candidates(set)
	setting := prompt.Setting(c.Setting)
	if setting == prompt.InContext {
		if err := choice.Enough(all, prompt.Examples+1); err != nil {
			return err
		}
	}
	for k, in := range set {
		var examples []*assembly.Instance
		if setting == prompt.InContext {
			for _, j := range choice.Draw(all, k, prompt.ExampleSeed(c.Seed, in.ID), prompt.Examples).Others {
				examples = append(examples, set[j])
			}
		}
		b := scoring.AppendString([]byte(`{"id":`), in.ID)
		b = scoring.AppendString(append(b, `,"suite":"tangram","test":"solution","instance_id":`...), in.ID)
		b = scoring.AppendString(append(b, `,"setting":`...), c.Setting)
		draw := func() (*image.NRGBA, error) { return diagram.Outline(marked(in)) }
		if err := give(in.ID, question{b, prompt.Solution(in, setting, examples), draw}); err != nil {
			return err
		}
	}
	return nil
}

// marked are the vertices of an outline with their coordinates.
func marked(in *assembly.Instance) []diagram.Vertex {
	vs := make([]diagram.Vertex, len(in.Outline))
	for i, p := range in.Outline {
		x, y := p.Floats()
		vs[i] = diagram.Vertex{At: sheet.Point{X: x, Y: y}, Text: fmt.Sprintf("(%s, %s)", diagram.Plain(p.X), diagram.Plain(p.Y))}
	}
	return vs
}

// finish completes the line of a prompt; it writes the picture first, where one is wanted.
func (c *promptCmd) finish(id string, a question) ([]byte, error) {
	b := scoring.AppendString(append(a.line, `,"prompt":`...), a.text)
	if c.Images != "" {
		path := filepath.Join(c.Images, fileName(id)+".png")
		img, err := a.draw()
		if err != nil {
			return nil, err
		}
		if err := writePNG(path, img); err != nil {
			return nil, err
		}
		b = scoring.AppendString(append(b, `,"image":`...), path)
	}
	return append(b, "}\n"...), nil
}

// writePNG writes a picture as a file that takes its place as a whole.
func writePNG(path string, img image.Image) error {
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error { return enc.Encode(f, img) })
	if err != nil {
		return fmt.Errorf("cannot write picture: %w", err)
	}
	return nil
}
