// Command tangram measures how many TangramPuzzle solutions one core scores in a
// second, parsing included: by plumb from an answer's text to its score and from a
// dump's line to its result line, by `plumb score` as a process, and by a scorer in Python on shapely 2 (scorer.py)
// that finds the same quantities in doubles. Rows are taken in turn in one run;
// what counts is core time, garbage collection included. It refuses to compare
// rows whose IoU differ. Without shapely, which scripts/shapely.sh installs, its
// row is left out; without reference data the project's own answers are scored.
//
//	go run ./bench/tangram > bench/results/tangram.txt
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"plumb/bench/rig"
)

// main reads the flags and measures on one core how fast TangramPuzzle answers are scored, in several ways.
// The garbage collector gets as much memory to work with as in plumb score.
func main() {
	log.SetFlags(0)
	source := recordedFiles()
	flag.StringVar(&source.answers, "answers", source.answers, "recorded answers")
	flag.StringVar(&source.instances, "instances", source.instances, "their instances")
	rounds := flag.Int("rounds", 5, "counted rounds of all rows in turn, after one that is not")
	times := flag.Int("times", 10, "how often a run within the process goes over the answers")
	copies := flag.Int("copies", 20, "how often the dump of plumb score holds each answer")
	program := flag.String("plumb", filepath.Join("bin", "plumb"), "the program, as make build makes it")
	shapely := flag.String("python", filepath.Join("build", "peers", "shapely", "bin", "python"), "Python with shapely 2")
	profile := flag.String("profile", "", "write a CPU profile of the rows within the process to this file")
	flag.Parse()
	stop, err := rig.Profile(*profile)
	if err != nil {
		log.Fatal(err)
	}
	defer stop()
	if *rounds < 1 || *times < 1 || *copies < 1 {
		log.Fatal("cannot measure: want at least one round, time and copy")
	}
	runtime.GOMAXPROCS(1)
	// plumb score holds 64 MiB of ballast and some 13 MB. With less, this process would collect garbage more
	// often than plumb score does.
	held := make([]byte, 77<<20)
	defer runtime.KeepAlive(held)
	if err := run(source, *rounds, *times, *copies, *program, *shapely); err != nil {
		log.Fatal(err)
	}
}

// run measures several ways of scoring TangramPuzzle answers in turn and prints a table: plumb from
// answer to score, from line to line, as a process, and a Python program that uses shapely, if that is
// installed.
func run(source source, rounds, times, copies int, program, shapely string) error {
	list, err := load(source)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plumb-tangram-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	evaluated, err := answerToScoreRow(list, times)
	if err != nil {
		return err
	}
	rows := []*row{evaluated, lineToResultRow(list, times)}
	for _, copies := range []int{copies, 1} { // many answers and few: the latter show what the start costs
		process, err := plumbScoreRow(program, dir, list, source, copies)
		if err != nil {
			return err
		}
		rows = append(rows, process)
	}
	header(source, list, rounds)
	if _, err := os.Stat(shapely); err == nil {
		withShapely, err := shapelyRow(shapely, dir, list)
		if err != nil {
			return err
		}
		rows = append(rows, withShapely)
	} else {
		fmt.Printf("# left out: shapely 2, %v\n", err)
	}
	defer func() {
		for _, row := range rows {
			row.close()
		}
	}()
	if err := measure(rows, rounds); err != nil {
		return err
	}
	return report(rows, list)
}

// measure runs the ways of scoring answers in turn, round after round, and keeps their figures. The
// first round fills caches and is dropped. A way whose results change their size from run to run is an
// error.
func measure(rows []*row, rounds int) error {
	for round := range rounds + 1 {
		for _, row := range rows {
			figures, err := row.run()
			if err != nil {
				return err
			}
			if n := len(row.runs); n > 0 && figures.Size != row.runs[n-1].Size {
				return fmt.Errorf("cannot measure %s: results of %d bytes after %d; want the same in every run", row.name, figures.Size, row.runs[n-1].Size)
			}
			row.runs = append(row.runs, figures)
			if round == 1 { // drop round 0, to whose size that of round 1 was compared just above
				row.runs = row.runs[1:]
			}
		}
	}
	return nil
}

