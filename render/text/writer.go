package text

import (
	"errors"
	"fmt"
	"sync"

	"plumb/render/font"
)

// ErrFonts marks a text that cannot be laid out because this machine has no fonts; the scene may
// be valid.
var ErrFonts = errors.New("no fonts to write with")

// Writer is what one goroutine needs to lay out texts: fonts with a cache of shaped texts, and a
// layout whose memory is reused.
type Writer struct {
	*Layouter
	Page Layout
	// Painter is memory that the user of the writer keeps with it, such as masks of glyphs that
	// were drawn before; nil in a new writer.
	Painter any
}

// writers are the free writers. It is a list and not a sync.Pool, because the garbage collector
// would drop the caches of shaped texts with a pooled writer.
var writers struct {
	mu   sync.Mutex
	free []*Writer
}

// Take returns a free writer, or a new one. The error wraps ErrFonts if the machine has no fonts.
func Take() (*Writer, error) {
	writers.mu.Lock()
	if n := len(writers.free); n > 0 {
		w := writers.free[n-1]
		writers.free = writers.free[:n-1]
		writers.mu.Unlock()
		return w, nil
	}
	writers.mu.Unlock()
	lib, err := font.Default()
	if err != nil {
		return nil, fmt.Errorf("cannot write text: %w: %w", ErrFonts, err)
	}
	return &Writer{Layouter: New(lib.NewSet())}, nil
}

// GiveBack makes the writer free for another goroutine.
func (w *Writer) GiveBack() {
	writers.mu.Lock()
	defer writers.mu.Unlock()
	writers.free = append(writers.free, w)
}
