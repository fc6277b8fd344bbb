// Command explorer measures plumb view on made-up result files: how long it takes to make the index of a file, to
// show the first page after a start, to filter, sort and scroll, and the memory of the server. The index is a file
// beside the results, which plumb view makes at the first start and answers from. explorer starts bin/plumb as a
// process and asks it over HTTP, as a browser does. Times are wall times of requests; each row says how many there
// were.
//
//	go run ./bench/explorer > bench/results/explorer.txt
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plumb/bench/rig"
	"plumb/daemon/index"
	"plumb/daemon/index/indextest"
)

// main reads the flags and measures plumb view, which shows results in a browser, on a file of made-up
// results, for each of the wanted numbers of results.
func main() {
	log.SetFlags(0)
	program := flag.String("plumb", filepath.Join("bin", "plumb"), "the program, as make build makes it")
	sizes := flag.String("rows", "1000000,10000000", "numbers of results")
	dir := flag.String("dir", os.TempDir(), "folder for the made files, about 600 bytes a result")
	flag.Parse()
	fmt.Print(rig.Header(rig.Commit()))
	fmt.Println("# Made results, no dump. Times in ms: median and largest of the requests. The goals are 2,000 ms for the first page, 150 ms for a filter")
	fmt.Println("# with its histogram and counts, 100 ms for a part of a list while scrolling, and 1,000 MB. Memory is that of the process without and with the")
	fmt.Println("# pages of the index that the kernel holds for it.")
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(text)
		if err == nil {
			err = measure(*program, *dir, n)
		}
		if err != nil {
			log.Fatalf("cannot measure %s rows: %v", text, err)
		}
	}
}

// measure writes a file of n made-up results into the folder dir and measures `plumb view` on it. It prints
// how long a start takes that must make the index of the results, how long it takes until the first page is
// there when there is an index, how long each kind of request takes, and the memory of the process.
func measure(program, dir string, n int) error {
	path := filepath.Join(dir, fmt.Sprintf("explorer-%d.jsonl", n))
	defer os.Remove(path)
	defer os.Remove(path + index.Suffix)
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := indextest.Write(file, n); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	info, _ := os.Stat(path)
	fmt.Printf("\n%d results, %d MB\n", n, info.Size()>>20)
	// A start without an index.
	process, err := start(program, path)
	if err != nil {
		return err
	}
	built, err := process.waitForIndex()
	if err != nil {
		return err
	}
	printTimes("index made at the first start", []time.Duration{built})
	fmt.Printf("  %-52s %9.0f MB\n", "memory while it was made, at most", float64(process.memory().Peak)/1e6)
	if info, err := os.Stat(path + index.Suffix); err == nil {
		fmt.Printf("  %-52s %9.0f bytes a result\n", "size of the index", float64(info.Size())/float64(n))
	}
	process.stop()
	// A start with the index, and requests.
	if process, err = start(program, path); err != nil {
		return err
	}
	defer process.stop()
	first, err := process.firstPage()
	if err != nil {
		return err
	}
	printTimes("first page after a start, index there", []time.Duration{first})
	if err := process.measureRequests(n); err != nil {
		return err
	}
	memory := process.memory()
	fmt.Printf("  %-52s %9.0f MB, %.0f MB with pages of files\n", "memory of the server at the end", float64(memory.Own)/1e6, float64(memory.Resident)/1e6)
	fmt.Printf("  %-52s %9.0f MB with pages of files\n", "memory of the server while it answered, at most", float64(process.memory().Peak)/1e6)
	return nil
}

