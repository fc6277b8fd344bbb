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
	name  string
	scale float64 // of the picture: the page is seen this many times as large
	copy  int     // how many balance scenes stand side by side in one
}

var classes = map[string]class{"S8": {"S8", 1, 1}, "S8x2": {"S8x2", 2, 1}, "S50": {"S50", 1, 6}}

// side is the size of the page that a balance scene is shown in, px.
const sideX, sideY = 1400, 800

// scenes makes n different scenes of a class. A scene consists of class.copy balance scenarios,
// arranged in rows of three and scaled by class.scale.
func (class class) scenes(n int) ([]work, error) {
	var all []work
	for i := range n {
		var shapes []string
		for k := range class.copy {
			list, err := balance(i*class.copy + k)
			if err != nil {
				return nil, err
			}
			for _, s := range list {
				shapes = append(shapes, moved(s, class.scale, float64(k%3)*sideX/3, float64(k/3)*sideY/2, k))
			}
		}
		w, err := newWork([]byte(`{"shapes":[`+strings.Join(shapes, ",")+`]}`), sideX*class.scale, sideY*class.scale)
		if err != nil {
			return nil, fmt.Errorf("cannot make scene %d: %w", i, err)
		}
		all = append(all, w)
	}
	return all, nil
}

// balance returns the shapes of ASPIRE's balance scenario i, parsed from its dump line.
func balance(i int) ([]*fastjson.Value, error) {
	s, err := scenario.Make(7, "balance", i)
	if err != nil {
		return nil, err
	}
	line, err := s.AppendLine(nil, "", nil)
	if err != nil {
		return nil, err
	}
	value, err := fastjson.ParseBytes(line)
	if err != nil {
		return nil, err
	}
	return value.GetArray("shapes"), nil
}

// moved returns a shape as JSON after a move by (dx, dy) and a scaling of its position and size. Its
// id gets the suffix k, so that copies of a shape in one scene have different ids. value is changed.
func moved(value *fastjson.Value, scale, dx, dy float64, k int) string {
	num := func(path ...string) float64 { return value.GetFloat64(path...) }
	set := func(o *fastjson.Value, name string, x float64) {
		o.Set(name, fastjson.MustParse(strconv.FormatFloat(x, 'g', -1, 64)))
	}
	set(value, "x", (num("x")+dx)*scale)
	set(value, "y", (num("y")+dy)*scale)
	if p := value.Get("props"); p != nil && p.Exists("w") {
		set(p, "w", num("props", "w")*scale)
		set(p, "h", num("props", "h")*scale)
	}
	value.Set("id", fastjson.MustParse(strconv.Quote(fmt.Sprintf("%s-%d", value.GetStringBytes("id"), k))))
	return value.String()
}

// newWork decodes a scene and keeps the outlines that plumb fills, so that other renderers fill
// the same ones.
func newWork(source []byte, w, h float64) (out work, err error) {
	sc, err := scene.Decode(source, scene.DefaultLimits())
	if err != nil {
		return out, err
	}
	out = work{source: source, view: view.View{Scene: sc, Bounds: view.Box{W: w, H: h}}, w: int(w), h: int(h)}
	var builder paint.Builder
	builder.Watch = func(p *vector.Path, it *paint.Item) {
		out.fills = append(out.fills, fill{rgb: it.Color})
		out.fills[len(out.fills)-1].path.Append(p)
	}
	return out, builder.Build(out.view, paint.Reference, new(paint.Drawing))
}

// appendSVG appends a path of a scene as SVG path data, for renderers that read SVG.
func appendSVG(dst []byte, p *vector.Path) []byte {
	each(p, func(kind byte, _ vector.Point, q []vector.Point) {
		dst = append(dst, kind)
		for _, v := range q {
			dst = strconv.AppendFloat(append(dst, ' '), float64(v.X), 'g', -1, 32)
			dst = strconv.AppendFloat(append(dst, ' '), float64(v.Y), 'g', -1, 32)
		}
	})
	return dst
}

// svg returns a scene's filled paths as an SVG document, for the renderers that read SVG.
func (work *work) svg() []byte {
	out := fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`, work.w, work.h)
	for i := range work.fills {
		f := &work.fills[i]
		out = fmt.Appendf(out, `<path fill="#%02x%02x%02x" d="`, f.rgb[0], f.rgb[1], f.rgb[2])
		out = append(appendSVG(out, &f.path), `"/>`...)
	}
	return append(out, "</svg>"...)
}
