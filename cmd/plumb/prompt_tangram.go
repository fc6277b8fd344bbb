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

// writeTangram writes the prompts of TangramPuzzle for the instances of a file, and with --images their
// pictures, in the order of the ids. The options of Task 1 and the examples in prompts are taken at random
// from all instances, so a bad instance ends the run.
func (cmd *promptCmd) writeTangram(std streams) error {
	out, err := output(cmd.Output, std, cmd.Items)
	if err != nil {
		return err
	}
	set, err := readInstances(cmd.Items, cmd.lines(), std.in)
	if err != nil {
		return err
	}
	// Prepare the folder of the pictures.
	if cmd.Images != "" {
		if err := font.Use(cmd.FontsDir); err != nil {
			return err
		}
		if err := os.MkdirAll(cmd.Images, 0o755); err != nil {
			return fmt.Errorf("cannot make folder: %w", err)
		}
		tellLeftovers(std.err, atomicfile.LeftoversIn(cmd.Images))
	}
	// Write a line for each task.
	source, err := ask.NewTangram(set, ask.Options{Tests: []string{cmd.Test}, Settings: []string{cmd.Setting}, Seed: cmd.Seed})
	if err != nil {
		return err
	}
	for _, task := range source.Tasks() {
		line, err := cmd.tangramLine(task)
		if err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			return out.finish(fmt.Errorf("cannot write prompt of %q: %w", task.ID, err))
		}
	}
	return out.finish(nil)
}

// tangramLine returns the line of a TangramPuzzle task: the task's own members and its prompt. With
// --images it also draws and writes the picture, and the line names its file.
func (cmd *promptCmd) tangramLine(task *ask.Task) ([]byte, error) {
	text, draw := ask.Puzzle(task, ask.Arm{Setting: cmd.Setting})
	out := task.Line[:len(task.Line)-1] // without its closing brace
	if cmd.Test == "solution" {
		out = scoring.AppendString(append(slices.Clip(out), `,"setting":`...), cmd.Setting)
	}
	out = scoring.AppendString(append(slices.Clip(out), `,"prompt":`...), text)
	if cmd.Images != "" {
		path := filepath.Join(cmd.Images, fileName(task.ID)+".png")
		img, err := draw()
		if err != nil {
			return nil, err
		}
		if err := writePNG(path, img); err != nil {
			return nil, err
		}
		out = scoring.AppendString(append(out, `,"image":`...), path)
	}
	return append(out, "}\n"...), nil
}

// writePNG writes a picture as a PNG file, which appears at path only when it is complete.
func writePNG(path string, img image.Image) error {
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	err := atomicfile.WriteFile(path, func(f *atomicfile.File) error { return enc.Encode(f, img) })
	if err != nil {
		return fmt.Errorf("cannot write picture: %w", err)
	}
	return nil
}
