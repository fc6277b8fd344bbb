package scene

import (
	"math"
	"strconv"
	"strings"
)

// numberRule is the range of a numeric field, which must be finite too.
type numberRule struct {
	field   Fields
	min     float64
	open    bool // min itself is refused
	max     float64
	bounded bool // limited by Limits.Coordinate instead of max
	want    string
}

// rules has the range of every numeric field.
var rules = func() (all []numberRule) {
	inf := math.Inf(1)
	for _, f := range []Fields{HasX, HasY, HasBend} {
		all = append(all, numberRule{field: f, min: -inf, max: inf, bounded: true, want: "a finite number"})
	}
	for _, f := range []Fields{HasW, HasH, HasScale} {
		all = append(all, numberRule{field: f, open: true, max: inf, bounded: true, want: "a finite number > 0"})
	}
	for _, f := range []Fields{HasGrowY, HasFontPx} {
		all = append(all, numberRule{field: f, max: inf, bounded: true, want: "a finite number >= 0"})
	}
	for _, f := range []Fields{HasOpacity, HasLabelPosition, HasElbowMid} {
		all = append(all, numberRule{field: f, max: 1, want: "a number from 0 to 1"})
	}
	return append(all, numberRule{field: HasRotation, min: -inf, max: inf, want: "a finite number"})
}()

// Valid returns an error for what is wrong with a shape's record: a number that is not finite, out
// of its range or over a limit, text that is too long, an id without its prefix. Resolve accepts
// records for which it returns nil, unless ids occur twice or parents form a cycle. Errors wrap
// ErrInvalid or ErrLimit and name the field.
func (r *Record) Valid(lim Limits) error {
	lim = lim.withDefaults()
	if err := r.check(&lim); err != nil {
		return err
	}
	return nil
}

// check checks a shape's record as Valid does, with limits that have their defaults.
func (r *Record) check(lim *Limits) *Error {
	if err := r.checkID(); err != nil {
		return err
	}
	return r.valid(lim)
}

// checkID refuses a shape's record whose id does not begin with "shape:".
func (r *Record) checkID() *Error {
	if !strings.HasPrefix(r.ID, "shape:") {
		return invalid("id", "", strconv.Quote(clip(r.ID, 80)), `an id that begins with "shape:"`)
	}
	return nil
}

// valid checks the record of a shape as Valid does, except its id: the numbers, points, segments
// and texts of the fields that the record has and its kind knows.
func (r *Record) valid(lim *Limits) *Error {
	given := r.Has & (baseFields | fieldsOf[min(r.Kind, Other)])
	if given&arrowFields != 0 && r.Arrow == nil || given&endFields != 0 && len(r.Points) < 2 {
		return invalid("props", r.ID, "an arrow without its properties", "Arrow and both Points set")
	}
	for i := range rules {
		if given&rules[i].field != 0 {
			if err := rules[i].check(r, lim); err != nil {
				return err
			}
		}
	}
	if n := len(r.Points); given&(HasPoints|endFields) != 0 && n > lim.Points {
		return overPoints(n, lim).in("props.points", r.ID)
	}
	if given&(HasPoints|endFields) != 0 {
		for i, p := range r.Points {
			if err := checkPoint(p, lim); err != nil {
				return err.in("props.points["+strconv.Itoa(i)+"]", r.ID)
			}
		}
	}
	if given&HasSegments != 0 {
		if err := checkSegments(r.Segments, lim); err != nil {
			return err.in(err.Path, r.ID)
		}
	}
	return r.checkText(lim)
}

// in sets the path and the shape of the error and returns it.
func (e *Error) in(path, shape string) *Error {
	e.Path, e.Shape = path, shape
	return e
}

// check refuses a shape's record in which the rule's field is not finite or outside of the rule's
// range. Where the rule says so, it also refuses a value over the limit on coordinates. The record
// must have the field.
func (rule *numberRule) check(r *Record, lim *Limits) *Error {
	v := *r.Shape.number(rule.field)
	if !(v >= rule.min && v <= rule.max) || math.IsInf(v, 0) || rule.open && v == rule.min {
		return invalid(rule.field.String(), r.ID, formatNumber(v), rule.want)
	}
	if rule.bounded && math.Abs(v) > lim.Coordinate {
		return overCoordinate(v, lim).in(rule.field.String(), r.ID)
	}
	return nil
}

func overCoordinate(v float64, lim *Limits) *Error {
	return overLimit("", "", formatNumber(v), "a magnitude of at most "+formatNumber(lim.Coordinate), FlagCoordinate)
}

// checkCoordinate refuses a coordinate that is not finite or over the limit.
func checkCoordinate(v float64, lim *Limits) *Error {
	if math.Abs(v) <= lim.Coordinate {
		return nil
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return invalid("", "", formatNumber(v), "a finite number")
	}
	return overCoordinate(v, lim)
}

// checkPoint refuses a point of which a coordinate is not finite or over the limit.
func checkPoint(p Point, lim *Limits) *Error {
	if err := checkCoordinate(p.X, lim); err != nil {
		return err
	}
	return checkCoordinate(p.Y, lim)
}

// checkSegments refuses segments with more points in all than the limit, and points of which a coordinate
// or the pressure is not finite or over the limit. The error has the path, but not the shape.
func checkSegments(segments []Segment, lim *Limits) *Error {
	points := 0
	for i := range segments {
		points += len(segments[i].Points)
		if points > lim.Points {
			err := overPoints(points, lim)
			err.Path = "props.segments"
			return err
		}
		for j, p := range segments[i].Points {
			err := checkPoint(Point{p.X, p.Y}, lim)
			if err == nil {
				err = checkCoordinate(p.Z, lim)
			}
			if err != nil {
				err.Path = "props.segments[" + strconv.Itoa(i) + "].points[" + strconv.Itoa(j) + "]"
				return err
			}
		}
	}
	return nil
}

// checkText refuses a record in which a text, an id or a name is longer than the limit on text.
func (r *Record) checkText(lim *Limits) *Error {
	sizes := [...]struct {
		n    int
		path string
	}{
		{len(r.ID), "id"}, {len(r.TypeName), "type"}, {len(r.ParentID), "parentId"}, {len(r.Index), "index"},
		{len(r.Name), "props.name"}, {len(r.URL), "props.url"}, {len(r.Asset), "props.assetId"},
		{r.Rich.size(), "props.richText"},
	}
	for i := range sizes {
		if sizes[i].n > lim.Text {
			return textTooLong(sizes[i].n, lim).in(sizes[i].path, r.ID)
		}
	}
	return nil
}

func textTooLong(n int, lim *Limits) *Error {
	return overLimit("", "", strconv.Itoa(n)+" bytes of text", "at most "+strconv.Itoa(lim.Text), FlagText)
}
