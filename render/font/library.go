// Package font turns strings into glyphs and glyphs into outlines with the fonts
// that tldraw ships. In: TTF files that scripts/fonts.sh made, text, sizes in
// px. Out: shaped runs in font units and outlines on the 1/64 px grid that the
// reference browser fills. It refuses text that these fonts cannot write as the
// browser does (ForeignError), by character.
package font

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	gofont "github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// Family is one of the four shipped families, in the order of scene.Font.
type Family uint8

// The families (tldraw-rendering.md 6.1). Heading is none of tldraw's: frames
// write their names in the system's Arial, which the reference machine had as
// Liberation Sans. It has one cut, and its file may be missing.
const (
	Draw Family = iota
	Sans
	Serif
	Mono
	Heading
)

// Style names one font file.
type Style struct {
	Family       Family
	Bold, Italic bool
}

// shipped is the number of tldraw's own styles: four families, each in four
// cuts. faces counts the font of headings too.
const (
	shipped = 16
	faces   = shipped + 1
)

func (s Style) index() int {
	if s.Family == Heading {
		return shipped
	}
	i := int(s.Family) * 4
	if s.Bold {
		i++
	}
	if s.Italic {
		i += 2
	}
	return i
}

// files in the order of Style.index: normal, bold, italic, bold italic.
var files = [faces]string{
	"Shantell_Sans-Informal_Regular", "Shantell_Sans-Informal_Bold",
	"Shantell_Sans-Informal_Regular_Italic", "Shantell_Sans-Informal_Bold_Italic",
	"IBMPlexSans-Medium", "IBMPlexSans-Bold", "IBMPlexSans-MediumItalic", "IBMPlexSans-BoldItalic",
	"IBMPlexSerif-Medium", "IBMPlexSerif-Bold", "IBMPlexSerif-MediumItalic", "IBMPlexSerif-BoldItalic",
	"IBMPlexMono-Medium", "IBMPlexMono-Bold", "IBMPlexMono-MediumItalic", "IBMPlexMono-BoldItalic",
	"LiberationSans-Regular",
}

// Library is a folder of fonts. Files are read when first asked for; a Library
// is safe for concurrent use and shared by all workers.
type Library struct {
	dir   string
	fonts [faces]struct {
		once sync.Once
		file *file
		err  error
	}
}

// file is one parsed font, read-only.
type file struct {
	name            string
	font            *gofont.Font
	glyphs          glyphTable
	units           int // per em
	ascent, descent int // hhea, units, both positive downwards and upwards from the baseline
	underline       int // thickness of an underline, units
}

// Open returns the library in dir. It checks that tldraw's 16 files are there,
// so that a missing set-up is reported at start and not with the first text. The
// font of headings is looked for when it is needed.
func Open(dir string) (*Library, error) {
	for _, name := range files[:shipped] {
		p := filepath.Join(dir, name+".ttf")
		if _, err := os.Stat(p); err != nil {
			return nil, fmt.Errorf("cannot open fonts: %w; want 16 files in %s, made by scripts/fonts.sh", err, dir)
		}
	}
	return &Library{dir: dir}, nil
}

// load returns the font of a style, parsed once for all workers.
func (l *Library) load(s Style) (*file, error) {
	e := &l.fonts[s.index()]
	e.once.Do(func() { e.file, e.err = parse(l.dir, files[s.index()]) })
	return e.file, e.err
}

func parse(dir, name string) (*file, error) {
	b, err := os.ReadFile(filepath.Join(dir, name+".ttf"))
	if err != nil {
		return nil, fmt.Errorf("cannot read font: %w", err)
	}
	ld, err := ot.NewLoader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("cannot parse font %s: %w", name, err)
	}
	ft, err := gofont.NewFont(ld)
	if err != nil {
		return nil, fmt.Errorf("cannot parse font %s: %w", name, err)
	}
	f := &file{name: name, font: ft, units: int(ft.Upem())}
	if err := f.metrics(ld); err != nil {
		return nil, fmt.Errorf("cannot read metrics of font %s: %w", name, err)
	}
	if f.glyphs, err = newGlyphTable(ld, f.units); err != nil {
		return nil, fmt.Errorf("cannot read outlines of font %s: %w", name, err)
	}
	return f, nil
}

// metrics reads ascent and descent from hhea: the browser uses these as long as
// the font does not ask for its typographic ones, which none of the 16 does.
func (f *file) metrics(ld *ot.Loader) error {
	hhea, err := table(ld, "hhea", 36)
	if err != nil {
		return err
	}
	post, err := table(ld, "post", 12)
	if err != nil {
		return err
	}
	f.ascent, f.descent = int(i16(hhea, 4)), -int(i16(hhea, 6))
	f.underline = int(i16(post, 10))
	return nil
}

// table returns a raw table of at least min bytes.
func table(ld *ot.Loader, tag string, min int) ([]byte, error) {
	b, err := ld.RawTable(ot.MustNewTag(tag))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", tag, err)
	}
	if len(b) < min {
		return nil, fmt.Errorf("table %s has %d bytes; want %d or more", tag, len(b), min)
	}
	return b, nil
}

func u16(b []byte, i int) uint16 { return uint16(b[i])<<8 | uint16(b[i+1]) }
func i16(b []byte, i int) int16  { return int16(u16(b, i)) }
