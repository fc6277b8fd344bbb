// Command runs measures plumb run against a scripted endpoint on this machine: 5,000 tasks of ASPIRE, of
// which the endpoint answers at most 250 a second, and 1,400 questions with pictures of 1 MB. In: the program
// and the number of tasks. Out: a table of rates, memory at the quarters of the run and core time. The
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

// run measures `plumb run` three times and prints a row for each: on ASPIRE tasks in two forms of input, and
// on questions with large pictures. The model's endpoint is made up, in this process, and answers each call
// after a fixed latency. rate is how many answers it gives in a second when atOnce calls are under way.
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
	const tests = 8 // of ASPIRE; --count is the number of tasks of each
	count := strconv.Itoa(tasks / tests)
	text, err := exec.Command(plumb, "aspire", "generate", "--count", count).Output()
	if err != nil {
		return err
	}
	exact, err := chattest.Exact(text)
	if err != nil {
		return err
	}
	// ASPIRE.
	for _, input := range []string{"full", "scaffold"} {
		out := filepath.Join(dir, input)
		args := []string{"run", "aspire", "--count", count, "--mode", "default", "--input", input, "--out", out}
		if input == "scaffold" { // only these tests have this input
			args = append(args, "--tests", "arrow,balance,graph")
		}
		if err := measure("aspire, "+input+" input, with pictures", plumb, args, latency, exact); err != nil {
			return err
		}
	}
	// Large pictures.
	items, err := writeLargePictures(dir, questions)
	if err != nil {
		return err
	}
	args := []string{"run", "spatialab", "--tasks", items, "--format", "mcq", "--mode", "default", "--out", filepath.Join(dir, "pictures")}
	return measure("spatialab, a picture of 1 MB each", plumb, args, 50*time.Millisecond, func(*chattest.Call) string { return "1" })
}

// measure starts the program plumb, as `plumb run`, against a fresh made-up endpoint in this process. It
// looks at the program's memory and times every 20 ms until it ends, and prints a row: the speed, the
// processor time of an answer, and the memory when a quarter, a half and three quarters of the calls are
// answered. latency is how long the endpoint takes for an answer, and answer makes its text.
func measure(name, plumb string, args []string, latency time.Duration, answer func(*chattest.Call) string) error {
	var calls atomic.Int64
	counted := func(call *chattest.Call) string { calls.Add(1); return answer(call) }
	server := httptest.NewServer(chattest.Handler(chattest.Config{Answer: counted, Delay: latency}))
	defer server.Close()
	args = append(args, "--model-url", server.URL+"/v1", "--model", "scripted")
	planned, err := dryRun(plumb, args)
	if err != nil {
		return err
	}
	cmd := exec.Command(plumb, args...)
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = nil, &errs
	if err := cmd.Start(); err != nil {
		return err
	}
	end := make(chan error, 1)
	go func() { end <- cmd.Wait() }()
	// Look at the program again and again.
	var atQuarters [3]float64                  // MB, when 1/4, 1/2 and 3/4 of the calls were answered
	var peak float64                           // MB
	var firstAnswered, lastMissing time.Time   // of the first look with an answered call, and the last with a missing one
	var askingTime, endpointTime time.Duration // processor time of the program and of this process until lastMissing
	before := rig.CoreTime()
	for ended := false; !ended; {
		select {
		case err := <-end:
			if err != nil {
				return fmt.Errorf("%s: %w: %s", name, err, errs.String())
			}
			ended = true // after this look
		case <-time.After(20 * time.Millisecond):
		}
		answered := int(calls.Load())
		if answered > 0 && firstAnswered.IsZero() {
			firstAnswered = time.Now()
		}
		if answered < planned {
			lastMissing = time.Now()
			askingTime, endpointTime = rig.CoreTimeOf(cmd.Process.Pid), rig.CoreTime()-before
		}
		memory := rig.MemoryOf(cmd.Process.Pid)
		peak = max(peak, float64(memory.Peak)/1e6)
		for i := range atQuarters {
			if atQuarters[i] == 0 && answered >= (i+1)*planned/4 {
				atQuarters[i] = float64(memory.Resident) / 1e6
			}
		}
	}
	if answered := int(calls.Load()); answered < planned {
		return fmt.Errorf("%s: the endpoint answered %d calls; want %d", name, answered, planned)
	}
	// Print the row.
	wholeTime := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	msPerCall := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(planned) }
	fmt.Printf("%-38s %7d %9.1f %9.1f %9.2f %9.2f %9.2f %7.0f %7.0f %7.0f %7.0f\n", name, planned, float64(planned)/lastMissing.Sub(firstAnswered).Seconds(),
		atOnce/latency.Seconds(), msPerCall(askingTime), msPerCall(endpointTime), msPerCall(wholeTime), atQuarters[0], atQuarters[1], atQuarters[2], peak)
	return nil
}

// dryRun returns how many calls to the model a `plumb run` with these arguments would make.
func dryRun(plumb string, args []string) (int, error) {
	out, err := exec.Command(plumb, append(args, "--dry-run")...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("dry run: %w: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if n, _, ok := strings.Cut(line, " calls in all"); ok {
			return strconv.Atoi(strings.ReplaceAll(n, " ", "")) // digits may be in groups
		}
	}
	return 0, fmt.Errorf("cannot read the number of calls of the dry run: %s", out)
}

// writeLargePictures writes n questions of SPATIALAB into the folder dir, each with a picture of its own of
// 1.04 MB, and returns the path of the file of the questions.
func writeLargePictures(dir string, n int) (string, error) {
	const side = 590 // px; an opaque picture has three bytes a pixel, which make 1.04 MB
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32()) // noise does not compress
		if i%4 == 3 {
			img.Pix[i] = 255 // alpha
		}
	}
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	var items bytes.Buffer
	for i := range n {
		copy(img.Pix, []byte{byte(i), byte(i >> 8), 0}) // the first pixel makes the pictures differ
		var file bytes.Buffer
		if err := encoder.Encode(&file, img); err != nil {
			return "", err
		}
		name := fmt.Sprintf("%04d.png", i)
		if err := os.WriteFile(filepath.Join(dir, name), file.Bytes(), 0o600); err != nil {
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
