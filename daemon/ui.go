package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/valyala/fastjson"

	"plumb/daemon/dump"
	"plumb/daemon/explorer"
	"plumb/daemon/index"
	"plumb/scoring"
)

// UIConfig configures the explorer of a daemon.
type UIConfig struct {
	Dir    string   // folder of results; "" for no explorer
	Pages  string   // folder of the built pages
	Papers [][]byte // documents with published tables, as in table.Options
	Flags  []string // with which plumb score reads the dumps
	// ResultCopies and DumpCopies are those of explorer.Config.
	ResultCopies, DumpCopies func(path string) (index.Copy, error)
}

// openUI makes the explorer of the daemon, if there is a folder of results. A daemon without tokens on a
// loopback address answers only requests whose Host is a loopback name: so a page of another site, whose
// name leads here, cannot read results through the user's browser.
func (running *running) openUI() {
	ui := running.cfg.UI
	if ui.Dir == "" {
		return
	}
	var hosts []string // nil: any
	opensPort := running.managerSockets.main == nil && running.cfg.Listen != ""
	if running.secrets.tokens.Len() == 0 && opensPort && rejectRemote(running.cfg.Listen, "--listen") == nil {
		hosts = loopbackNames
	}
	running.ui = explorer.New(explorer.Config{
		Title: ui.Dir, Jobs: func() ([]explorer.Job, error) { return FindJobs(ui.Dir) }, Items: running.core.Items, Variants: running.cfg.API.Variants, Papers: ui.Papers,
		Line: running.cfg.Core.Lines.Line, ResultCopies: ui.ResultCopies, DumpCopies: ui.DumpCopies, Engine: func() (explorer.Engine, error) { return ExploredBy(running.core, running.cfg.API.Variants), nil },
		Prompts: running.cfg.API.Prompts, Flags: ui.Flags, Client: ui.Pages, Version: running.cfg.API.Version.Version, Hosts: hosts, Log: running.cfg.Log})
	running.cfg.API.UI = running.ui.Handle
}

// Bounds of the search for jobs.
const (
	maxJobs  = 2000
	maxDepth = 4 // folders below the one that is searched
)

// FindJobs finds the jobs in a folder, at most maxJobs: the folder itself and each one in
// it, down to maxDepth, that has result files. The dumps of a job are the dump files beside
// them. The first line of a file tells what it is. Hidden folders and those of unfinished
// runs (*.job) are skipped.
func FindJobs(dir string) (jobs []explorer.Job, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(dir, path)
		if err != nil || relErr != nil {
			if path == dir {
				return err
			}
			return nil // a folder within that may not be read has no jobs
		}
		if !entry.IsDir() {
			return nil // files are looked at with their folder, below
		}
		if name != "." && (strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(name, ".job") ||
			strings.Count(name, string(filepath.Separator)) >= maxDepth) {
			return fs.SkipDir
		}
		j := explorer.Job{Name: name}
		names, _ := fs.Glob(os.DirFS(path), "*.jsonl*") // path itself is no pattern: folders may have brackets in their names
		for _, name := range names {
			f := filepath.Join(path, name)
			if end := filepath.Ext(f); end != ".jsonl" && end != ".gz" && end != ".zst" {
				continue
			}
			switch kindOf(f) {
			case "results":
				j.Results = append(j.Results, f)
			case "dump":
				j.Dumps = append(j.Dumps, f)
			}
		}
		if len(j.Results) > 0 {
			jobs = append(jobs, j)
		}
		if len(jobs) >= maxJobs {
			return fs.SkipAll
		}
		return nil
	})
	slices.SortFunc(jobs, func(a, b explorer.Job) int { return strings.Compare(a.Name, b.Name) })
	return jobs, err
}

// maxPeek is how many bytes of a first line are looked at.
const maxPeek = 16 << 20

// kindOf returns "results" or "dump" by the first line of a file, "" if it is neither or
// longer than maxPeek.
func kindOf(path string) string {
	reader, err := dump.Open(path, dump.Limits{Line: maxPeek})
	if err != nil {
		return ""
	}
	defer reader.Close()
	line, err := reader.Next()
	if err != nil || line.Fault != "" {
		return ""
	}
	value, err := fastjson.ParseBytes(line.Bytes)
	if err != nil || value.Type() != fastjson.TypeObject {
		return ""
	}
	if value.Exists("response") || value.Exists("actions") {
		return "dump"
	}
	if _, err := scoring.CheckResult(value); err == nil && value.Exists("metrics") {
		return "results"
	}
	return ""
}
