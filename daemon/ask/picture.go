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

// AppendJSON appends the picture as a JSON object, with its bytes as a data URL. If the bytes are in
// memory that is shared with the client, region is the JSON of their place there, and the object has that
// instead; otherwise region is nil. A picture that could not be drawn has the member error and no bytes.
func (picture *Picture) AppendJSON(dst, region []byte) []byte {
	if picture.Failed != "" {
		dst = jsontree.AppendString(append(dst, `{"name":`...), picture.Name)
		dst = jsontree.AppendString(append(dst, `,"mime":`...), picture.Type)
		dst = jsontree.AppendString(append(dst, `,"width":0,"height":0,"sha256":null,"data":null,"region":null,"error":`...), picture.Failed)
		return append(dst, '}')
	}
	sum := sha256.Sum256(picture.Data)
	dst = jsontree.AppendString(append(dst, `{"name":`...), picture.Name)
	dst = jsontree.AppendString(append(dst, `,"mime":`...), picture.Type)
	dst = strconv.AppendInt(append(dst, `,"width":`...), int64(picture.Width), 10)
	dst = strconv.AppendInt(append(dst, `,"height":`...), int64(picture.Height), 10)
	dst = append(hex.AppendEncode(append(dst, `,"sha256":"`...), sum[:]), '"')
	if region != nil {
		dst = append(dst, `,"data":null,"region":`...)
		dst = append(dst, region...)
		return append(dst, '}')
	}
	dst = append(dst, `,"data":"data:`...)
	dst = append(dst, picture.Type...)
	dst = append(dst, ";base64,"...)
	dst = base64.StdEncoding.AppendEncode(dst, picture.Data)
	return append(dst, `","region":null}`...)
}

// DrawView draws the part of a whiteboard that a view names as a PNG on the ground of prompts'
// pictures. Few pictures are drawn at a time, so a caller may wait. It draws no scaffold, which Draw
// can add.
func (boards *Boards) DrawView(view view.View) ([]byte, error) {
	if err := boards.limits.CheckCanvas(view.Bounds.W, view.Bounds.H); err != nil {
		return nil, err
	}
	boards.drawingSlots <- struct{}{}
	defer func() { <-boards.drawingSlots }()
	shapes, reuse, err := boards.shapes(view)
	if err != nil {
		return nil, err
	}
	defer reuse()
	return flatpng.Over(shapes, ground), nil
}

// BoardPicture draws a view of a whiteboard as a picture for a prompt under the given name, as the
// pictures of tasks are drawn.
func (prompter *Prompter) BoardPicture(name string, view view.View) (Picture, error) {
	boards, err := prompter.Boards()
	if err != nil {
		return Picture{}, err
	}
	data, err := boards.DrawView(view)
	if err != nil {
		return Picture{}, fmt.Errorf("cannot draw board: %w", err)
	}
	return sized(name, "image/png", data), nil
}

// Painted returns a picture that a suite has painted as a PNG, with the same bytes as `plumb render`
// writes.
func Painted(name string, img image.Image) (Picture, error) {
	var buffer bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&buffer, img); err != nil {
		return Picture{}, err
	}
	return sized(name, "image/png", buffer.Bytes()), nil
}
