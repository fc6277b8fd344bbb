package ask

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	"image/png"
	"strconv"

	"plumb/daemon/flatpng"
	"plumb/render/jsontree"
	"plumb/render/view"
)

// AppendJSON appends the picture as a JSON object, with its bytes as a data URL. region is nil, or the
// JSON of the place in shared memory where the bytes are, and then the object has that instead. A picture
// that could not be drawn has the member error and no bytes.
func (p *Picture) AppendJSON(b, region []byte) []byte {
	if p.Failed != "" {
		b = jsontree.AppendString(append(b, `{"name":`...), p.Name)
		b = jsontree.AppendString(append(b, `,"mime":`...), p.Type)
		b = jsontree.AppendString(append(b, `,"width":0,"height":0,"sha256":null,"data":null,"region":null,"error":`...), p.Failed)
		return append(b, '}')
	}
	sum := sha256.Sum256(p.Data)
	b = jsontree.AppendString(append(b, `{"name":`...), p.Name)
	b = jsontree.AppendString(append(b, `,"mime":`...), p.Type)
	b = strconv.AppendInt(append(b, `,"width":`...), int64(p.Width), 10)
	b = strconv.AppendInt(append(b, `,"height":`...), int64(p.Height), 10)
	b = append(hex.AppendEncode(append(b, `,"sha256":"`...), sum[:]), '"')
	if region != nil {
		b = append(b, `,"data":null,"region":`...)
		b = append(b, region...)
		return append(b, '}')
	}
	b = append(b, `,"data":"data:`...)
	b = append(b, p.Type...)
	b = append(b, ";base64,"...)
	b = base64.StdEncoding.AppendEncode(b, p.Data)
	return append(b, `","region":null}`...)
}

// DrawView draws a whiteboard as Draw does, without a scaffold.
func (b *Boards) DrawView(v view.View) ([]byte, error) {
	if err := b.limits.CheckCanvas(v.Bounds.W, v.Bounds.H); err != nil {
		return nil, err
	}
	b.drawing <- struct{}{}
	defer func() { <-b.drawing }()
	shapes, reuse, err := b.shapes(v)
	if err != nil {
		return nil, err
	}
	defer reuse()
	return flatpng.Over(shapes, ground), nil
}

// BoardPicture is the picture of a whiteboard, drawn as those of prompts are.
func (p *Prompter) BoardPicture(name string, v view.View) (Picture, error) {
	boards, err := p.Boards()
	if err != nil {
		return Picture{}, err
	}
	data, err := boards.DrawView(v)
	if err != nil {
		return Picture{}, fmt.Errorf("cannot draw board: %w", err)
	}
	return sized(name, "image/png", data), nil
}

// Painted returns a picture that a suite has painted as a PNG, with the same bytes as `plumb render`
// writes.
func Painted(name string, img image.Image) (Picture, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img); err != nil {
		return Picture{}, err
	}
	return sized(name, "image/png", b.Bytes()), nil
}
