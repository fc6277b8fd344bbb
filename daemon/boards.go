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
func (b *boards) open() (*ask.Boards, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened != nil {
		return b.opened, nil
	}
	var err error
	b.opened, err = ask.NewBoards(b.limits, b.cache)
	return b.opened, err
}

// prompts returns the prompter that tells clients what models are asked, and sets d.boards,
// which it draws with.
func (d *running) prompts(core *Core) *ask.Prompter {
	d.boards = &boards{limits: d.cfg.Core.Scenes, cache: d.cfg.Core.Engine.TallyCache}
	return &ask.Prompter{Suites: core.Items.Suites, Tasks: core.Items.Tasks, Boards: d.boards.open}
}

// addImages adds what was drawn to the counts of the other engine's images.
func (b *boards) addImages(counts *api.TallyCounts) {
	b.mu.Lock()
	opened := b.opened
	b.mu.Unlock()
	if opened == nil {
		return
	}
	edits, full, bytes := opened.Images()
	counts.ImageEdits += edits
	counts.ImagesFull += full
	counts.ImageBytes += bytes
}

// close ends the renderer, where there is one. b may be nil.
func (b *boards) close() error {
	if b == nil || b.opened == nil {
		return nil
	}
	return b.opened.Close()
}
