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
	r := svgReader{d: d, p: new(vector.Path)}
	for r.skipSpace(); r.at < len(d); r.skipSpace() {
		if err := r.command(); err != nil {
			return nil, fmt.Errorf("cannot read path data: %w: %w", ErrSyntax, err)
		}
	}
	return r.p, nil
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
func (r *svgReader) command() error {
	letter := r.d[r.at]
	up := letter &^ 0x20 // in upper case
	rel := letter != up
	n := arity[up]
	if n == 0 && up != 'Z' || letter < 'A' {
		return fmt.Errorf("byte %d is %q; want a command", r.at, letter)
	}
	if up != 'M' && len(r.p.Verbs) == 0 {
		return fmt.Errorf("byte %d is %q; want M first", r.at, letter)
	}
	r.at++
	if up == 'Z' {
		r.close()
		return nil
	}
	for first := true; first || r.moreNumbers(); first = false {
		var v [7]float32
		for i := range int(n) {
			x, err := r.number(up == 'A' && (i == 3 || i == 4)) // the flags of an arc
			if err != nil {
				return err
			}
			v[i] = x
		}
		r.draw(up, rel, v)
		if up == 'M' {
			up = 'L' // further pairs of an M are lines
		}
	}
	return nil
}

// close ends the subpath.
func (r *svgReader) close() {
	if r.open {
		r.p.Close()
	}
	r.cur, r.last, r.open = r.start, 'Z', false
}

// draw appends to the path what an SVG path command draws. up is the command's letter in upper
// case, v its numbers, and rel says that they are relative to the current point. It moves the
// current point, and keeps the control point that a following S or T command may mirror.
func (r *svgReader) draw(up byte, rel bool, v [7]float32) {
	var origin vector.Point
	if rel {
		origin = r.cur
	}
	pt := func(i int) vector.Point { return vector.Point{X: origin.X + v[i], Y: origin.Y + v[i+1]} }
	if up != 'M' && !r.open {
		r.p.MoveTo(r.cur) // a command after Z starts where the subpath began
		r.open = true
	}
	ctrl, end := r.cur, r.cur
	switch up {
	case 'M':
		end = pt(0)
		r.p.MoveTo(end)
		r.start, r.open = end, true
	case 'L':
		end = pt(0)
		r.p.LineTo(end)
	case 'H':
		end.X = origin.X + v[0]
		r.p.LineTo(end)
	case 'V':
		end.Y = origin.Y + v[0]
		r.p.LineTo(end)
	case 'C':
		ctrl, end = pt(2), pt(4)
		r.p.CubicTo(pt(0), ctrl, end)
	case 'S':
		c := r.reflect(r.last == 'C' || r.last == 'S')
		ctrl, end = pt(0), pt(2)
		r.p.CubicTo(c, ctrl, end)
	case 'Q':
		ctrl, end = pt(0), pt(2)
		r.p.QuadTo(ctrl, end)
	case 'T':
		ctrl, end = r.reflect(r.last == 'Q' || r.last == 'T'), pt(0)
		r.p.QuadTo(ctrl, end)
	case 'A':
		end = pt(5)
		r.p.ArcTo(v[0], v[1], v[2], v[3] != 0, v[4] != 0, end)
	}
	r.cur, r.ctrl, r.last = end, ctrl, up
}

// reflect mirrors the last control point at the current point, or returns the
// current point where the last command was no curve of the same kind.
func (r *svgReader) reflect(same bool) vector.Point {
	if !same {
		return r.cur
	}
	return vector.Point{X: float32(2*r.cur.X) - r.ctrl.X, Y: float32(2*r.cur.Y) - r.ctrl.Y}
}

// skipSpace moves to the next character that is neither white space nor a comma.
func (r *svgReader) skipSpace() {
	r.at = len(r.d) - len(strings.TrimLeft(r.d[r.at:], " \t\n\r\f,"))
}

// moreNumbers reports whether another set of numbers follows.
func (r *svgReader) moreNumbers() bool {
	r.skipSpace()
	return r.at < len(r.d) && strings.IndexByte("0123456789.-+", r.d[r.at]) >= 0
}

// numberText matches a number; an e without digits behind it is not a part of it.
var numberText = regexp.MustCompile(`^[-+]?[0-9]*(\.[0-9]*)?([eE][-+]?[0-9]+)?`)

// number reads the next number; a flag is a single 0 or 1, which need not be
// separated from what follows.
func (r *svgReader) number(flag bool) (float32, error) {
	r.skipSpace()
	from := r.at
	if flag {
		if from < len(r.d) && (r.d[from] == '0' || r.d[from] == '1') {
			r.at++
			return float32(r.d[from] - '0'), nil
		}
		return 0, fmt.Errorf("at byte %d: want a flag, 0 or 1", from)
	}
	r.at += len(numberText.FindString(r.d[from:]))
	x, err := strconv.ParseFloat(r.d[from:r.at], 32)
	if err != nil || math.IsInf(x, 0) {
		return 0, fmt.Errorf("at byte %d: got %q; want a number within binary32", from, r.d[from:r.at])
	}
	return float32(x), nil
}
