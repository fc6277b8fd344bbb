package font

import (
	"sync"

	"plumb/render/assets"
)

// Dir returns the folder that holds the fonts: explicit when given, else the
// environment's PLUMB_FONTS, else where assets.Dir finds fonts. Whether the files
// are there is for Open to say, so that its error names the folder that was
// looked at.
func Dir(explicit string) string { return assets.Dir(explicit, "PLUMB_FONTS", "fonts") }

// shared is the library of the process. Bounds of shapes depend on fonts and
// are asked for far from where a program is set up, so the fonts are found here
// and not handed down; they are opened once and never change.
var shared struct {
	mu    sync.Mutex
	fonts *Library
}

// Use opens the fonts in dir, chosen by Dir when empty, for the whole process.
// It belongs before the first text; later it has effect only on new Sets.
func Use(dir string) error {
	l, err := Open(Dir(dir))
	if err != nil {
		return err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.fonts = l
	return nil
}

// Default returns the library of Use, by default that in Dir(""). A missing set
// of fonts is looked for again at the next call.
func Default() (*Library, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.fonts == nil {
		l, err := Open(Dir(""))
		if err != nil {
			return nil, err
		}
		shared.fonts = l
	}
	return shared.fonts, nil
}
