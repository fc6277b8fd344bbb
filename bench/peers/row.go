package main

import (
	"fmt"
	"syscall"
	"time"

	"plumb/bench/rig"
)

// centre is what every renderer must find of a scene: the sum of alpha in px and the
// alpha-weighted mean of pixel centres.
type centre struct {
	Alpha float64 `json:"alpha"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// figures are the measurements of one run over all scenes.
type figures struct {
	Wall    float64  `json:"wall"`    // s
	Core    float64  `json:"core"`    // s of processor time, all threads and processes
	Parsing float64  `json:"parsing"` // s of Core that went into reading SVG or path data
	Memory  float64  `json:"rss"`     // MB, greatest so far
	Centres []centre `json:"centres"`
}

// row is a renderer, and its row in the table.
type row struct {
	name  string
	input string // what it is given: "shapes", "paths", "polygons" or "SVG"

	run   func() (figures, error) // draws all scenes once
	close func()

	rounds     []figures // that are counted
	offset     float64   // largest distance of a centre from plumb's so far, px
	alphaError float64   // largest relative difference of the sum of alpha from plumb's so far
}

// timed calls f, which draws all scenes with one renderer in this process, and returns the time and
// processor time that it took, the process's peak memory, and the centres of mass that f returns.
func timed(f func() ([]centre, error)) (figures, error) {
	start, coreBefore := time.Now(), rig.CoreTime()
	centres, err := f()
	took, core := time.Since(start), rig.CoreTime()-coreBefore
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	megabytes := float64(usage.Maxrss) / 1024 // Maxrss is in KiB
	return figures{Wall: took.Seconds(), Core: core.Seconds(), Memory: megabytes, Centres: centres}, err
}

// core returns the median processor time of a run, s, without the reading of SVG and path data.
func (row *row) core() float64 {
	return medianOf(row.rounds, func(f figures) float64 { return f.Core - f.Parsing })
}

// compare returns an error if the pictures that a renderer drew in a round have other centres of mass than
// plumb's, or another sum of alpha: no renderer may win by drawing less. got and ours have the centre of
// each scene. The largest differences so far are kept in the row.
func (row *row) compare(got, ours []centre) error {
	const (
		maxOffset     = 1    // px; renderers place and round edges differently
		maxAlphaError = 0.02 // of the sum of alpha
	)
	if len(got) != len(ours) {
		return fmt.Errorf("%s drew %d scenes; want %d", row.name, len(got), len(ours))
	}
	for i, theirs := range got {
		row.offset = max(row.offset, distance(theirs, ours[i]))
		row.alphaError = max(row.alphaError, abs(theirs.Alpha-ours[i].Alpha)/ours[i].Alpha)
	}
	if row.offset > maxOffset || row.alphaError > maxAlphaError {
		return fmt.Errorf("%s draws something else: centres up to %.2f px and alpha up to %.1f %% from ours", row.name, row.offset, 100*row.alphaError)
	}
	return nil
}
