package font

import (
	"sync"

	"plumb/render/assets"
)

// Dir returns the folder of the fonts: explicit if given, else the environment's PLUMB_FONTS, else
// where assets.Dir finds fonts. It does not check the files; Open does, and names the folder in
// its error.
func Dir(explicit string) string { return assets.Dir(explicit, "PLUMB_FONTS", "fonts") }

// shared is the font library of the process. Bounds of shapes depend on fonts deep inside the
// packages for shapes, so the library is global instead of a parameter everywhere. It is opened
// once and never changes.
var shared struct {
	mu    sync.Mutex
	fonts *Library
}

// Use opens the fonts in dir, by default Dir(""), for the whole process. It must be called before
// the first text is laid out; later it affects only new Sets.
func Use(dir string) error {
	library, err := Open(Dir(dir))
	if err != nil {
		return err
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	shared.fonts = library
	return nil
}

// Default returns the library that Use has opened, by default that in Dir(""). After an error the
// next call tries again.
func Default() (*Library, error) {
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.fonts == nil {
		library, err := Open(Dir(""))
		if err != nil {
			return nil, err
		}
		shared.fonts = library
	}
	return shared.fonts, nil
}
