package scene

import (
	"strconv"

	"github.com/valyala/fastjson"
)

// Input is one line of input of `plumb render` (contract.md 2).
type Input struct {
	ID        string // "" when the line has none
	Scene     *Scene
	Bounds    [4]float64 // x, y, w, h in page units; only with HasBounds
	HasBounds bool
	Only      []string // ids to draw; nil: everything, empty: nothing
}

// DecodeLine reads {"id", "shapes" | "records", "bounds"?, "only"?}; a file of
// any other encoding that Decode reads is a line without these. The id, a
// string or an integer, is returned even with an error, where it can be read.
// Errors are those of Decode; an id in only that the scene does not have is one.
func DecodeLine(b []byte, lim Limits) (line Input, err error) {
	err = parse(b, lim, func(v *fastjson.Value) error {
		line, err = DecodeLineValue(v, lim)
		return err
	})
	return line, err
}

// DecodeLineValue is DecodeLine for a value that has been parsed.
func DecodeLineValue(v *fastjson.Value, lim Limits) (Input, error) {
	d := decoder{lim: lim.withDefaults()}
	var line Input
	if v.Type() == fastjson.TypeObject {
		d.lineHead(&line, v)
	}
	if d.fault != nil {
		return line, d.fault
	}
	s, err := DecodeValue(v, lim)
	if err != nil {
		return line, err
	}
	line.Scene = s
	for i, id := range line.Only {
		if s.Find(id) < 0 {
			return line, invalid("only["+strconv.Itoa(i)+"]", "", strconv.Quote(clip(id, 80)), "the id of a shape of the scene")
		}
	}
	return line, nil
}

// lineHead reads what a line has beside its scene.
func (d *decoder) lineHead(line *Input, v *fastjson.Value) {
	at := where{i: -1}
	if id := v.Get("id"); id != nil {
		line.ID = d.itemID(id, at)
	}
	if b := v.Get("bounds"); b != nil {
		line.Bounds, line.HasBounds = d.box(b, at), true
	}
	only := v.Get("only")
	if only == nil {
		return
	}
	if only.Type() != fastjson.TypeArray {
		d.bad(at, "only", only, "a list of ids")
		return
	}
	ids := only.GetArray()
	if len(ids) > d.lim.Shapes {
		d.fault = overLimit("only", "", strconv.Itoa(len(ids))+" ids", "at most "+strconv.Itoa(d.lim.Shapes), FlagShapes)
		return
	}
	line.Only = make([]string, len(ids))
	for i, id := range ids {
		line.Only[i] = d.text(id, at, "only["+strconv.Itoa(i)+"]")
	}
}

// itemID reads the id of a line; an integer becomes its text (contract.md 9).
func (d *decoder) itemID(v *fastjson.Value, w where) string {
	if v.Type() == fastjson.TypeNumber {
		text := string(v.MarshalTo(nil))
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return text
		}
	}
	if v.Type() != fastjson.TypeString {
		d.bad(w, "id", v, "a string or an integer")
		return ""
	}
	return d.text(v, w, "id")
}

// box reads [x, y, w, h] and checks it as a canvas.
func (d *decoder) box(v *fastjson.Value, w where) (box [4]float64) {
	list := v.GetArray()
	if v.Type() != fastjson.TypeArray || len(list) != len(box) {
		d.bad(w, "bounds", v, "[x, y, w, h]")
		return box
	}
	for i := range box {
		box[i] = d.coordinate(list[i], w, "bounds", "["+strconv.Itoa(i)+"]")
	}
	if d.fault == nil {
		if err, ok := d.lim.CheckCanvas(box[2], box[3]).(*Error); ok {
			d.fault = err
		}
	}
	return box
}
