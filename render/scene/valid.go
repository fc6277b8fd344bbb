package scene

import (
	"math"
	"strconv"
	"strings"
)

// numberRule is the range of a numeric field, which must be finite too.
type numberRule struct {
	field        Fields
	min          float64
	excludesMin  bool // min itself is refused
	max          float64
	isCoordinate bool // limited by Limits.Coordinate instead of max
	want         string
}

// rules has the range of every numeric field.
var rules = func() (all []numberRule) {
	inf := math.Inf(1)
	for _, f := range []Fields{HasX, HasY, HasBend} {
		all = append(all, numberRule{field: f, min: -inf, max: inf, isCoordinate: true, want: "a finite number"})
	}
	for _, f := range []Fields{HasW, HasH, HasScale} {
		all = append(all, numberRule{field: f, excludesMin: true, max: inf, isCoordinate: true, want: "a finite number > 0"})
	}
	for _, f := range []Fields{HasGrowY, HasFontPx} {
		all = append(all, numberRule{field: f, max: inf, isCoordinate: true, want: "a finite number >= 0"})
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
func (record *Record) Valid(lim Limits) error {
	lim = lim.withDefaults()
	if err := record.validate(&lim); err != nil {
		return err
	}
	return nil
}

// validate checks a shape's record as Valid does, with limits that have their defaults.
func (record *Record) validate(lim *Limits) *Error {
	if err := record.checkID(); err != nil {
		return err
	}
	return record.validateFields(lim)
}

// checkID refuses a shape's record whose id does not begin with "shape:".
func (record *Record) checkID() *Error {
	if !strings.HasPrefix(record.ID, "shape:") {
		return invalid("id", "", strconv.Quote(shorten(record.ID, 80)), `an id that begins with "shape:"`)
	}
	return nil
}

// validateFields checks the record of a shape as Valid does, except its id: the numbers, points, segments
// and texts of the fields that the record has and its kind knows.
func (record *Record) validateFields(lim *Limits) *Error {
	given := record.Has & record.Kind.knownFields()
	if given&arrowFields != 0 && record.Arrow == nil || given&endFields != 0 && len(record.Points) < 2 {
		return invalid("props", record.ID, "an arrow without its properties", "Arrow and both Points set")
	}
	// Numbers.
	for i := range rules {
		if given&rules[i].field != 0 {
			if err := rules[i].check(record, lim); err != nil {
				return err
			}
		}
	}
	if n := len(record.Points); given&(HasPoints|endFields) != 0 && n > lim.Points {
		return overPoints(n, lim).in("props.points", record.ID)
	}
	// Points and segments.
	if given&(HasPoints|endFields) != 0 {
		for i, p := range record.Points {
			if err := checkPoint(p, lim); err != nil {
				return err.in("props.points["+strconv.Itoa(i)+"]", record.ID)
			}
		}
	}
	if given&HasSegments != 0 {
		if err := checkSegments(record.Segments, lim); err != nil {
			return err.in(err.Path, record.ID)
		}
	}
	return record.checkText(lim)
}

// in sets the path and the shape of the error and returns it.
func (e *Error) in(path, shape string) *Error {
	e.Path, e.Shape = path, shape
	return e
}

// check refuses a shape's record in which the rule's field is not finite or outside of the rule's
// range. Where the rule says so, it also refuses a value over the limit on coordinates. The record
// must have the field.
func (rule *numberRule) check(record *Record, lim *Limits) *Error {
	value := *record.Shape.number(rule.field)
	if !(value >= rule.min && value <= rule.max) || math.IsInf(value, 0) || rule.excludesMin && value == rule.min {
		return invalid(rule.field.String(), record.ID, formatNumber(value), rule.want)
	}
	if rule.isCoordinate && math.Abs(value) > lim.Coordinate {
		return overCoordinate(value, lim).in(rule.field.String(), record.ID)
	}
	return nil
}

func overCoordinate(v float64, lim *Limits) *Error {
	return overLimit("", "", formatNumber(v), "a magnitude of at most "+formatNumber(lim.Coordinate), FlagCoordinate)
}

// checkCoordinate refuses a coordinate that is not finite or over the limit.
func checkCoordinate(value float64, lim *Limits) *Error {
	if math.Abs(value) <= lim.Coordinate {
		return nil
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return invalid("", "", formatNumber(value), "a finite number")
	}
	return overCoordinate(value, lim)
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
func (record *Record) checkText(lim *Limits) *Error {
	sizes := [...]struct {
		n    int
		path string
	}{
		{len(record.ID), "id"}, {len(record.TypeName), "type"}, {len(record.ParentID), "parentId"}, {len(record.Index), "index"},
		{len(record.Name), "props.name"}, {len(record.URL), "props.url"}, {len(record.Asset), "props.assetId"},
		{record.Rich.size(), "props.richText"},
	}
	for i := range sizes {
		if sizes[i].n > lim.Text {
			return textTooLong(sizes[i].n, lim).in(sizes[i].path, record.ID)
		}
	}
	return nil
}

func textTooLong(n int, lim *Limits) *Error {
	return overLimit("", "", strconv.Itoa(n)+" bytes of text", "at most "+strconv.Itoa(lim.Text), FlagText)
}
