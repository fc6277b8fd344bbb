// Command tangramraster measures how TangramPuzzle assemblies are compared with
// their targets: answers scored by exact arithmetic and on the raster, and the
// raster alone over a batch, on the GL device and in plain Go. Each stage goes
// over all of its work several times in turn; what counts is the core time of the
// whole process, a software driver's threads and garbage collection included.
//
//	go run ./bench/tangramraster > bench/results/tangram-raster.txt
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/valyala/fastjson"

	"plumb/bench/rig"
	"plumb/render/gpu"
	"plumb/render/match"
	"plumb/scoring"
	"plumb/scoring/tangram"
)

func main() {
	log.SetFlags(0)
	folder := flag.String("data", "../shared/data/tangram", "folder of instances-dev.jsonl and predictions.jsonl")
	n := flag.Int("batch", 4096, "scenes of a batch")
	runs := flag.Int("runs", 3, "counted runs of each stage, after one that is not")
	device := flag.String("device", "", "GL device, as --device of plumb")
	flag.Parse()
	items, err := load(*folder)
	if err != nil {
		log.Fatal(err)
	}
	m, err := gpu.OpenMeter(gpu.MeterConfig{Device: *device, Watchdog: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	header(len(items), *n, *runs, m.Info().String())
	measure(stages(items, *n, m), *runs)
	fmt.Printf("# %d comparisons of the device were left to plain Go\n", m.Left())
}

// load returns predictions with their targets.
func load(folder string) ([]*scoring.Item, error) {
	targets := map[string]*fastjson.Value{}
	var out []*scoring.Item
	for _, name := range []string{"instances-dev.jsonl", "predictions.jsonl"} {
		f, err := os.Open(folder + "/" + name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		s.Buffer(nil, 64<<20)
		for s.Scan() {
			v, err := fastjson.ParseBytes(s.Bytes())
			if err != nil {
				return nil, fmt.Errorf("cannot read %s: %w", name, err)
			}
			id := string(v.GetStringBytes("instance_id"))
			if name == "instances-dev.jsonl" {
				targets[id] = v.Get("target_outline")
				continue
			}
			v.Set("target_outline", targets[id])
			out = append(out, &scoring.Item{ID: id, Test: tangram.Solution, Fields: v})
		}
		if err := s.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keeper keeps the scenes that it is to measure.
type keeper struct{ scenes []match.Scene }

func (k *keeper) Measure(s *match.Scene) (match.Result, error) {
	k.scenes = append(k.scenes, *s)
	return match.Oracle{}.Measure(s)
}

// stage is one kind of work on n things. It returns what must be the same in
// every run; stages of one group return the same.
type stage struct {
	name  string
	group string
	n     int
	do    func() uint64
}

func score(s *tangram.Suite, items []*scoring.Item, v scoring.Variants) (sum uint64) {
	for _, it := range items {
		one := *it
		j, err := s.Prepare(&one, v)
		if err != nil {
			log.Fatal(err)
		}
		r := j.Score(nil)
		for _, b := range r.AppendJSON(nil, scoring.Clamp01, "") {
			sum = sum*31 + uint64(b)
		}
	}
	return sum
}

func total(list []match.Sums) (sum uint64) {
	for _, s := range list {
		for _, v := range []uint32{s.U, s.T, s.Either, s.Far2} {
			sum = sum*31 + uint64(v)
		}
	}
	return sum
}

func stages(items []*scoring.Item, n int, m *gpu.Meter) []stage {
	exact, kept := tangram.New(), tangram.New()
	k := &keeper{}
	kept.MeasureWith(k)
	raster := scoring.Variants{tangram.MetricBy: "raster"}
	score(kept, items, raster)
	if len(k.scenes) == 0 {
		log.Fatal("cannot measure: no answer is evaluable")
	}
	out := []stage{
		{"answers, exact", "", len(items), func() uint64 { return score(exact, items, nil) }},
		{"answers, raster in Go", "", len(items), func() uint64 { return score(exact, items, raster) }},
	}
	for _, size := range []int{256, 512} {
		list := make([]*match.Packed, n)
		for i := range list {
			s := k.scenes[i%len(k.scenes)]
			s.Size = size
			list[i] = new(match.Packed)
			if err := list[i].Pack(&s); err != nil {
				log.Fatal(err)
			}
		}
		name := fmt.Sprintf("batch of %d, %d px, ", n, size)
		out = append(out, stage{name + "device", name, n, func() uint64 {
			sums, err := m.Count(list)
			if err != nil {
				log.Fatal(err)
			}
			return total(sums)
		}}, stage{name + "Go", name, n, func() uint64 { return total(match.Count(list)) }})
	}
	return out
}

func measure(all []stage, runs int) {
	cores, walls := make([][]float64, len(all)), make([][]float64, len(all))
	sums := make([]uint64, len(all))
	groups := map[string]uint64{}
	for run := 0; run <= runs; run++ {
		for i, s := range all {
			begin, start := time.Now(), rig.CoreTime()
			sum := s.do()
			core, wall := (rig.CoreTime() - start).Seconds(), time.Since(begin).Seconds()
			if run == 0 { // fills caches and buffers
				sums[i] = sum
				if first, ok := groups[s.group]; ok && s.group != "" && first != sum {
					log.Fatalf("cannot measure %s: the device and Go give different sums", s.name)
				}
				groups[s.group] = sum
				continue
			}
			if sum != sums[i] {
				log.Fatalf("cannot measure %s: results differ between runs", s.name)
			}
			cores[i], walls[i] = append(cores[i], float64(s.n)/core), append(walls[i], float64(s.n)/wall)
		}
	}
	fmt.Printf("%-34s %14s %14s\n", "stage", "per core s", "per second")
	for i, s := range all {
		fmt.Printf("%-34s %14.0f %14.0f\n", s.name, median(cores[i]), median(walls[i]))
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

func header(items, n, runs int, device string) {
	fmt.Printf("# TangramPuzzle: %d recorded answers from text to result line, and the raster alone over a batch of %d of their assemblies\n", items, n)
	fmt.Printf("# medians of %d runs; core time of the process, the driver's threads included; the device and Go give equal sums\n", runs)
	fmt.Printf("%s# %s\n", rig.Header(rig.Commit()), device)
}
