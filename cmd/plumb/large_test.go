//go:build large

package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// largeSize is the size of the files that are read in bounded memory, and largeMemory the bound.
const (
	largeSize   = 4 << 30
	largeMemory = 300 << 20
)

// filler is what makes samples large: a picture as base64 does.
var filler = strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", 1<<20/44)

// largeItem is a task, of which each fourth has the answer B.
const largeItem = `{"id":"q-%d","suite":"spatialab","question":"Which one?","options":["red","blue","green","none"],"labels":"letters","answer_index":%d,"category":"3d_geometry","subcategory":"stability_prediction"}`

// TestLargeLog scores a log of inspect_ai of 4 GB.
func TestLargeLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.eval")
	n := 0
	writeLarge(t, path, func(w *bufio.Writer, size func() int64) error {
		z := zip.NewWriter(w)
		put := func(name, text string) error {
			e, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err == nil {
				_, err = e.Write([]byte(text))
			}
			return err
		}
		for ; size() < largeSize; n++ {
			err := put(fmt.Sprintf("samples/q-%d_epoch_1.json", n), fmt.Sprintf(`{"id":"q-%d","epoch":1,"input":[{"role":"user","content":"%s"}],"metadata":{"id":"q-%d","suite":"spatialab"},`+
				`"output":{"model":"m","choices":[{"message":{"role":"assistant","content":"B"},"stop_reason":"stop"}]},"events":[]}`, n, filler, n))
			if err != nil {
				return err
			}
		}
		if err := put("header.json", `{"version":2,"status":"success","eval":{"model":"m"}}`); err != nil {
			return err
		}
		return z.Close()
	})
	scoreLarge(t, path, n)
}

// TestLargeDocument scores a document of HELM of 4 GB.
func TestLargeDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "scenario_state.json")
	n := 0
	writeLarge(t, path, func(w *bufio.Writer, size func() int64) error {
		fmt.Fprint(w, `{"adapter_spec":{"model":"org/m"},"request_states":[`)
		for ; size() < largeSize; n++ {
			if n > 0 {
				w.WriteString(",")
			}
			fmt.Fprintf(w, `{"instance":{"input":{"text":"%s"},"id":"q-%d"},"train_trial_index":0,"request":{"model":"org/m"},`+
				`"result":{"success":true,"completions":[{"text":"B","finish_reason":{"reason":"stop"}}]}}`, filler, n)
		}
		_, err := w.WriteString("]}")
		return err
	})
	scoreLarge(t, path, n)
}

// writeLarge writes a file; size returns how large it is.
func writeLarge(t *testing.T, path string, write func(w *bufio.Writer, size func() int64) error) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	err = write(w, func() int64 { at, _ := f.Seek(0, 1); return at })
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// scoreLarge scores a dump of n answers, a quarter of them right, and checks its memory.
func scoreLarge(t *testing.T, path string, n int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	var items strings.Builder
	for i := range n {
		fmt.Fprintf(&items, largeItem+"\n", i, i%4)
	}
	tasks := written(t, filepath.Join(t.TempDir(), "items.jsonl"), items.String())
	cmd := exec.Command(binary, "score", "--backend", "cpu", "--paper", "none", "--suite", "spatialab", "--tasks", "spatialab="+tasks, "-o", out, path)
	errs, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	right, lines := 0, 0
	for line := range strings.Lines(string(text)) {
		lines++
		if strings.Contains(line, `"score":1.0,`) {
			right++
		}
	}
	if lines != n || right != (n+2)/4 {
		t.Errorf("got %d results, %d right; want %d, %d", lines, right, n, (n+2)/4)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	t.Logf("%d answers, peak %d MB, %v of core time", n, peak>>20, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Second))
	if peak > largeMemory {
		t.Errorf("got a peak of %d MB; want at most %d", peak>>20, largeMemory>>20)
	}
}
