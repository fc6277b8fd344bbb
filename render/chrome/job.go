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
	mark    uint32 // colour of the rows of proof below its pictures, 0xRRGGBB
	measure bool   // it asks for boxes of shapes, which need no proof
}

// job turns a request for an export into the JSON that the page in the browser reads: the scene
// (its source if there is one), one or two pictures, and a new random colour for their proof. It
// refuses what is beyond the limits.
func (config *Config) job(request *Request) (*job, error) {
	var out []byte
	var err error
	// The scene.
	switch {
	case request.Source != nil:
		out, err = config.appendSource(nil, request.Source)
	case request.Scene != nil:
		out, err = appendScene(nil, request.Scene)
	default:
		return nil, fmt.Errorf("cannot export scene: %w: got neither Scene nor Source", ErrScene)
	}
	if err != nil {
		return nil, err
	}
	// The pictures.
	out = append(out, `,"pictures":[`...)
	if out, err = config.appendPicture(out, request, request.FirstIDs, nil); err != nil {
		return nil, err
	}
	if request.SecondIDs != nil {
		out = append(out, ',')
		if out, err = config.appendPicture(out, request, request.SecondIDs, request.FirstIDs); err != nil {
			return nil, err
		}
	}
	// The colour of the proof.
	j := &job{mark: newMark(), measure: request.Measure}
	out = strconv.AppendUint(append(out, `],"mark":`...), uint64(j.mark), 10)
	j.text = string(append(out, '}'))
	return j, nil
}

// appendPicture appends one picture to the page's job: which shapes are drawn (ids, nil for all, but not those
// in except), which part of the page, and the limits on its size, which the page checks where it finds the
// bounds itself.
func (config *Config) appendPicture(dst []byte, request *Request, ids, except []string) ([]byte, error) {
	dst = append(dst, '{')
	if request.Measure {
		dst = append(dst, `"measure":true,`...)
	}
	// Which shapes.
	if ids != nil {
		dst = append(appendStrings(append(dst, `"ids":`...), ids), ',')
	}
	if len(except) > 0 {
		dst = append(appendStrings(append(dst, `"except":`...), except), ',')
	}
	// Which part of the page.
	padding := request.Padding
	if !request.Content && !request.Measure {
		padding = 0
		if err := config.checkSize(request.Bounds); err != nil {
			return nil, err
		}
		dst = append(dst, `"bounds":[`...)
		for i, value := range [4]float64{request.Bounds.X, request.Bounds.Y, request.Bounds.W, request.Bounds.H} {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendNumber(dst, value)
		}
		dst = append(dst, `],`...)
	}
	dst = appendNumber(append(dst, `"padding":`...), padding)
	// How large it may be.
	dst = strconv.AppendInt(append(dst, `,"maxPixels":`...), int64(config.MaxPixels), 10)
	dst = strconv.AppendInt(append(dst, `,"maxSide":`...), int64(config.MaxSide), 10)
	return append(dst, '}'), nil
}

// checkSize refuses the bounds of a picture that are not finite, empty or beyond the limits on its
// side and its pixels.
func (config *Config) checkSize(box view.Box) error {
	side := float64(config.MaxSide)
	if !(box.W >= 1 && box.H >= 1 && box.X-box.X == 0 && box.Y-box.Y == 0) { // v-v is 0 if v is finite
		return fmt.Errorf("cannot export scene: %w: got bounds %g, %g, %g x %g; want finite ones of at least 1 x 1 px",
			ErrScene, box.X, box.Y, box.W, box.H)
	}
	if !(box.W <= side && box.H <= side && box.W*box.H <= float64(config.MaxPixels)) {
		return fmt.Errorf("cannot export scene: %w: got a picture of %g x %g px; want sides of at most %d px (--max-side) and %d px in all (--max-pixels)",
			ErrLimit, box.W, box.H, config.MaxSide, config.MaxPixels)
	}
	return nil
}

func appendNumber(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }

// appendStrings appends a JSON array of strings to a job of rendering, which the export page in the
// browser reads.
func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontree.AppendString(dst, text)
	}
	return append(dst, ']')
}

// sceneFault returns the error for a resolved scene that cannot be written as records.
func sceneFault(sh *scene.Shape, what string) error {
	return fmt.Errorf("cannot export shape %q: %w: %s; want the scene as it came in (Request.Source)",
		sh.ID, ErrScene, what)
}
