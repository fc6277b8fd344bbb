package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"plumb/daemon/api"
	"plumb/daemon/dump"
)

// taskFiles reads task files again when they change. A file that cannot be read leaves its tasks as
// they were, with an error in the log and in the metrics. See docs/spec/episodes.md#r13.
type taskFiles struct {
	log     *slog.Logger
	tasks   map[string]*dump.Tasks // by dump.TasksKey
	changed func()                 // called after a file was read

	mu     sync.Mutex        // guards what follows, and one reading at a time
	seen   map[string]string // sizes and times of the files at the last reading
	stale  map[string]bool   // the last reading failed
	counts api.TaskFiles
}

// newTaskFiles returns the watcher of a core's task files, which were read just before, and
// registers its counts in the metrics.
func newTaskFiles(core *Core, m *api.Metrics, log *slog.Logger) *taskFiles {
	f := &taskFiles{log: log, tasks: core.Items.Tasks, changed: core.Queue.TasksChanged, seen: map[string]string{},
		stale: map[string]bool{}}
	for key, t := range f.tasks {
		f.seen[key] = fileState(t.Path())
	}
	m.Tasks(func() api.TaskFiles {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.counts
	})
	return f
}

// fileState returns the size and the time of a task file, by which a change is noticed; "" where
// there is none.
func fileState(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano())
}

// reload reads all files again, whether they have changed or not.
func (f *taskFiles) reload() {
	for _, key := range slices.Sorted(maps.Keys(f.tasks)) {
		f.readAgain(key, fileState(f.tasks[key].Path()))
	}
}

// readAgain reads one task file again. now is the state of the file. If that fails, the
// tasks stay as they were and count as stale.
func (f *taskFiles) readAgain(key, now string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tasks[key]
	f.seen[key] = now
	err := t.Reload()
	if err != nil {
		f.counts.Failed++
		f.stale[key] = true
		f.log.Error("tasks are as before", "tasks", key, "error", api.Pathless(err.Error()))
	} else {
		f.counts.Read++
		delete(f.stale, key)
		f.log.Info("tasks were read again", "tasks", key, "count", t.Len())
		f.changed()
	}
	f.counts.Stale = len(f.stale)
}

// watch reads files that change again, until ctx ends. It reads a file after one interval
// without a further change, so that a file which is being written is not read in part.
func (f *taskFiles) watch(ctx context.Context) {
	if len(f.tasks) == 0 {
		return
	}
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	last := map[string]string{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for key, t := range f.tasks {
			now := fileState(t.Path())
			f.mu.Lock()
			seen := f.seen[key]
			f.mu.Unlock()
			if now != seen && now == last[key] {
				f.readAgain(key, now)
			}
			last[key] = now
		}
	}
}
