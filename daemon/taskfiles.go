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
	log      *slog.Logger
	tasks    map[string]*dump.Tasks // by dump.TasksKey
	onReload func()                 // called after a file was read

	mu         sync.Mutex        // guards what follows, and one reading at a time
	seenStates map[string]string // sizes and times of the files at the last reading
	stale      map[string]bool   // the last reading failed
	counts     api.TaskFiles
}

// newTaskFiles returns the watcher of a core's task files, which were read just before, and
// registers its counts in the metrics.
func newTaskFiles(core *Core, metrics *api.Metrics, log *slog.Logger) *taskFiles {
	files := &taskFiles{log: log, tasks: core.Items.Tasks, onReload: core.Queue.TasksChanged, seenStates: map[string]string{},
		stale: map[string]bool{}}
	for key, t := range files.tasks {
		files.seenStates[key] = fileState(t.Path())
	}
	metrics.RegisterTaskFiles(func() api.TaskFiles {
		files.mu.Lock()
		defer files.mu.Unlock()
		return files.counts
	})
	return files
}

// fileState returns the size and the time of a task file, by which a change is noticed; "" where
// there is none.
func fileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// reload reads all files again, whether they have changed or not.
func (files *taskFiles) reload() {
	for _, key := range slices.Sorted(maps.Keys(files.tasks)) {
		files.readAgain(key, fileState(files.tasks[key].Path()))
	}
}

// readAgain reads one task file again. state is that of the file now. If that fails, the
// tasks stay as they were and count as stale.
func (files *taskFiles) readAgain(key, state string) {
	files.mu.Lock()
	defer files.mu.Unlock()
	tasks := files.tasks[key]
	files.seenStates[key] = state
	err := tasks.Reload()
	if err != nil {
		files.counts.Failed++
		files.stale[key] = true
		files.log.Error("tasks are as before", "tasks", key, "error", api.Pathless(err.Error()))
	} else {
		files.counts.Read++
		delete(files.stale, key)
		files.log.Info("tasks were read again", "tasks", key, "count", tasks.Len())
		files.onReload()
	}
	files.counts.Stale = len(files.stale)
}

// watch reads files that change again, until ctx ends. It reads a file after one interval
// without a further change, so that a file which is being written is not read in part.
func (files *taskFiles) watch(ctx context.Context) {
	if len(files.tasks) == 0 {
		return
	}
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	stateBefore := map[string]string{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for key, t := range files.tasks {
			state := fileState(t.Path())
			files.mu.Lock()
			seen := files.seenStates[key]
			files.mu.Unlock()
			if state != seen && state == stateBefore[key] { // it has changed, but not in the last interval
				files.readAgain(key, state)
			}
			stateBefore[key] = state
		}
	}
}
