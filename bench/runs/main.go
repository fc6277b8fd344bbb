// Command runs measures plumb run against a scripted endpoint on this machine: 5,000 tasks of ASPIRE
// at 200 answers a second and more, and 1,400 questions with pictures of 1 MB. In: the program and
// the number of tasks. Out: a table of rates, memory at the quarters of the run and core time. The
// endpoint runs in this process and has its core time in a column of its own.
//
//	go run ./bench/runs > bench/results/runs.txt
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"plumb/bench/rig"
	"plumb/daemon/chat/chattest"
)

// atOnce is the default of plumb run's --concurrency.
const atOnce = 32

// main reads the flags and measures plumb run against a made-up endpoint: how fast it asks, and how
// much memory and processor time that takes.
func main() {
	log.SetFlags(0)
	plumb := flag.String("plumb", "bin/plumb", "the program")
	tasks := flag.Int("tasks", 5000, "tasks of ASPIRE, a multiple of 8")
	rate := flag.Float64("rate", 250, "answers a second that the endpoint gives at 32 calls at once")
	questions := flag.Int("questions", 1400, "questions with a picture of 1 MB each")
	flag.Parse()
	if err := run(*plumb, *tasks, *rate, *questions); err != nil {
		log.Fatal(err)
	}
}

// run measures `plumb run` in three ways and prints a row for each: ASPIRE tasks with two forms of
// input, and questions with large pictures. The endpoint is made up and answers with a fixed latency.
func run(plumb string, tasks int, rate float64, questions int) error {
	commit, err := rig.CommitOf(plumb)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "plumb-runs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Print(rig.Header(commit))
	fmt.Printf("# Memory is the resident memory of the process when a quarter, a half and three quarters of the calls\n")
	fmt.Printf("# are answered, and its peak. The endpoint's limit is %d calls at once over its latency. Core time is of\n", atOnce)
	fmt.Printf("# one answer: of plumb until the last call is answered, of the endpoint beside it, and of plumb with the\n")
	fmt.Printf("# results and the report that it makes afterwards. A processor has 1,000 ms for the first two in a second.\n\n")
	fmt.Printf("%-38s %7s %9s %9s %9s %9s %9s %7s %7s %7s %7s\n", "run", "calls", "answers/s", "limit/s", "asking ms", "endpt. ms", "whole ms", "MB 1/4", "MB 1/2", "MB 3/4", "peak MB")
	latency := time.Duration(float64(time.Second) * atOnce / rate)
	text, err := exec.Command(plumb, "aspire", "generate", "--count", strconv.Itoa(tasks/8)).Output()
	if err != nil {
		return err
	}
	exact, err := chattest.Exact(text)
	if err != nil {
		return err
	}
	for _, input := range []string{"full", "scaffold"} {
		out := filepath.Join(dir, input)
		args := []string{"run", "aspire", "--count", strconv.Itoa(tasks / 8), "--mode", "default", "--input", input, "--out", out}
		if input == "scaffold" { // the tests that have this input
			args = append(args, "--tests", "arrow,balance,graph")
		}
		if err := measure("aspire, "+input+" input, with pictures", plumb, args, latency, exact); err != nil {
			return err
		}
	}
	items, err := largePictures(dir, questions)
	if err != nil {
		return err
	}
	args := []string{"run", "spatialab", "--tasks", items, "--format", "mcq", "--mode", "default", "--out", filepath.Join(dir, "pictures")}
	return measure("spatialab, a picture of 1 MB each", plumb, args, 50*time.Millisecond, func(*chattest.Call) string { return "1" })
}

// measure starts `plumb run` against a fresh endpoint in this process, looks at its memory and times
// every 20 ms until it ends, and prints a row. The row has the speed, the processor time of an answer,
// and the memory when quarters of the calls are answered. latency is that of the endpoint.
func measure(name, plumb string, args []string, latency time.Duration, answer func(*chattest.Call) string) error {
	var calls atomic.Int64
	counted := func(c *chattest.Call) string { calls.Add(1); return answer(c) }
	server := httptest.NewServer(chattest.Handler(chattest.Config{Answer: counted, Delay: latency}))
	defer server.Close()
	planned, err := dryRun(plumb, append(args, "--model-url", server.URL+"/v1", "--model", "scripted"))
	if err != nil {
		return err
	}
	cmd := exec.Command(plumb, append(args, "--model-url", server.URL+"/v1", "--model", "scripted")...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = nil, &errs
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var at [3]float64
	var peak float64
	var first, last time.Time
	var asking, endpointTime time.Duration
	before := rig.CoreTime()
	for end := false; !end; {
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("%s: %w: %s", name, err, errs.String())
			}
			end = true
		case <-time.After(20 * time.Millisecond):
		}
		n := int(calls.Load())
		if n > 0 && first.IsZero() {
			first = time.Now()
		}
		if n < planned {
			last = time.Now()
			asking, endpointTime = rig.CoreTimeOf(cmd.Process.Pid), rig.CoreTime()-before
		}
		memory := rig.MemoryOf(cmd.Process.Pid)
		peak = max(peak, float64(memory.Peak)/1e6)
		for i := range at {
			if at[i] == 0 && n >= (i+1)*planned/4 {
				at[i] = float64(memory.Resident) / 1e6
			}
		}
	}
	if n := int(calls.Load()); n < planned {
		return fmt.Errorf("%s: the endpoint answered %d calls; want %d", name, n, planned)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	each := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(planned) }
	fmt.Printf("%-38s %7d %9.1f %9.1f %9.2f %9.2f %9.2f %7.0f %7.0f %7.0f %7.0f\n", name, planned, float64(planned)/last.Sub(first).Seconds(),
		atOnce/latency.Seconds(), each(asking), each(endpointTime), each(used), at[0], at[1], at[2], peak)
	return nil
}

// dryRun returns the number of calls that a run plans.
func dryRun(plumb string, args []string) (int, error) {
	out, err := exec.Command(plumb, append(args, "--dry-run")...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("dry run: %w: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if n, _, ok := strings.Cut(line, " calls in all"); ok {
			return strconv.Atoi(strings.ReplaceAll(n, " ", ""))
		}
	}
	return 0, fmt.Errorf("cannot read the number of calls of the dry run: %s", out)
}

// largePictures writes n questions with a picture of about 1 MB each, all different, and returns
// the file of the items.
func largePictures(dir string, n int) (string, error) {
	r := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, 590, 590))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32()) | 0xff*byte(i%4/3) // noise does not compress; alpha is 255
	}
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	var items bytes.Buffer
	for i := range n {
		copy(img.Pix, []byte{byte(i), byte(i >> 8), 0})
		var text bytes.Buffer
		if err := encoder.Encode(&text, img); err != nil {
			return "", err
		}
		name := fmt.Sprintf("%04d.png", i)
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o600); err != nil {
			return "", err
		}
		item := map[string]any{"id": fmt.Sprintf("q-%04d", i), "suite": "spatialab", "benchmark": "spatialab", "image": []string{name},
			"question": "Which one is it?", "options": []string{"A", "B", "C", "D"}, "labels": "numbers", "answer_index": 0,
			"open_answer": "A", "category": "3d_geometry", "subcategory": "stability_prediction"}
		line, err := json.Marshal(item)
		if err != nil {
			return "", err
		}
		items.Write(append(line, '\n'))
	}
	path := filepath.Join(dir, "items.jsonl")
	return path, os.WriteFile(path, items.Bytes(), 0o600)
}
