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
	set := &Set{Name: name, Lines: lines, Limits: limits, sums: make([]atomic.Uint64, len(lines))}
	if len(lines) == 0 {
		return nil, fmt.Errorf("cannot measure scenes of %s: there are none; want at least one", name)
	}
	for i := range lines {
		if _, _, err := set.decode(i); err != nil {
			return nil, fmt.Errorf("cannot use scene %d of %s: %w", i+1, name, err)
		}
	}
	return set, nil
}

func (set *Set) decode(i int) (string, view.View, error) {
	return dump.Picture(set.Lines[i], dump.PictureOptions{Limits: set.Limits})
}

// Digest is a hash over the results of all scenes in order, "" until each has one.
// Equal digests mean equal results, bit for bit.
func (set *Set) Digest() string {
	h := fnv.New64a()
	for i := range set.sums {
		v := set.sums[i].Load()
		if v == 0 {
			return ""
		}
		fmt.Fprintf(h, "%016x", v)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// note compares a result line with the earlier one of the scene.
func (set *Set) note(i int, line []byte) error {
	h := fnv.New64a()
	h.Write(line)
	v := h.Sum64() | 1 // 0 stands for none
	if !set.sums[i].CompareAndSwap(0, v) && set.sums[i].Load() != v {
		return fmt.Errorf("BUG: scene %d of %s has another result than before: %s", i+1, set.Name, line)
	}
	return nil
}

// result returns the result line of a picture of w x h px: how far its centre of mass is from the
// middle of the frame, by which balance is scored (docs/spec/aspire.md#r60). It does not name the
// backend, so that digests of two backends can be compared.
func result(id string, w, h int, tally metric.Tally) scoring.Result {
	result := scoring.Result{ID: id, Scored: true, Metrics: []scoring.Metric{
		{Name: "alpha_sum", Value: tally.A.Alpha255()}, {Name: "covered_pixels", Value: int(tally.A.Covered)},
	}}
	x, y, ok := tally.A.CentreOfMass()
	if !ok {
		result.Scored, result.Err = false, &scoring.Error{Code: "undefined", Message: "cannot balance an empty picture"}
		return result
	}
	result.Metrics = append(result.Metrics, scoring.Metric{Name: "center_of_mass", Value: []float64{x, y}})
	result.Score = math.Hypot(x-float64(w)/2, y-float64(h)/2)
	return result
}
