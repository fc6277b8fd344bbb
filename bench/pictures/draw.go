package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"plumb/bench/inturn"
	"plumb/bench/spawn"
	"plumb/scoring/aspire/scenario"
)

// whiteboards makes n whiteboards after an answer: the shapes of a balance task and one more, which is
// different in each. group answers in a row are to the same task.
func whiteboards(n, group int, seed uint64) ([][]byte, error) {
	lines := make([][]byte, n)
	for i := range lines {
		s, err := scenario.Make(seed, "balance", i/group)
		if err != nil {
			return nil, err
		}
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		answer := scenario.Shape{ID: "shape:answer", Type: "geo", X: float64(r.IntN(1000)), Y: float64(r.IntN(500))}
		answer.Props = scenario.Props{Geo: []string{"rectangle", "ellipse", "hexagon", "octagon"}[r.IntN(4)], Color: "violet",
			W: float64(200 + r.IntN(200)), H: float64(100 + r.IntN(200)), Fill: "solid", Dash: "draw"}
		lines[i], err = json.Marshal(map[string]any{
			"id": fmt.Sprint("board-", i), "bounds": []float64{0, 0, 1400, 800}, "shapes": append(s.Shapes, answer),
		})
		if err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// files draws whiteboards as PNG files with `plumb render`, a process of its own. The sample has the
// pictures per second, the processor time and bytes of a picture, and a hash of all pixels and
// measurements, which must be that of other programs.
func files(program string, flags []string, scenes [][]byte) (s inturn.Sample, err error) {
	dir, err := os.MkdirTemp("", "plumb-pictures-")
	if err != nil {
		return s, err
	}
	defer remove(dir, &err)
	input := filepath.Join(dir, "scenes.jsonl")
	if err := os.WriteFile(input, append(bytes.Join(scenes, []byte("\n")), '\n'), 0o600); err != nil {
		return s, err
	}
	args := append([]string{"render", "--fidelity", "native", "--out", dir, "--stats", filepath.Join(dir, "stats.jsonl"), input}, flags...)
	cmd := exec.Command(program, args...)
	begin := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		return s, fmt.Errorf("cannot draw: %w: %s", err, output)
	}
	took, n := time.Since(begin), len(scenes)
	s = inturn.Sample{
		Core: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(n),
		Rate: float64(n) / took.Seconds(),
	}
	stats, err := os.ReadFile(filepath.Join(dir, "stats.jsonl"))
	if err != nil {
		return s, err
	}
	d := digest{sums: [][sha256.Size]byte{sha256.Sum256(stats)}}
	for i := range scenes {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("board-%d.png", i)))
		if err != nil {
			return s, err
		}
		s.Bytes += int64(len(b)) / int64(n)
		sum, err := pixelsOf(b)
		if err != nil {
			return s, err
		}
		d.sums = append(d.sums, sum)
	}
	s.Sum = d.sum()
	return s, nil
}

// pixelsOf returns the hash of the pixels of a PNG with alpha. Pixels are compared, because two
// programs may compress the same picture to different bytes.
func pixelsOf(b []byte) ([sha256.Size]byte, error) {
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	pixels, ok := img.(*image.NRGBA)
	if !ok {
		return [sha256.Size]byte{}, fmt.Errorf("cannot compare pictures: got a %T; want one with alpha", img)
	}
	return sha256.Sum256(pixels.Pix), nil
}

// overHTTP starts `plumb serve`, requests the pictures of whiteboards from spawn.Clients clients, one
// whiteboard a request, and stops it. accept is the wanted format. The sample has what inturn.OverHTTP
// measures, the bytes of a picture, and a hash of all pictures.
func overHTTP(program string, flags []string, scenes [][]byte, accept string) (s inturn.Sample, err error) {
	pictures := make([][]byte, len(scenes))
	s, err = inturn.OverHTTP(program, append([]string{"--fidelity", "native"}, flags...), len(scenes), func(daemon *spawn.Daemon) error {
		return request(daemon, scenes, accept, pictures)
	})
	if err != nil {
		return s, err
	}
	var d digest
	for _, b := range pictures {
		s.Bytes += int64(len(b)) / int64(len(scenes))
		sum := sha256.Sum256(b)
		if accept == "image/png" {
			if sum, err = pixelsOf(b); err != nil {
				return s, err
			}
		}
		d.sums = append(d.sums, sum)
	}
	s.Sum = d.sum()
	return s, nil
}

// request requests the picture of each whiteboard from a daemon, spawn.Clients at a time, and puts them
// into pictures in the same order.
func request(daemon *spawn.Daemon, scenes [][]byte, accept string, pictures [][]byte) error {
	faults := make([]error, spawn.Clients)
	var next atomic.Int64
	var wg sync.WaitGroup
	for c := range faults {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(scenes) && faults[c] == nil; i = int(next.Add(1)) - 1 {
				pictures[i], faults[c] = daemon.PostTo("/v1/render", accept, scenes[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(faults...)
}
