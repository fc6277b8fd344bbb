package text

import (
	"errors"
	"fmt"
	"sync"

	"plumb/render/font"
)

// ErrFonts marks a text on a machine without the fonts: nothing is wrong with the scene,
// and another machine can draw it.
var ErrFonts = errors.New("no fonts to write with")

// Writer is what one goroutine needs to lay out texts: fonts with the texts that they have
// shaped, and a layout whose memory is used again.
type Writer struct {
	*Layouter
	Page Layout
	// Painter is memory that the user of the writer keeps with it, such as glyphs that
	// were cut before; nil in a new writer.
	Painter any
}

// writers are the free writers. It is a list and not a sync.Pool, because a writer that the
// garbage collector dropped would have to shape all its texts again.
var writers struct {
	mu   sync.Mutex
	free []*Writer
}

// Take returns a free writer, or a new one. The error wraps ErrFonts where there are no
// fonts.
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
