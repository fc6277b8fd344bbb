// Package vectortest reads paths from SVG path data, the form in which test data holds them.
package vectortest

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"plumb/render/vector"
)

// ErrSyntax marks path data that is not SVG path data.
var ErrSyntax = errors.New("bad path data")

// Parse reads SVG path data (M L H V C S Q T A Z, absolute and relative) the way the reference
// browser does: numbers, relative sums and reflected controls in binary32, arcs as conics. Empty
// data gives an empty path. Every error wraps ErrSyntax and names the byte, counted from 0.
func Parse(d string) (*vector.Path, error) {
	reader := svgReader{d: d, p: new(vector.Path)}
	for reader.skipSpace(); reader.at < len(d); reader.skipSpace() {
		if err := reader.command(); err != nil {
			return nil, fmt.Errorf("cannot read path data: %w: %w", ErrSyntax, err)
		}
	}
	return reader.p, nil
}

// svgReader is the state between two commands.
type svgReader struct {
	d     string
	at    int
	p     *vector.Path
	cur   vector.Point // current point
	start vector.Point // start of the current subpath
	ctrl  vector.Point // last control point of the last curve
	last  byte         // last command in upper case; decides whether ctrl is reflected
	open  bool         // a subpath has been started and not closed
}

// arity is how many numbers each command takes.
var arity = [256]int8{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}

// command reads one letter and all sets of numbers that follow it, and draws each set. Errors name the byte.
func (reader *svgReader) command() error {
	letter := reader.d[reader.at]
	up := letter &^ 0x20 // in upper case
	rel := letter != up
	n := arity[up]
	if n == 0 && up != 'Z' || letter < 'A' {
		return fmt.Errorf("byte %d is %q; want a command", reader.at, letter)
	}
	if up != 'M' && len(reader.p.Verbs) == 0 {
		return fmt.Errorf("byte %d is %q; want M first", reader.at, letter)
	}
	reader.at++
	if up == 'Z' {
		reader.close()
		return nil
	}
	for first := true; first || reader.moreNumbers(); first = false {
		var v [7]float32
		for i := range int(n) {
			x, err := reader.number(up == 'A' && (i == 3 || i == 4)) // the flags of an arc
			if err != nil {
				return err
			}
			v[i] = x
		}
		reader.draw(up, rel, v)
		if up == 'M' {
			up = 'L' // further pairs of an M are lines
		}
	}
	return nil
}

// close ends the subpath.
func (reader *svgReader) close() {
	if reader.open {
		reader.p.Close()
	}
	reader.cur, reader.last, reader.open = reader.start, 'Z', false
}

// draw appends to the path what an SVG path command draws. up is the command's letter in upper
// case, v its numbers, and rel says that they are relative to the current point. It moves the
// current point, and keeps the control point that a following S or T command may mirror.
func (reader *svgReader) draw(up byte, rel bool, v [7]float32) {
	var origin vector.Point
	if rel {
		origin = reader.cur
	}
	pt := func(i int) vector.Point { return vector.Point{X: origin.X + v[i], Y: origin.Y + v[i+1]} }
	if up != 'M' && !reader.open {
		reader.p.MoveTo(reader.cur) // a command after Z starts where the subpath began
		reader.open = true
	}
	ctrl, end := reader.cur, reader.cur
	switch up {
	case 'M':
		end = pt(0)
		reader.p.MoveTo(end)
		reader.start, reader.open = end, true
	case 'L':
		end = pt(0)
		reader.p.LineTo(end)
	case 'H':
		end.X = origin.X + v[0]
		reader.p.LineTo(end)
	case 'V':
		end.Y = origin.Y + v[0]
		reader.p.LineTo(end)
	case 'C':
		ctrl, end = pt(2), pt(4)
		reader.p.CubicTo(pt(0), ctrl, end)
	case 'S':
		c := reader.reflect(reader.last == 'C' || reader.last == 'S')
		ctrl, end = pt(0), pt(2)
		reader.p.CubicTo(c, ctrl, end)
	case 'Q':
		ctrl, end = pt(0), pt(2)
		reader.p.QuadTo(ctrl, end)
	case 'T':
		ctrl, end = reader.reflect(reader.last == 'Q' || reader.last == 'T'), pt(0)
		reader.p.QuadTo(ctrl, end)
	case 'A':
		end = pt(5)
		reader.p.ArcTo(v[0], v[1], v[2], v[3] != 0, v[4] != 0, end)
	}
	reader.cur, reader.ctrl, reader.last = end, ctrl, up
}

// reflect mirrors the last control point at the current point, or returns the
// current point where the last command was no curve of the same kind.
func (reader *svgReader) reflect(same bool) vector.Point {
	if !same {
		return reader.cur
	}
	return vector.Point{X: float32(2*reader.cur.X) - reader.ctrl.X, Y: float32(2*reader.cur.Y) - reader.ctrl.Y}
}

// skipSpace moves to the next character that is neither white space nor a comma.
func (reader *svgReader) skipSpace() {
	reader.at = len(reader.d) - len(strings.TrimLeft(reader.d[reader.at:], " \t\n\r\f,"))
}

// moreNumbers reports whether another set of numbers follows.
func (reader *svgReader) moreNumbers() bool {
	reader.skipSpace()
	return reader.at < len(reader.d) && strings.IndexByte("0123456789.-+", reader.d[reader.at]) >= 0
}

// numberText matches a number; an e that no digits follow is not a part of it.
var numberText = regexp.MustCompile(`^[-+]?[0-9]*(\.[0-9]*)?([eE][-+]?[0-9]+)?`)

// number reads the next number; a flag is a single 0 or 1, which need not be
// separated from what follows.
func (reader *svgReader) number(flag bool) (float32, error) {
	reader.skipSpace()
	from := reader.at
	if flag {
		if from < len(reader.d) && (reader.d[from] == '0' || reader.d[from] == '1') {
			reader.at++
			return float32(reader.d[from] - '0'), nil
		}
		return 0, fmt.Errorf("at byte %d: want a flag, 0 or 1", from)
	}
	reader.at += len(numberText.FindString(reader.d[from:]))
	x, err := strconv.ParseFloat(reader.d[from:reader.at], 32)
	if err != nil || math.IsInf(x, 0) {
		return 0, fmt.Errorf("at byte %d: got %q; want a number within binary32", from, reader.d[from:reader.at])
	}
	return float32(x), nil
}
