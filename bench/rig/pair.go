package rig

import (
	"errors"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
)

// WritePair writes two pictures of one size side by side to a PNG file, with gap transparent px between
// them, so that their differences can be seen. It makes the folder of the file where that is missing.
func WritePair(file string, left, right image.Image, gap int) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	size := left.Bounds().Size()
	both := image.NewNRGBA(image.Rect(0, 0, 2*size.X+gap, size.Y))
	draw.Draw(both, image.Rectangle{Max: size}, left, left.Bounds().Min, draw.Src)
	draw.Draw(both, image.Rectangle{Max: size}.Add(image.Pt(size.X+gap, 0)), right, right.Bounds().Min, draw.Src)
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, both), f.Close())
}
