package stage

import (
	"fmt"
	"hash/fnv"
	"math"
	"sync/atomic"

	"plumb/daemon/dump"
	"plumb/render/metric"
	"plumb/render/paint"
	"plumb/render/scene"
	"plumb/render/view"
	"plumb/scoring"
)

// Set holds the scenes of one measurement, which runs take in turn.
type Set struct {
	Name   string
	Lines  [][]byte
	Limits scene.Limits

	sums     []atomic.Uint64 // of each scene's result line, 0 before the first
	drawings []paint.Drawing // of the first scenes, once a run began with them
	raster   paint.Raster    // of the drawings
}

// NewSet reads every line once, so that no run meets a scene that cannot be read. Errors name the
// line.
func NewSet(name string, lines [][]byte, limits scene.Limits) (*Set, error) {
	s := &Set{Name: name, Lines: lines, Limits: limits, sums: make([]atomic.Uint64, len(lines))}
	if len(lines) == 0 {
		return nil, fmt.Errorf("cannot measure scenes of %s: there are none; want at least one", name)
	}
	for i := range lines {
		if _, _, err := s.decode(i); err != nil {
			return nil, fmt.Errorf("cannot use scene %d of %s: %w", i+1, name, err)
		}
	}
	return s, nil
}

func (s *Set) decode(i int) (string, view.View, error) {
	return dump.Picture(s.Lines[i], dump.PictureOptions{Limits: s.Limits})
}

// Digest is a hash over the results of all scenes in order, "" until each has one.
// Equal digests mean equal results, bit for bit.
func (s *Set) Digest() string {
	h := fnv.New64a()
	for i := range s.sums {
		v := s.sums[i].Load()
		if v == 0 {
			return ""
		}
		fmt.Fprintf(h, "%016x", v)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// note compares a result line with the earlier one of the scene.
func (s *Set) note(i int, line []byte) error {
	h := fnv.New64a()
	h.Write(line)
	v := h.Sum64() | 1 // 0 stands for none
	if !s.sums[i].CompareAndSwap(0, v) && s.sums[i].Load() != v {
		return fmt.Errorf("BUG: scene %d of %s has another result than before: %s", i+1, s.Name, line)
	}
	return nil
}

// result returns the result line of a picture of w x h px: how far its centre of mass is from the
// middle of the frame, by which balance is scored (docs/spec/aspire.md#r60). It does not name the
// backend, so that digests of two backends can be compared.
func result(id string, w, h int, t metric.Tally) scoring.Result {
	r := scoring.Result{ID: id, Scored: true, Metrics: []scoring.Metric{
		{Name: "alpha_sum", Value: t.A.Alpha255()}, {Name: "covered_pixels", Value: int(t.A.Covered)},
	}}
	x, y, ok := t.A.CentreOfMass()
	if !ok {
		r.Scored, r.Err = false, &scoring.Error{Code: "undefined", Message: "cannot balance an empty picture"}
		return r
	}
	r.Metrics = append(r.Metrics, scoring.Metric{Name: "center_of_mass", Value: []float64{x, y}})
	r.Score = math.Hypot(x-float64(w)/2, y-float64(h)/2)
	return r
}
