// Package font turns strings into glyphs and glyphs into outlines with the fonts that tldraw ships and, for
// the names of frames, Liberation Sans. In: TTF files that scripts/fonts.sh made, text, sizes in
// px. Out: shaped runs in font units and outlines on the 1/64 px grid that the
// reference browser fills. It refuses text that these fonts cannot write as the
// browser does (ForeignError), by character.
//
// go-text/typesetting stays at v0.3.0. v0.3.5 silently applies no kerning in the draw
// font, whose kern feature spans two formats of pair tables: "blue hexagon" is then
// 7013 units wide instead of 6983. A test keeps such strings.
package font

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	gofont "github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
)

// Family is one of the four shipped families, in the order of scene.Font.
type Family uint8

// The families. Heading is not one of tldraw's: frames write their names in the system's Arial,
// which the reference machine had as Liberation Sans. It has one cut, and its file may be
// missing. See docs/spec/drawing.md#r40.
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

// tldrawFonts is the number of tldraw's own styles: four families, each in four
// cuts. faces counts the font of headings too.
const (
	tldrawFonts = 16
	faces       = tldrawFonts + 1
)

// index returns the position of the style's font in the list of files: four cuts for each family
// (normal, bold, italic, bold italic), and last the font of headings.
func (style Style) index() int {
	if style.Family == Heading {
		return tldrawFonts
	}
	i := int(style.Family) * 4
	if style.Bold {
		i++
	}
	if style.Italic {
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

// Library is a folder of font files. Open reads all of them, so that a later lack of file
// descriptors cannot break a text; a font is parsed at its first use. A Library is safe for
// concurrent use and shared by all workers.
type Library struct {
	dir   string
	fonts [faces]struct {
		data []byte // of the file; nil where there is none
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
	ascent, descent int // above and below the baseline, both positive, in units; of the table hhea
	underline       int // thickness of an underline, units
}

// Open reads the library in dir. tldraw's 16 files must be there; the font of
// headings may be missing.
func Open(dir string) (*Library, error) {
	library := &Library{dir: dir}
	for i, name := range files {
		data, err := os.ReadFile(filepath.Join(dir, name+".ttf"))
		if err != nil && (i < tldrawFonts || !errors.Is(err, fs.ErrNotExist)) {
			return nil, fmt.Errorf("cannot open fonts: %w; want 16 files in %s, made by scripts/fonts.sh", err, dir)
		}
		library.fonts[i].data = data
	}
	return library, nil
}

// load returns the parsed font of a style, shared by all workers. The first call parses it; its error stays. A
// font whose file was missing is an error that wraps fs.ErrNotExist.
func (library *Library) load(s Style) (*file, error) {
	i := s.index()
	entry := &library.fonts[i]
	entry.once.Do(func() {
		if entry.data == nil {
			path := filepath.Join(library.dir, files[i]+".ttf")
			entry.err = fmt.Errorf("cannot read font: %w", &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist})
			return
		}
		entry.file, entry.err = parse(files[i], entry.data)
	})
	return entry.file, entry.err
}

// parse parses the bytes of a font file: its tables, the metrics that lines of text need, and the
// outlines of its glyphs.
func parse(name string, b []byte) (*file, error) {
	ld, err := ot.NewLoader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("cannot parse font %s: %w", name, err)
	}
	ft, err := gofont.NewFont(ld)
	if err != nil {
		return nil, fmt.Errorf("cannot parse font %s: %w", name, err)
	}
	f := &file{name: name, font: ft, units: int(ft.Upem())}
	if err := f.readMetrics(ld); err != nil {
		return nil, fmt.Errorf("cannot read metrics of font %s: %w", name, err)
	}
	if f.glyphs, err = newGlyphTable(ld, f.units); err != nil {
		return nil, fmt.Errorf("cannot read outlines of font %s: %w", name, err)
	}
	return f, nil
}

// readMetrics reads ascent, descent and the thickness of underlines from the font's tables hhea and post.
// The browser takes ascent and descent from hhea unless the font asks for its typographic ones, which none
// of the 16 does. The bare numbers are least lengths and offsets in bytes, as OpenType defines the tables.
func (file *file) readMetrics(ld *ot.Loader) error {
	hhea, err := table(ld, "hhea", 36)
	if err != nil {
		return err
	}
	post, err := table(ld, "post", 12)
	if err != nil {
		return err
	}
	file.ascent, file.descent = int(i16(hhea, 4)), -int(i16(hhea, 6))
	file.underline = int(i16(post, 10))
	return nil
}

// table returns the raw table of a font file with that tag; one of fewer than least bytes is an error.
func table(ld *ot.Loader, tag string, least int) ([]byte, error) {
	data, err := ld.RawTable(ot.MustNewTag(tag))
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", tag, err)
	}
	if len(data) < least {
		return nil, fmt.Errorf("table %s has %d bytes; want %d or more", tag, len(data), least)
	}
	return data, nil
}

// u16 and i16 read big-endian integers at byte i.
func u16(b []byte, i int) uint16 { return uint16(b[i])<<8 | uint16(b[i+1]) }
func i16(b []byte, i int) int16  { return int16(u16(b, i)) }
