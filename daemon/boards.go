package daemon

import (
	"sync"

	"plumb/daemon/api"
	"plumb/daemon/ask"
	"plumb/render/scene"
)

// boards opens the renderer of prompts when the first picture is asked for. It is apart from the
// engine that scores, in plain Go, so that pictures are the same on every machine.
type boards struct {
	limits scene.Limits
	cache  int // bytes, as for ask.NewBoards

	mu     sync.Mutex
	opened *ask.Boards
}

// open returns the renderer of prompts, and starts it at the first call.
func (boards *boards) open() (*ask.Boards, error) {
	boards.mu.Lock()
	defer boards.mu.Unlock()
	if boards.opened != nil {
		return boards.opened, nil
	}
	var err error
	boards.opened, err = ask.NewBoards(boards.limits, boards.cache)
	return boards.opened, err
}

// prompts returns the prompter that tells clients what models are asked, and sets running.boards,
// which it draws with.
func (running *running) prompts(core *Core) *ask.Prompter {
	running.boards = &boards{limits: running.cfg.Core.Scenes, cache: running.cfg.Core.Engine.TallyCache}
	return &ask.Prompter{Suites: core.Items.Suites, Tasks: core.Items.Tasks, Boards: running.boards.open}
}

// addImages adds the numbers of images that the engine for prompts' pictures has drawn to counts,
// which hold those of the scoring engine. It adds nothing before that engine is opened.
func (boards *boards) addImages(counts *api.TallyCounts) {
	boards.mu.Lock()
	opened := boards.opened
	boards.mu.Unlock()
	if opened == nil {
		return
	}
	edits, full, bytes := opened.Images()
	counts.ImageEdits += edits
	counts.ImagesFull += full
	counts.ImageBytes += bytes
}

// close ends the renderer, where there is one. boards may be nil.
func (boards *boards) close() error {
	if boards == nil || boards.opened == nil {
		return nil
	}
	return boards.opened.Close()
}