// measureRequests measures the requests that the pages of `plumb view` make about n results: filters, scrolling,
// sorting, overviews and single items, each several times with different random values. It prints a row
// for each kind.
func (process *process) measureRequests(n int) error {
	random := rand.New(rand.NewPCG(3, 4))
	tests, models := []string{"maze", "graph", "label", "line", "arrow"}, []string{"alpha-72b", "beta-9b", "gamma"}
	filter := func() string { // a random one
		query := map[string]any{"values": map[string][]string{"test": {tests[random.IntN(len(tests))]}, "model": {models[random.IntN(len(models))]}},
			"score": map[string]float64{"low": random.Float64() / 2, "high": 0.5 + random.Float64()/2}}
		text, _ := json.Marshal(query) // cannot fail: texts and numbers
		return url.QueryEscape(string(text))
	}
	for _, kind := range []struct {
		name  string
		count int
		path  func() string
	}{
		{"filter: histogram, counts of all facets", 20, func() string { return "select?q=" + filter() }},
		{"filter and sort by score, first rows", 20, func() string { return "rows?n=100&sort=score&q=" + filter() }},
		{"part of an id, histogram and counts", 10, func() string {
			return "select?q=" + url.QueryEscape(fmt.Sprintf(`{"id":"-%d"}`, 100+random.IntN(900)))
		}},
		{"range of a metric, histogram and counts", 10, func() string {
			return "select?q=" + url.QueryEscape(fmt.Sprintf(`{"metric":"distance","between":{"low":%d,"high":%d}}`, random.IntN(100), 150+random.IntN(100)))
		}},
		{"scroll: 100 rows anywhere of all, sorted by score", 100, func() string { return fmt.Sprintf("rows?n=100&sort=score&from=%d", random.IntN(n)) }},
		{"scroll: the last 100 rows of all", 20, func() string { return fmt.Sprintf("rows?n=100&sort=score&from=%d", n-100) }},
		{"another order of all: by id", 1, func() string { return "rows?n=100&sort=id" }},
		{"another order of all: by a metric", 1, func() string { return "rows?n=100&sort=metric:distance" }},
		{"overview of a filter", 10, func() string { return "overview?q=" + filter() }},
		// A series has the number of its file and its number in that file: the first two of the only file.
		{"comparison of two series", 1, func() string { return "compare?a=0.0&b=0.1" }},
		{"one item", 20, func() string { return fmt.Sprintf("item?row=%d&sort=score", random.IntN(n)) }},
	} {
		var took []time.Duration
		for range kind.count {
			begin := time.Now()
			if _, err := process.get(kind.path()); err != nil {
				return fmt.Errorf("%s: %w", kind.name, err)
			}
			took = append(took, time.Since(begin))
		}
		printTimes(kind.name, took)
	}
	return nil
}

// printTimes prints a row of the table: the median and the largest of the times, in ms, that a kind of request took,
// or the only one. It sorts the times.
func printTimes(name string, took []time.Duration) {
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	if len(took) == 1 {
		fmt.Printf("  %-52s %9.1f\n", name, ms(took[0]))
		return
	}
	fmt.Printf("  %-52s %9.1f %9.1f  of %d\n", name, ms(took[len(took)/2]), ms(took[len(took)-1]), len(took))
}

// process is a running `plumb view`.
type process struct {
	cmd   *exec.Cmd
	url   string
	begin time.Time
}

// start starts `plumb view` on a result file and waits until it has printed the address that it
// listens at.
func start(program, path string) (*process, error) {
	// With "native" plumb draws all scenes itself, and so starts without the editor.
	started := &process{cmd: exec.Command(program, "view", path, "--fidelity", "native"), begin: time.Now()}
	out, err := started.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := started.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
			started.url = address
			go io.Copy(io.Discard, out) // else the process would wait for its messages to be read
			return started, nil
		}
	}
	started.stop()
	return nil, fmt.Errorf("%s view does not listen", program)
}

func (process *process) stop() {
	process.cmd.Process.Signal(syscall.SIGTERM)
	process.cmd.Wait()
}

// get requests a route of `plumb view`'s API and returns the body. A status other than 200 is an
// error.
func (process *process) get(path string) ([]byte, error) {
	response, err := http.Get(process.url + "api/" + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = fmt.Errorf("got status %d: %.200s", response.StatusCode, data)
	}
	return data, err
}

// waitForIndex asks `plumb view` again and again until it has the index of the results, and returns the time from
// the start of the process until then. An index that cannot be made is an error.
func (process *process) waitForIndex() (time.Duration, error) {
	for {
		data, err := process.get("info")
		if err != nil {
			return 0, err
		}
		var info struct {
			Loading *struct{ Error string }
			Rows    int
		}
		if err := json.Unmarshal(data, &info); err != nil {
			return 0, err
		}
		if info.Loading == nil {
			return time.Since(process.begin), nil
		}
		if info.Loading.Error != "" {
			return 0, fmt.Errorf("cannot open: %s", info.Loading.Error)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// firstPage asks `plumb view` for what its first page shows: the filters' counts, the overview and the worst
// items. It returns the time from the start of the process until all of it was there.
func (process *process) firstPage() (time.Duration, error) {
	if _, err := process.waitForIndex(); err != nil {
		return 0, err
	}
	for _, path := range []string{"select", "overview", "rows?n=100&sort=score"} {
		if _, err := process.get(path); err != nil {
			return 0, err
		}
	}
	return time.Since(process.begin), nil
}

// memory returns the memory of the process.
func (process *process) memory() rig.Memory { return rig.MemoryOf(process.cmd.Process.Pid) }
