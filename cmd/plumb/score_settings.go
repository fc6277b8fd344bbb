package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"plumb/daemon/jobs"
	"plumb/daemon/records/address"
	"plumb/scoring/plural"
)

// settings returns all settings that can change a result, by the names of their flags, and the hashes
// of the task files and of the files of --requests. A run goes on only if they are the same. Flags that
// cannot change a result, such as --workers, --batch, --server and those of tables, are left out, and so
// are empty values. See docs/spec/jobs.md#r5.
func (j *job) settings() (map[string]string, error) {
	scoreCmd := j.cmd
	all := map[string]string{}
	add := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "[]" { // "[]" is an empty list
			all["--"+name] = text
		}
	}
	add("suite", scoreCmd.Suite)
	add("variant", sortedWords(scoreCmd.Variant)) // their order has no effect
	add("reward", scoreCmd.Reward)
	add("format", scoreCmd.Format)
	add("join", scoreCmd.Join)
	add("response", scoreCmd.Response)
	add("model", scoreCmd.Model)
	add("cut", scoreCmd.Cut)
	add("errored", scoreCmd.Errored)
	add("backend", scoreCmd.Backend)
	add("fidelity", scoreCmd.Fidelity)
	add("raster", scoreCmd.Raster)
	add("tldraw", scoreCmd.Tldraw)
	add("deadline", scoreCmd.Deadline)
	add("max-line", scoreCmd.MaxLine)
	add("max-depth", scoreCmd.MaxDepth)
	add("max-values", scoreCmd.MaxValues)
	add("max-shapes", scoreCmd.MaxShapes)
	add("max-points", scoreCmd.MaxPoints)
	add("max-coverage", scoreCmd.MaxCoverage)
	add("max-pixels", scoreCmd.MaxPixels)
	add("max-side", scoreCmd.MaxSide)
	add("max-text", scoreCmd.MaxText)
	add("max-coordinate", scoreCmd.MaxCoordinate)
	add("max-ratio", scoreCmd.MaxRatio)
	add("max-actions", scoreCmd.MaxActions)
	add("max-paint", scoreCmd.MaxPaint)
	add("max-response", scoreCmd.MaxResponse)
	add("max-asset", scoreCmd.MaxAsset)
	add("max-asset-pixels", scoreCmd.MaxAssetPx)
	// The judge decides on results only if there is one.
	if scoreCmd.JudgeURL != "" {
		add("judge-model", scoreCmd.JudgeModel)
		add("judge-temperature", scoreCmd.JudgeTemperature)
		add("judge-max-tokens", scoreCmd.JudgeMaxTokens)
		add("judge-fence", scoreCmd.JudgeFence)
	}
	// Files count by their content.
	for suite, path := range j.config.TaskFile {
		sum, err := jobs.HashFile(path)
		if err != nil {
			return nil, err
		}
		all["content of --tasks of "+suite] = sum
	}
	for i, path := range scoreCmd.Requests {
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

// statusStore returns the store of the job that --status names: an object store at an address, or a
// folder, whose suffix .job may be left out. A finished run has removed its folder. If the folder is gone
// and its output is there, finished is a text that says so, and there is no store.
func (cmd *scoreCmd) statusStore() (store jobs.Store, finished string, err error) {
	if address.Is(cmd.Status) {
		store, err = openBucket(&address.Options{Endpoint: cmd.S3Endpoint, Region: cmd.S3Region}, cmd.Status)
		return store, "", err
	}
	dir := cmd.Status
	if !strings.HasSuffix(dir, jobs.Suffix) {
		dir += jobs.Suffix
	}
	if _, err := os.Stat(dir); err != nil {
		output := strings.TrimSuffix(dir, jobs.Suffix)
		if info, e := os.Stat(output); e == nil && info.Mode().IsRegular() {
			return nil, fmt.Sprintf("%s is finished: it has %d bytes", output, info.Size()), nil
		}
		return nil, "", fmt.Errorf("cannot open job %s: %w; want the folder FILE.job of plumb score -o FILE", cmd.Status, err)
	}
	return jobs.NewFolder(dir), "", nil
}

// status prints how far a job is: how many shards and lines are done, the rate and the time left, how
// many parts are under way, and which parts failed, because their process was killed or died. A job that
// is not finished is an error with an exit code of its own. See docs/spec/jobs.md#r6.
func (cmd *scoreCmd) status(std streams) error {
	store, finished, err := cmd.statusStore()
	if err != nil {
		return err
	}
	if finished != "" {
		fmt.Fprintln(std.out, finished)
		return nil
	}
	job, err := jobs.Open(store)
	if err != nil {
		return fmt.Errorf("cannot tell the status of %s: %w", store.Path(""), err)
	}
	status, err := job.Status()
	if err != nil {
		return err
	}
	died, running, err := job.Begun()
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "shards: %d of %d done; parts of shards: %d running, %d failed\n", status.Done, status.Shards, len(running), len(died))
	printPace(std.out, &status)
	inOrder := func(a, b jobs.Part) int { return cmp.Or(a.Shard-b.Shard, a.Chunk-b.Chunk) }
	for _, p := range slices.SortedFunc(maps.Keys(died), inOrder) {
		fmt.Fprintf(std.out, "failed: shard %d, part %d: %s ended while it was under way\n", p.Shard, p.Chunk, plural.Of(died[p], "process", "processes"))
	}
	if status.Done == status.Shards {
		fmt.Fprintln(std.out, "all shards are done: the command that began the job writes the output")
		return nil
	}
	return exitError{fmt.Errorf("%s is not finished: start the command that began it again to go on", store.Path("")), unfinished}
}

// printPace prints how many lines of a job are scored, the rate in lines per second, and the time left at
// that rate. It leaves out what is not known.
func printPace(out io.Writer, status *jobs.Status) {
	total := fmt.Sprintf(" of %s", grouped(status.Lines))
	if status.Whole {
		total = " (some inputs are not counted before they are read)"
	}
	fmt.Fprintf(out, "lines:  %s%s scored\n", grouped(status.Scored), total)
	if rate := status.Rate(); rate > 0 {
		fmt.Fprintf(out, "rate:   %.0f lines/s, from the first part to the last\n", rate)
		if left := status.Lines - status.Scored; !status.Whole && left > 0 && status.Done < status.Shards {
			fmt.Fprintf(out, "left:   %s at that rate\n", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
		}
	}
}
