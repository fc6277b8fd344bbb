package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"plumb/daemon/ask"
	"plumb/daemon/atomicfile"
	"plumb/render/font"
	"plumb/scoring"
)

// tangramPrompts are the flags of prompts for TangramPuzzle.
type tangramPrompts struct {
	Test     string `enum:"outline,solution" default:"solution" group:"tangram" help:"Task: outline (1: which silhouette) or solution (2: place the pieces)."`
	Setting  string `enum:"zero-shot,in-context,visual-centric" default:"zero-shot" group:"tangram" help:"Setting of Task 2: zero-shot, in-context (three solved instances first) or visual-centric (the outline only in the picture)."`
	Seed     int64  `default:"0" placeholder:"N" group:"tangram" help:"Seed of the options and of the solved instances."`
	FontsDir string `placeholder:"DIR" help:"Folder with the fonts of the pictures' labels as TTF files. Default: that of PLUMB_FONTS, else build/fonts beside the program."`
}

// tangram writes the prompts of TangramPuzzle, and with --images their pictures, in the order of the
// ids. Options and examples are drawn from all instances, so a bad instance ends the run.
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
	source, err := ask.NewTangram(set, ask.Options{Tests: []string{c.Test}, Settings: []string{c.Setting}, Seed: c.Seed})
	if err != nil {
		return err
	}
	for _, t := range source.Tasks() {
		line, err := c.tangramLine(t)
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			return out.finish(fmt.Errorf("cannot write prompt of %q: %w", t.ID, err))
		}
	}
	return out.finish(nil)
}

// tangramLine returns the line of a task with its prompt. With --images it draws and writes the
// picture first, and the line names its file.
func (c *promptCmd) tangramLine(t *ask.Task) ([]byte, error) {
	text, draw := ask.Puzzle(t, ask.Arm{Setting: c.Setting})
	b := t.Line[:len(t.Line)-1] // without its closing brace
	if c.Test == "solution" {
		b = scoring.AppendString(append(slices.Clip(b), `,"setting":`...), c.Setting)
	}
	b = scoring.AppendString(append(slices.Clip(b), `,"prompt":`...), text)
	if c.Images != "" {
		path := filepath.Join(c.Images, fileName(t.ID)+".png")
		img, err := draw()
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
