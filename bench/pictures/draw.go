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

// whiteboards makes n whiteboards as JSON lines, as they are after a model has answered a task of ASPIRE's
// balance test: the shapes of the task and one more, which is different in each. group answers in a row are
// to the same task.
func whiteboards(n, group int, seed uint64) ([][]byte, error) {
	lines := make([][]byte, n)
	for i := range lines {
		task, err := scenario.Make(seed, "balance", i/group)
		if err != nil {
			return nil, err
		}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		answer := scenario.Shape{ID: "shape:answer", Type: "geo", X: float64(random.IntN(1000)), Y: float64(random.IntN(500))}
		answer.Props = scenario.Props{Geo: []string{"rectangle", "ellipse", "hexagon", "octagon"}[random.IntN(4)], Color: "violet",
			W: float64(200 + random.IntN(200)), H: float64(100 + random.IntN(200)), Fill: "solid", Dash: "draw"}
		lines[i], err = json.Marshal(map[string]any{
			"id": fmt.Sprint("board-", i), "bounds": []float64{0, 0, 1400, 800}, "shapes": append(task.Shapes, answer),
		})
		if err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// drawFiles draws whiteboards as PNG files with `plumb render`, a process of its own. The sample has the
// pictures per second, the processor time and bytes of a picture, and a hash of all measurements and one of
// the pixels of each picture, by which results of two builds are compared.
func drawFiles(program string, flags []string, scenes [][]byte) (sample inturn.Sample, err error) {
	// Draw.
	dir, err := os.MkdirTemp("", "plumb-pictures-")
	if err != nil {
		return sample, err
	}
	defer remove(dir, &err)
	input := filepath.Join(dir, "scenes.jsonl")
	if err := os.WriteFile(input, append(bytes.Join(scenes, []byte("\n")), '\n'), 0o600); err != nil {
		return sample, err
	}
	args := append([]string{"render", "--fidelity", "native", "--out", dir, "--stats", filepath.Join(dir, "stats.jsonl"), input}, flags...)
	cmd := exec.Command(program, args...)
	begin := time.Now()
	if output, err := cmd.CombinedOutput(); err != nil {
		return sample, fmt.Errorf("cannot draw: %w: %s", err, output)
	}
	took, n := time.Since(begin), len(scenes)
	sample = inturn.Sample{
		Core: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()) / time.Duration(n),
		Rate: float64(n) / took.Seconds(),
	}
	// Hash the measurements and the pictures.
	stats, err := os.ReadFile(filepath.Join(dir, "stats.jsonl"))
	if err != nil {
		return sample, err
	}
	sample.Results = []inturn.Hash{sha256.Sum256(stats)}
	for i := range scenes {
		file, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("board-%d.png", i)))
		if err != nil {
			return sample, err
		}
		sample.Bytes += int64(len(file)) / int64(n)
		sum, err := hashOfPixels(file)
		if err != nil {
			return sample, err
		}
		sample.Results = append(sample.Results, sum)
	}
	return sample, nil
}

// hashOfPixels returns the hash of the pixels of a PNG file with alpha. The pixels are compared and not the file,
// because two programs may compress the same picture to different bytes.
func hashOfPixels(file []byte) (inturn.Hash, error) {
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return inturn.Hash{}, err
	}
	pixels, ok := img.(*image.NRGBA)
	if !ok {
		return inturn.Hash{}, fmt.Errorf("cannot compare pictures: got a %T; want one with alpha", img)
	}
	return sha256.Sum256(pixels.Pix), nil
}

// overHTTP starts a daemon, requests the pictures of whiteboards from it, one a request and spawn.Clients at a
// time, and stops it. accept is the media type of the pictures. The sample has the rate, the processor time
// and the memory of the daemon, the bytes of a picture, and a hash of each picture.
func overHTTP(program string, flags []string, scenes [][]byte, accept string) (sample inturn.Sample, err error) {
	pictures := make([][]byte, len(scenes))
	sample, err = inturn.OverHTTP(program, append([]string{"--fidelity", "native"}, flags...), len(scenes), func(daemon *spawn.Daemon) error {
		return requestAll(daemon, scenes, accept, pictures)
	})
	if err != nil {
		return sample, err
	}
	for _, picture := range pictures {
		sample.Bytes += int64(len(picture)) / int64(len(scenes))
		sum := sha256.Sum256(picture)
		if accept == "image/png" {
			if sum, err = hashOfPixels(picture); err != nil {
				return sample, err
			}
		}
		sample.Results = append(sample.Results, sum)
	}
	return sample, nil
}

// requestAll requests the picture of each whiteboard from a daemon, spawn.Clients at a time, and puts them
// into pictures in the order of the whiteboards. accept is the media type of the pictures. A client stops at
// its first error.
func requestAll(daemon *spawn.Daemon, scenes [][]byte, accept string, pictures [][]byte) error {
	faults := make([]error, spawn.Clients)
	var next atomic.Int64
	var wg sync.WaitGroup
	for client := range faults {
		wg.Go(func() {
			for faults[client] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(scenes) {
					return
				}
				pictures[i], faults[client] = daemon.PostTo("/v1/render", accept, scenes[i])
			}
		})
	}
	wg.Wait()
	return errors.Join(faults...)
}