// report prints a table of how fast each way scores answers. The last row is that of the program with shapely if
// it has values of IoU (the overlap of an answer's figure with the wanted one), which plumb's rows do not keep.
// Then these are first compared with plumb's, and the speeds are also given as multiples of shapely's.
func report(rows []*row, list []answer) error {
	shapely := rows[len(rows)-1]
	shapelyRate := 0.0 // 0 without shapely
	if shapely.runs[0].IoU != nil {
		text, err := compareIoU(list, shapely)
		if err != nil {
			return err
		}
		fmt.Printf("# %s\n# %s\n", shapely.runs[0].About, text)
		shapelyRate = shapely.rate(coreSeconds)
	}
	fmt.Printf("%-32s %12s %12s %12s   core runs\n", "predictions", "per core s", "per second", "x shapely 2")
	for _, row := range rows {
		rate, ratio := row.rate(coreSeconds), "-"
		if shapelyRate > 0 {
			ratio = fmt.Sprintf("%.1f", rate/shapelyRate)
		}
		fmt.Printf("%-32s %12.0f %12.0f %12s  ", row.name, rate, row.rate(wallSeconds), ratio)
		for i := range row.runs {
			fmt.Printf(" %.0f", float64(row.runs[i].scored)/row.runs[i].Core)
		}
		fmt.Println()
	}
	return nil
}

func coreSeconds(f *figures) float64 { return f.Core }
func wallSeconds(f *figures) float64 { return f.Wall }

// rate returns the median over the rounds of the number of answers scored per second. seconds says which
// seconds count: those of the clock (wall) or of the processor (core).
func (row *row) rate(seconds func(*figures) float64) float64 {
	var list []float64
	for i := range row.runs {
		list = append(list, float64(row.runs[i].scored)/seconds(&row.runs[i]))
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// tolerance is how far values of IoU may differ.
const tolerance = 1e-6

// compareIoU compares the IoU that the program with shapely found for each answer with plumb's, and returns a
// text about how well they agree. IoU is the overlap of an answer's figure with the wanted one. Only those
// answers are compared of which both programs have read the same number of pieces, all of them simple polygons
// with an area. A difference above the tolerance is an error, and so are too few answers that can be compared.
func compareIoU(list []answer, shapely *row) (string, error) {
	ours, err := metricsOf(list)
	if err != nil {
		return "", err
	}
	theirs := &shapely.runs[0]
	if len(theirs.IoU) != len(list) || len(theirs.Parsed) != len(list) || len(theirs.Hausdorff) != len(list) {
		return "", errors.New("cannot compare: shapely answered for another number of answers")
	}
	const distanceTolerance = 1e-2 // for Hausdorff distances, which shapely measures between vertices alone
	compared, evaluable, largestDifference, otherDistance := 0, 0, 0.0, 0
	for i := range list {
		if ours.IoU[i] == nil {
			continue
		}
		evaluable++
		sameReading := theirs.IoU[i] != nil && theirs.Parsed[i] == ours.Parsed[i]
		if !sameReading || !ours.simple[i] {
			continue
		}
		difference := math.Abs(*theirs.IoU[i] - *ours.IoU[i])
		if !(difference <= tolerance) { // true for NaN too
			return "", fmt.Errorf("cannot compare %s: got IoU %v from shapely; want %v within %g", list[i].id, *theirs.IoU[i], *ours.IoU[i], tolerance)
		}
		compared, largestDifference = compared+1, max(largestDifference, difference)
		if !(math.Abs(*theirs.Hausdorff[i]-*ours.Hausdorff[i]) <= distanceTolerance) {
			otherDistance++
		}
	}
	if 4*compared < 3*evaluable { // fewer than three in four
		return "", fmt.Errorf("cannot compare: only %d of %d answers that have an IoU can be held against each other; want three in four", compared, evaluable)
	}
	return fmt.Sprintf("IoU of plumb and shapely 2: %d of %d evaluable answers compared (the rest hold degenerate pieces, or are read otherwise), at most %.1g apart; in %d of them the distance of vertices is more than 0.01 off that of the boundaries", compared, evaluable, largestDifference, otherDistance), nil
}

// header prints what was measured and how: the answers, the rounds, the machine and the commit.
func header(source source, list []answer, rounds int) {
	size := 0
	for i := range list {
		size += len(list[i].response)
	}
	fmt.Printf("# TangramPuzzle solutions on one core, parsing included: %d recorded answers of %s, %d bytes of answer in the mean\n", len(list), filepath.Base(source.answers), size/len(list))
	fmt.Printf("# medians of %d rounds, rows in turn, one process on one core each; core time; targets are prepared before the counted rounds, but for plumb score\n", rounds)
	fmt.Print(rig.Header(rig.Commit()))
}
