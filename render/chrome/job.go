package chrome

import (
	"fmt"
	"strconv"

	"plumb/render/jsontree"
	"plumb/render/scene"
	"plumb/render/view"
)

// protocol is the version of what passes between the program and the page
// (page/job.ts). A page that was made for another one is refused.
const protocol = "plumb-5"

// job is one request in the form that the page reads.
type job struct {
	text    string // JSON as the page reads it (page/job.ts)
	mark    uint32 // colour of the proof that its pictures carry, 0xRRGGBB
	measure bool   // it asks for boxes, which need no proof
}

// job turns a request for an export into the JSON that the page in the browser reads: the scene
// (its source if there is one), one or two pictures, and a new random colour for their proof. It
// refuses what is beyond the limits.
func (c *Config) job(r *Request) (*job, error) {
	var b []byte
	var err error
	switch {
	case r.Source != nil:
		b, err = c.appendSource(nil, r.Source)
	case r.Scene != nil:
		b, err = appendScene(nil, r.Scene)
	default:
		return nil, fmt.Errorf("cannot export scene: %w: got neither Scene nor Source", ErrScene)
	}
	if err != nil {
		return nil, err
	}
	b = append(b, `,"pictures":[`...)
	if b, err = c.appendPicture(b, r, r.Only, nil); err != nil {
		return nil, err
	}
	if r.Other != nil {
		b = append(b, ',')
		if b, err = c.appendPicture(b, r, r.Other, r.Only); err != nil {
			return nil, err
		}
	}
	j := &job{mark: newMark(), measure: r.Measure}
	b = strconv.AppendUint(append(b, `],"mark":`...), uint64(j.mark), 10)
	j.text = string(append(b, '}'))
	return j, nil
}

// appendPicture appends one picture to the page's job: which shapes are drawn (ids, nil for all, but not those
// in except), which part of the page, and the limits on its size, which the page checks where it finds the
// bounds itself.
func (c *Config) appendPicture(b []byte, r *Request, ids, except []string) ([]byte, error) {
	b = append(b, '{')
	if r.Measure {
		b = append(b, `"measure":true,`...)
	}
	if ids != nil {
		b = append(appendStrings(append(b, `"ids":`...), ids), ',')
	}
	if len(except) > 0 {
		b = append(appendStrings(append(b, `"except":`...), except), ',')
	}
	padding := r.Padding
	if !r.Content && !r.Measure {
		padding = 0
		if err := c.checkSize(r.Bounds); err != nil {
			return nil, err
		}
		b = append(b, `"bounds":[`...)
		for i, v := range [4]float64{r.Bounds.X, r.Bounds.Y, r.Bounds.W, r.Bounds.H} {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendNumber(b, v)
		}
		b = append(b, `],`...)
	}
	b = appendNumber(append(b, `"padding":`...), padding)
	b = strconv.AppendInt(append(b, `,"maxPixels":`...), int64(c.MaxPixels), 10)
	b = strconv.AppendInt(append(b, `,"maxSide":`...), int64(c.MaxSide), 10)
	return append(b, '}'), nil
}

// checkSize refuses the bounds of a picture that are not finite, empty or beyond the limits on its
// side and its pixels.
func (c *Config) checkSize(b view.Box) error {
	side := float64(c.MaxSide)
	if !(b.W >= 1 && b.H >= 1 && b.X-b.X == 0 && b.Y-b.Y == 0) { // v-v is 0 if v is finite
		return fmt.Errorf("cannot export scene: %w: got bounds %g, %g, %g x %g; want finite ones of at least 1 x 1 px",
			ErrScene, b.X, b.Y, b.W, b.H)
	}
	if !(b.W <= side && b.H <= side && b.W*b.H <= float64(c.MaxPixels)) {
		return fmt.Errorf("cannot export scene: %w: got a picture of %g x %g px; want sides of at most %d px (--max-side) and %d px in all (--max-pixels)",
			ErrLimit, b.W, b.H, c.MaxSide, c.MaxPixels)
	}
	return nil
}

func appendNumber(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

// appendStrings appends a JSON array of strings to a job of rendering, which the export page in the
// browser reads.
func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsontree.AppendString(b, s)
	}
	return append(b, ']')
}

// sceneFault returns the error for a resolved scene that cannot be written as records.
func sceneFault(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot export shape %q: %w: %s; want the scene as it came in (Request.Source)",
		sh.ID, ErrScene, what)
}
