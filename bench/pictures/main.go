// Command pictures measures pictures of answers: many edited whiteboards of few tasks. It makes
// whiteboards of 1400x800 px of the balance test, in groups of 1, 8 and 64 different answers to one
// task, and draws them as PNG files in process, as PNGs over HTTP and as raw pixels over HTTP, with an
// earlier build in turn where one is given. It prints core time, rate, memory and bytes, and how many
// pictures the programs do not have alike, pixel for pixel.
//
//	go run ./bench/pictures -before build/before/plumb > bench/results/pictures.txt
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"plumb/bench/inturn"
	"plumb/bench/spawn"
	"plumb/scoring/plural"
)

// main reads the flags and measures how fast plumb draws the pictures of answers to ASPIRE tasks, as
// files and over HTTP.
func main() {
	log.SetFlags(0)
	plumb := flag.String("plumb", "bin/plumb", "the program")
	before := flag.String("before", "", "an earlier build to compare with; none for \"\"")
	n := flag.Int("n", 128, "whiteboards of each group size")
	rounds := flag.Int("rounds", 3, "rounds, each with tasks of its own")
	flags := flag.String("flags", "", "further flags of all programs, separated by spaces")
	flag.Parse()
	if err := run(*plumb, *before, *n, *rounds, strings.Fields(*flags)); err != nil {
		log.Fatal(err)
	}
}

// groups are how many answers a task has.
var groups = []int{1, 8, 64}

// ways are how pictures come out of the program.
var ways = []struct {
	name string
	draw func(program string, flags []string, scenes [][]byte) (inturn.Sample, error)
}{
	{"files", drawFiles},
	{"HTTP, PNG", func(p string, flags []string, s [][]byte) (inturn.Sample, error) {
		return overHTTP(p, flags, s, "image/png")
	}},
	{"HTTP, raw", func(p string, flags []string, s [][]byte) (inturn.Sample, error) {
		return overHTTP(p, flags, s, "application/octet-stream")
	}},
}

// run measures how fast plumb draws the pictures of answers to ASPIRE tasks: in each way, as files and over
// HTTP, and for each number of answers to a task. It prints a row for each. n is the number of pictures. If
// before, an earlier build, is not "", both programs run in turn, and pictures that differ are counted.
func run(plumb, before string, n, rounds int, flags []string) error {
	programs, err := inturn.Programs("pictures of answers to balance tasks, 1400x800 px; groups are of different answers", plumb, before)
	if err != nil {
		return err
	}
	fmt.Printf("# %d pictures, medians of %s with tasks of their own; each run begins with empty caches\n", n, plural.Of(rounds, "round"))
	fmt.Printf("# core time is user and system time of the process that draws, the software driver's threads included;\n")
	fmt.Printf("# with files its start is part of it; over HTTP %d requests of one picture are under way at a time\n", spawn.Clients)
	const programWidth = 40 // characters that printRow prints for a program
	inturn.Heading("answers a task", "way", programs, programWidth)
	table := make([][]inturn.Row, len(groups)) // by group, then by way
	for i := range table {
		table[i] = make([]inturn.Row, len(ways))
	}
	for round := range rounds {
		for i, group := range groups {
			scenes, err := whiteboards(n, group, uint64(round+1))
			if err != nil {
				return err
			}
			for j, way := range ways {
				draw := func(program string) (inturn.Sample, error) { return way.draw(program, flags, scenes) }
				row := &table[i][j] // takes the samples of all rounds
				if err := row.Measure(programs, round, draw); err != nil {
					return fmt.Errorf("%s, %d answers a task: %w", way.name, group, err)
				}
			}
		}
	}
	for i, group := range groups {
		for j, way := range ways {
			printRow(group, way.name, table[i][j])
		}
	}
	return nil
}

// printRow prints a row of the table of pictures: for each program the medians of its processor time, rate,
// memory and bytes of a picture, and where there are two programs the ratios of both. group is the number of
// answers to a task.
func printRow(group int, way string, row inturn.Row) {
	fmt.Printf("%-14d %-10s", group, way)
	for _, samples := range row.Samples {
		memory := fmt.Sprintf("%.0f MB", inturn.Median(samples, inturn.RSS))
		if way == "files" {
			memory = "" // the system counts that of the process that started it
		}
		fmt.Printf(" %7.3f ms %6.0f/s %8s %8.0f B",
			inturn.Median(samples, inturn.Core), inturn.Median(samples, inturn.Rate), memory, inturn.Median(samples, inturn.Size))
	}
	row.PrintRatios()
}

// remove deletes a folder and adds the error to err.
func remove(dir string, err *error) { *err = errors.Join(*err, os.RemoveAll(dir)) }
