package scene

import (
	"strings"

	"github.com/valyala/fastjson"
)

// oneOf lists names for a message.
func oneOf(names []string) string { return "one of " + strings.Join(names, ", ") }

var (
	arrowKinds = []string{"arc", "elbow"}
	splines    = []string{"line", "cubic"}
	// labelAligns are the values of align, legacy ones included.
	labelAligns = append(alignNames[:len(alignNames):len(alignNames)], legacyNames[:]...)
)

// enum reads a field whose value is one of a few names.
func (d *decoder) enum(r *Record, f Fields, v *fastjson.Value, w where) {
	if f&arrowFields != 0 {
		d.arrow(r)
	}
	switch f {
	case HasColor:
		r.Color = name[Color](d, f, v, w, colorNames[:])
	case HasLabelColor:
		r.LabelColor = name[Color](d, f, v, w, colorNames[:])
	case HasSize:
		r.Size = name[Size](d, f, v, w, sizeNames[:])
	case HasDash:
		r.Dash = name[Dash](d, f, v, w, dashNames[:])
	case HasFill:
		r.Fill = name[Fill](d, f, v, w, fillNames[:])
	case HasFont:
		r.Font = name[Font](d, f, v, w, fontNames[:])
	case HasGeo:
		r.Geo = name[GeoKind](d, f, v, w, geoNames[:])
	case HasAlign:
		names := labelAligns
		if r.Kind == Text {
			names = alignNames[:]
		}
		r.Align = min(name[Align](d, f, v, w, names), AlignEnd) // legacy values behave as end
	case HasVertical:
		r.Vertical = name[Align](d, f, v, w, alignNames[:])
	case HasHeadStart:
		r.Arrow.HeadStart = name[Arrowhead](d, f, v, w, headNames[:])
	case HasHeadEnd:
		r.Arrow.HeadEnd = name[Arrowhead](d, f, v, w, headNames[:])
	case HasElbow:
		r.Arrow.Elbow = name[uint8](d, f, v, w, arrowKinds) == 1
	case HasCubic:
		r.Cubic = name[uint8](d, f, v, w, splines) == 1
	}
}

// name reads a name from a list and returns its position.
func name[T ~uint8](d *decoder, f Fields, v *fastjson.Value, w where, names []string) T {
	if v.Type() == fastjson.TypeString {
		if x, ok := find[T](names, v.GetStringBytes()); ok {
			return x
		}
	}
	field := f.String()
	if f == HasAlign && len(names) == len(alignNames) {
		field = "props.textAlign"
	}
	d.bad(w, field, v, oneOf(names))
	return 0
}
