package daemon

import (
	"sync"

	"plumb/daemon/ask"
	"plumb/render/scene"
)

// boards opens the renderer of prompts when the first picture is asked for. It is apart from the
// engine that scores, in plain Go, so that pictures are the same on every machine.
type boards struct {
	limits scene.Limits

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
	b.opened, err = ask.NewBoards(b.limits)
	return b.opened, err
}

// prompts returns the prompter that tells clients what models are asked, and sets d.boards,
// which it draws with.
func (d *running) prompts(core *Core) *ask.Prompter {
	d.boards = &boards{limits: d.cfg.Core.Scenes}
	return &ask.Prompter{Suites: core.Items.Suites, Tasks: core.Items.Tasks, Boards: d.boards.open}
}

// close ends the renderer, where there is one. b may be nil.
func (b *boards) close() error {
	if b == nil || b.opened == nil {
		return nil
	}
	return b.opened.Close()
}
