package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/render/paint"
	"plumb/render/scene"
	"plumb/render/vector"
	"plumb/render/view"
	"plumb/scoring/aspire/scenario"
)

// work is one scene in three forms: as JSON for renderers that make outlines themselves, as a
// view, and as paths for all others.
type work struct {
	source []byte // {"shapes":[...]}
	view   view.View
	w, h   int
	fills  []fill
}

// fill is a path of a scene with an opaque colour, in px, filled by the non-zero rule.
type fill struct {
	path vector.Path
	rgb  [3]uint8
}

// class is a set of scenes: S8 are balance scenes of eight shapes, S8x2 the same at twice the
// size, S50 six of them on one page.
type class struct {
	name   string
	scale  float64 // of the picture: the page is seen this many times as large
	copies int     // how many balance scenes stand side by side in one
}

var classes = map[string]class{"S8": {"S8", 1, 1}, "S8x2": {"S8x2", 2, 1}, "S50": {"S50", 1, 6}}

// The size of the page that a balance scene is shown in, px.
const pageW, pageH = 1400, 800

// scenes makes n different scenes of a class, all of which every renderer in the comparison draws. A scene
// consists of class.copies scenarios of ASPIRE's balance test, which differ, arranged in rows of three. It is
// scaled by class.scale.
func (class class) scenes(n int) ([]work, error) {
	var all []work
	for i := range n {
		var shapes []string
		for k := range class.copies {
			list, err := balance(i*class.copies + k)
			if err != nil {
				return nil, err
			}
			const perRow, rows = 3, 2
			dx, dy := float64(k%perRow)*pageW/perRow, float64(k/perRow)*pageH/rows // less than a page, so they overlap in part
			for _, shape := range list {
				shapes = append(shapes, movedAndScaled(shape, class.scale, dx, dy, k))
			}
		}
		scene, err := newWork([]byte(`{"shapes":[`+strings.Join(shapes, ",")+`]}`), pageW*class.scale, pageH*class.scale)
		if err != nil {
			return nil, fmt.Errorf("cannot make scene %d: %w", i, err)
		}
		all = append(all, scene)
	}
	return all, nil
}

// balance returns the shapes of ASPIRE's balance scenario i, parsed from its dump line.
func balance(i int) ([]*fastjson.Value, error) {
	const seed = 7
	made, err := scenario.Make(seed, "balance", i)
	if err != nil {
		return nil, err
	}
	line, err := made.AppendLine(nil, "", nil) // without a model and an answer
	if err != nil {
		return nil, err
	}
	value, err := fastjson.ParseBytes(line)
	if err != nil {
		return nil, err
	}
	return value.GetArray("shapes"), nil
}

// movedAndScaled moves a shape by (dx, dy) px, then scales its position and its size, and returns it as JSON. The
// shape itself is changed. Its id gets the number k of its scenario as a suffix, because the scenarios of
// one scene have shapes with the same ids.
func movedAndScaled(shape *fastjson.Value, scale, dx, dy float64, k int) string {
	set := func(object *fastjson.Value, name string, x float64) {
		object.Set(name, fastjson.MustParse(strconv.FormatFloat(x, 'g', -1, 64)))
	}
	set(shape, "x", (shape.GetFloat64("x")+dx)*scale)
	set(shape, "y", (shape.GetFloat64("y")+dy)*scale)
	if props := shape.Get("props"); props != nil && props.Exists("w") {
		set(props, "w", props.GetFloat64("w")*scale)
		set(props, "h", props.GetFloat64("h")*scale)
	}
	shape.Set("id", fastjson.MustParse(strconv.Quote(fmt.Sprintf("%s-%d", shape.GetStringBytes("id"), k))))
	return shape.String()
}

// newWork decodes a scene, whose picture is w x h px, and keeps the outlines and colours that plumb fills
// in it. Renderers that know nothing of shapes are given these, so that all fill the same outlines.
func newWork(source []byte, w, h float64) (out work, err error) {
	board, err := scene.Decode(source, scene.DefaultLimits())
	if err != nil {
		return out, err
	}
	out = work{source: source, view: view.View{Scene: board, Bounds: view.Box{W: w, H: h}}, w: int(w), h: int(h)}
	var builder paint.Builder
	builder.Watch = func(outline *vector.Path, item *paint.Item) { // called for each outline that is filled
		out.fills = append(out.fills, fill{rgb: item.Color})
		out.fills[len(out.fills)-1].path.Append(outline)
	}
	return out, builder.Build(out.view, paint.Reference, new(paint.Drawing))
}

// appendSVG appends a path as SVG path data, such as "M 1 2L 3 4Z", for renderers that read SVG.
func appendSVG(dst []byte, path *vector.Path) []byte {
	eachVerb(path, func(command byte, _ vector.Point, points []vector.Point) {
		dst = append(dst, command)
		for _, point := range points {
			dst = strconv.AppendFloat(append(dst, ' '), float64(point.X), 'g', -1, 32)
			dst = strconv.AppendFloat(append(dst, ' '), float64(point.Y), 'g', -1, 32)
		}
	})
	return dst
}

// svg returns a scene's filled paths as an SVG document, for the renderers that read SVG.
func (work *work) svg() []byte {
	out := fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`, work.w, work.h)
	for i := range work.fills {
		fill := &work.fills[i]
		out = fmt.Appendf(out, `<path fill="#%02x%02x%02x" d="`, fill.rgb[0], fill.rgb[1], fill.rgb[2])
		out = append(appendSVG(out, &fill.path), `"/>`...)
	}
	return append(out, "</svg>"...)
}
