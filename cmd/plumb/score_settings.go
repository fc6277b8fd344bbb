package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"plumb/daemon/jobs"
	"plumb/daemon/records/address"
)

// settings returns all settings that can change a result, by the names of their flags, and the hashes
// of task files and requests. Flags that cannot change one, such as --workers, --batch, --server and
// those of tables, are left out, and so are empty values. See docs/spec/jobs.md#r5.
func (j *job) settings() (map[string]string, error) {
	c := j.cmd
	all := map[string]string{}
	add := func(name string, v any) {
		if s := fmt.Sprint(v); s != "" && s != "[]" {
			all["--"+name] = s
		}
	}
	add("suite", c.Suite)
	add("variant", sortedWords(c.Variant)) // their order has no effect
	add("reward", c.Reward)
	add("format", c.Format)
	add("join", c.Join)
	add("response", c.Response)
	add("model", c.Model)
	add("cut", c.Cut)
	add("errored", c.Errored)
	add("backend", c.Backend)
	add("fidelity", c.Fidelity)
	add("raster", c.Raster)
	add("tldraw", c.Tldraw)
	add("deadline", c.Deadline)
	add("max-line", c.MaxLine)
	add("max-depth", c.MaxDepth)
	add("max-values", c.MaxValues)
	add("max-shapes", c.MaxShapes)
	add("max-points", c.MaxPoints)
	add("max-coverage", c.MaxCoverage)
	add("max-pixels", c.MaxPixels)
	add("max-side", c.MaxSide)
	add("max-text", c.MaxText)
	add("max-coordinate", c.MaxCoordinate)
	add("max-ratio", c.MaxRatio)
	add("max-actions", c.MaxActions)
	add("max-paint", c.MaxPaint)
	add("max-response", c.MaxResponse)
	add("max-asset", c.MaxAsset)
	add("max-asset-pixels", c.MaxAssetPx)
	if c.JudgeURL != "" {
		add("judge-model", c.JudgeModel)
		add("judge-temperature", c.JudgeTemperature)
		add("judge-max-tokens", c.JudgeMaxTokens)
		add("judge-fence", c.JudgeFence)
	}
	for suite, path := range j.config.TaskFile {
		sum, err := jobs.HashFile(path)
		if err != nil {
			return nil, err
		}
		all["content of --tasks of "+suite] = sum
	}
	for i, path := range c.Requests {
		sum, err := jobs.HashFile(path)
		if err != nil {
			return nil, err
		}
		all[fmt.Sprintf("content of --requests %d", i+1)] = sum
	}
	return all, nil
}

// sortedWords returns the texts of a list, sorted and separated by spaces.
func sortedWords(list []string) string {
	return strings.Join(slices.Sorted(slices.Values(list)), " ")
}

// unfinished is the exit code of --status for a job that is not done.
const unfinished = 3

// statusStore returns the store of the job whose status is wanted: an object store, or a folder, whose
// suffix .job may be left out. If the folder is gone and its output is there, finished is a text that
// says so, and there is no store.
func (c *scoreCmd) statusStore() (store jobs.Store, finished string, err error) {
	if address.Is(c.Status) {
		store, err = openBucket(&address.Options{Endpoint: c.S3Endpoint, Region: c.S3Region}, c.Status)
		return store, "", err
	}
	dir := c.Status
	if !strings.HasSuffix(dir, jobs.Suffix) {
		dir += jobs.Suffix
	}
	if _, err := os.Stat(dir); err != nil {
		output := strings.TrimSuffix(dir, jobs.Suffix)
		if info, e := os.Stat(output); e == nil && info.Mode().IsRegular() {
			return nil, fmt.Sprintf("%s is finished: it has %d bytes", output, info.Size()), nil
		}
		return nil, "", fmt.Errorf("cannot open job %s: %w; want the folder FILE.job of plumb score -o FILE", c.Status, err)
	}
	return jobs.NewFolder(dir), "", nil
}

// status prints how far a job is: shards, lines, the rate and the time left, and the parts in which
// processes ended. A job that is not finished is an error with an exit code of its own. See
// docs/spec/jobs.md#r6.
func (c *scoreCmd) status(std streams) error {
	store, finished, err := c.statusStore()
	if err != nil {
		return err
	}
	if finished != "" {
		fmt.Fprintln(std.out, finished)
		return nil
	}
	j, err := jobs.Open(store)
	if err != nil {
		return fmt.Errorf("cannot tell the status of %s: %w", store.Path(""), err)
	}
	s, err := j.Status()
	if err != nil {
		return err
	}
	died, running, err := j.Begun()
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "shards: %d of %d done, %d running, %d failed\n", s.Done, s.Shards, len(running), len(died))
	of := fmt.Sprintf(" of %s", grouped(s.Lines))
	if s.Whole {
		of = " (some inputs are not counted before they are read)"
	}
	fmt.Fprintf(std.out, "lines:  %s%s scored\n", grouped(s.Scored), of)
	if rate := s.Rate(); rate > 0 {
		fmt.Fprintf(std.out, "rate:   %.0f lines/s, from the first part to the last\n", rate)
		if left := s.Lines - s.Scored; !s.Whole && left > 0 && s.Done < s.Shards {
			fmt.Fprintf(std.out, "left:   %s at that rate\n", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
		}
	}
	inOrder := func(a, b jobs.Part) int { return cmp.Or(a.Shard-b.Shard, a.Chunk-b.Chunk) }
	for _, p := range slices.SortedFunc(maps.Keys(died), inOrder) {
		fmt.Fprintf(std.out, "failed: shard %d, part %d: %d processes ended while it was under way\n", p.Shard, p.Chunk, died[p])
	}
	if s.Done == s.Shards {
		fmt.Fprintln(std.out, "all shards are done: the command that began the job writes the output")
		return nil
	}
	return exitError{fmt.Errorf("%s is not finished: start the command that began it again to go on", store.Path("")), unfinished}
}
