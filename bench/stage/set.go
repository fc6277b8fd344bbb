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

	lineHashes []atomic.Uint64 // of each scene's result line, 0 before the first
	drawings   []paint.Drawing // of the first scenes, once a run began with them
	raster     paint.Raster    // of the drawings
}

// NewSet returns a set of scenes to measure, given as JSON lines. It decodes every line once, so that no run
// meets a scene that cannot be read. The error names the line.
func NewSet(name string, lines [][]byte, limits scene.Limits) (*Set, error) {
	set := &Set{Name: name, Lines: lines, Limits: limits, lineHashes: make([]atomic.Uint64, len(lines))}
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

// Digest returns a hash of the result lines of all scenes in order, "" until each has one. Runs with equal
// digests, such as those of two backends, have equal results bit for bit, but for a chance of hashes.
func (set *Set) Digest() string {
	digest := fnv.New64a()
	for i := range set.lineHashes {
		ofScene := set.lineHashes[i].Load()
		if ofScene == 0 {
			return ""
		}
		fmt.Fprintf(digest, "%016x", ofScene)
	}
	return fmt.Sprintf("%016x", digest.Sum64())
}

// checkSame compares the hash of a result line of scene i with that of the scene's first result, and keeps the
// first. Another result than before is an error, because results must not depend on the run.
func (set *Set) checkSame(i int, line []byte) error {
	hash := fnv.New64a()
	hash.Write(line)
	sum := hash.Sum64() | 1 // not 0, which stands for no result yet
	isFirst := set.lineHashes[i].CompareAndSwap(0, sum)
	if !isFirst && set.lineHashes[i].Load() != sum {
		return fmt.Errorf("BUG: scene %d of %s has another result than before: %s", i+1, set.Name, line)
	}
	return nil
}

// result returns a result for a picture of w x h px, as a suite would make it of the tally: the score is how
// far the centre of mass is from the middle of the frame, as in ASPIRE's balance test
// (docs/spec/aspire.md#r60). It does not name the backend, so that results of two backends can be compared.
func result(id string, w, h int, tally metric.Tally) scoring.Result {
	result := scoring.Result{ID: id, Scored: true, Metrics: []scoring.Metric{
		{Name: "alpha_sum", Value: tally.A.Alpha255()}, {Name: "covered_pixels", Value: int(tally.A.Covered)},
	}}
	x, y, ok := tally.A.CentreOfMass() // A is the picture; a tally may also compare it with a second one
	if !ok {
		result.Scored, result.Err = false, &scoring.Error{Code: "undefined", Message: "cannot balance an empty picture"}
		return result
	}
	result.Metrics = append(result.Metrics, scoring.Metric{Name: "center_of_mass", Value: []float64{x, y}})
	result.Score = math.Hypot(x-float64(w)/2, y-float64(h)/2)
	return result
}
