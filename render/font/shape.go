package font

import (
	"fmt"
	"math"
	"unicode"

	gofont "github.com/go-text/typesetting/font"
	ot "github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"

	"plumb/render/vector"
)

// ForeignError names a character that the shipped fonts do not write as the
// browser would: it would take another font, or lay the text out in another
// direction.
type ForeignError struct {
	Rune rune
	Font string // file that was asked
	Why  string
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("cannot write %q (U+%04X) in %s: %s", e.Rune, e.Rune, e.Font, e.Why)
}

// Glyph is one shaped glyph; lengths are in font units.
type Glyph struct {
	ID            uint16
	UnsafeToBreak bool  // text cut before this glyph's cluster must be shaped again on both sides
	Cluster       int32 // byte offset of its first character in the shaped string
	Own           int32 // advance of the glyph alone, to the right
	Kern          int32 // what its neighbours add to that
	DX, DY        int32 // offset from the pen, to the right and up
	NoInk         bool  // nothing is drawn for it: a space
}

// Set is the fonts for one worker. It is not safe for concurrent use.
type Set struct {
	fonts   *Library
	faces   [faces]*Face
	buffer  *harfbuzz.Buffer
	runes   []rune
	offsets []int32
	points  []point
}

// NewSet returns a set of faces that share the library's fonts.
func (library *Library) NewSet() *Set {
	return &Set{fonts: library, buffer: harfbuzz.NewBuffer()}
}

// Face is one font for one worker.
type Face struct {
	set          *Set
	file         *file
	hb           *harfbuzz.Font
	runs         map[string][]Glyph // shaped texts, a cache
	tabularRuns  map[string][]Glyph // the same with digits of equal width
	cachedGlyphs int                // glyphs in both
}

// Face returns the face of a style, with which text is shaped. It reads the font's file at the first
// call and keeps the face.
func (set *Set) Face(style Style) (*Face, error) {
	i := style.index()
	if set.faces[i] != nil {
		return set.faces[i], nil
	}
	file, err := set.fonts.load(style)
	if err != nil {
		return nil, err
	}
	set.faces[i] = &Face{
		set: set, file: file, hb: harfbuzz.NewFont(gofont.NewFace(file.font)),
		runs: map[string][]Glyph{}, tabularRuns: map[string][]Glyph{},
	}
	return set.faces[i], nil
}

// Name returns the file's name without its ending.
func (face *Face) Name() string { return face.file.name }

// Ascent returns round(ascent * size), in px above the baseline. See docs/spec/drawing.md#r43.
func (face *Face) Ascent(size float64) float64 { return face.round(face.file.ascent, size) }

// Descent returns round(descent * size), in px below the baseline.
func (face *Face) Descent(size float64) float64 { return face.round(face.file.descent, size) }

// round converts font units to whole px.
func (face *Face) round(v int, size float64) float64 {
	return math.Floor(float64(v)*size/float64(face.file.units) + 0.5)
}

// Advance returns the advance of a shaped glyph in px, at size px per em. As the browser does, it scales the
// glyph's own advance by a factor that is rounded to 1/65536, and what kerning adds by the exact one; over a
// line this moves widths by up to 1/64 px.
func (face *Face) Advance(g Glyph, size float64) float32 {
	own := (int64(g.Own)*face.file.glyphs.scale(size) + 32) >> 6 // from 1/64 px in 16.16 to px in 16.16
	return float32(float64(own)/65536) + face.Pixels(g.Kern, size)
}

// ZeroWidth returns the CSS unit ch in px: the advance of the nominal glyph of '0', without
// substitutions.
func (face *Face) ZeroWidth(size float64) float64 {
	id, _ := face.file.font.NominalGlyph('0')
	return float64(face.Advance(Glyph{Own: face.file.glyphs.advance(int(id))}, size))
}

// Pixels scales font units to px in steps of 1/65536, as the browser's shaper does.
func (face *Face) Pixels(v int32, size float64) float32 {
	return float32(math.Floor(float64(v)*size*65536/float64(face.file.units)+0.5) / 65536)
}

// maxCachedGlyphs is the number of glyphs that the caches of a face hold at most, about 3 MB.
const maxCachedGlyphs = 1 << 17

// Shape returns the glyphs of text, left to right, with the features that the browser has on by
// default. See docs/spec/drawing.md#r44. The face keeps no reference to text. The result is
// shared and read-only; it stays valid when later calls drop it from the cache. text must hold
// no line breaks or tabs. Errors are *ForeignError.
func (face *Face) Shape(text []byte) ([]Glyph, error) {
	return face.cached(face.runs, text, nil)
}

// ShapeTabular is Shape with digits of equal width, as numbers of lists have.
func (face *Face) ShapeTabular(text []byte) ([]Glyph, error) {
	return face.cached(face.tabularRuns, text, tabular)
}

var tabular = []harfbuzz.Feature{{
	Tag: ot.MustNewTag("tnum"), Value: 1, Start: harfbuzz.FeatureGlobalStart, End: harfbuzz.FeatureGlobalEnd,
}}

// cached returns the shaped glyphs of a text from a cache, and shapes the text if it is not there.
// All caches of a face are emptied when they are full.
func (face *Face) cached(runs map[string][]Glyph, text []byte, features []harfbuzz.Feature) ([]Glyph, error) {
	if run, ok := runs[string(text)]; ok {
		return run, nil
	}
	run, err := face.shape(string(text), features)
	if err != nil {
		return nil, err
	}
	face.cachedGlyphs += len(run)
	if face.cachedGlyphs > maxCachedGlyphs {
		clear(face.runs)
		clear(face.tabularRuns)
		face.cachedGlyphs = len(run)
	}
	runs[string(text)] = run
	return run, nil
}

// shape turns a text into glyphs with HarfBuzz, one run of characters of one script (Latin, Greek) after the
// other. A character that the browser would write in another way is a *ForeignError.
func (face *Face) shape(text string, features []harfbuzz.Feature) ([]Glyph, error) {
	set := face.set
	set.runes, set.offsets = set.runes[:0], set.offsets[:0]
	before := rune(-1)
	for i, r := range text {
		why := foreignReason(r)
		if why == "" && r >= 0x80 {
			why = face.foreignHere(r, before)
		}
		before = r
		if why != "" {
			return nil, &ForeignError{Rune: r, Font: face.file.name, Why: why}
		}
		set.runes = append(set.runes, r)
		set.offsets = append(set.offsets, int32(i))
	}
	var run []Glyph // of the whole text
	for from := 0; from < len(set.runes); {
		to, script := scriptRun(set.runes, from)
		set.buffer.Clear()
		set.buffer.AddRunes(set.runes, from, to-from)
		set.buffer.Props = harfbuzz.SegmentProperties{
			Direction: harfbuzz.LeftToRight, Script: script, Language: english,
		}
		set.buffer.Shape(face.hb, features)
		var err error
		if run, err = face.appendShaped(run); err != nil {
			return nil, err
		}
		from = to
	}
	return run, nil
}

// foreignHere returns why character r cannot be laid out in this font, or after the character before it, which
// is -1 at the start of the text; "" if it can. See docs/spec/drawing.md#r45.
func (face *Face) foreignHere(r, before rune) string {
	switch {
	case unicode.Is(unicode.Zs, r):
		if _, ok := face.file.font.NominalGlyph(r); !ok {
			return "the font has no such space"
		}
	case unicode.Is(unicode.Mn, r) && unicode.IsSpace(before):
		return "it is a mark on a space"
	case r == 'Ą' && face.file.name == "IBMPlexSans-Medium":
		return "the letter behind it is placed by other rules"
	}
	return ""
}

// english is the language that the browser shapes an export in.
var english = language.NewLanguage("en")

// appendShaped appends the glyphs in the shaping buffer to run, with the advance of each split into its own and
// what kerning adds. A character that the font lacks is a *ForeignError.
func (face *Face) appendShaped(run []Glyph) ([]Glyph, error) {
	set := face.set
	for i, info := range set.buffer.Info {
		if info.Glyph == 0 { // the font's glyph for missing characters
			missing := face.firstMissing(set.runes[info.Cluster:])
			return nil, &ForeignError{Rune: missing, Font: face.file.name, Why: "the font has no such character"}
		}
		data, err := face.file.glyphs.description(int(info.Glyph))
		if err != nil {
			return nil, fmt.Errorf("cannot shape text in %s: %w", face.file.name, err)
		}
		position, own := set.buffer.Pos[i], face.file.glyphs.advance(int(info.Glyph))
		if position.XAdvance == 0 { // a mark that takes no room, or a character that leaves no trace
			own = 0
		}
		run = append(run, Glyph{
			ID: uint16(info.Glyph), Cluster: set.offsets[info.Cluster],
			UnsafeToBreak: info.Mask&harfbuzz.GlyphUnsafeToBreak != 0,
			Own:           own, Kern: position.XAdvance - own, DX: position.XOffset, DY: position.YOffset, NoInk: len(data) == 0,
		})
	}
	return run, nil
}

// firstMissing returns the character for which a cluster has no glyph, for messages: the first one that the font
// lacks, which may be a mark after a letter that it has, else the first one.
func (face *Face) firstMissing(cluster []rune) rune {
	for _, r := range cluster {
		if _, ok := face.file.font.NominalGlyph(r); !ok {
			return r
		}
	}
	return cluster[0]
}

// scriptRun returns the end of the run of one script that starts at from. Characters of no script
// (digits, spaces, marks) belong to the script before them, at the start to the one after them.
func scriptRun(runes []rune, from int) (to int, script language.Script) {
	script = language.Common
	for to = from; to < len(runes); to++ {
		s := language.LookupScript(runes[to])
		if s == language.Common || s == language.Inherited || s == language.Unknown {
			continue
		}
		if script != language.Common && s != script {
			return to, script
		}
		script = s
	}
	if script == language.Common {
		script = language.Latin
	}
	return to, script
}

// foreignReason returns why a character cannot be laid out from left to right in one font, "" if
// it can. Scripts that the fonts lack are found as missing glyphs; these characters would vanish
// without a trace.
func foreignReason(r rune) string {
	switch {
	case r == 0x200E || r == 0x200F || r == 0x061C || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
		return "it changes the direction of the text"
	case r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF:
		return "it selects a variant, as emoji do"
	case r == 0x200D || r == 0x20E3 || r >= 0xE0000 && r <= 0xE007F:
		return "it joins characters, as emoji do"
	case r < 0x20 || r >= 0x7F && r < 0xA0 || r == 0x2028 || r == 0x2029:
		return "it is a control character"
	case unicode.Is(unicode.Co, r):
		return "it is a character for private use"
	case r == 0x3000 || r == 0x205F:
		return "lines break beside it by other rules"
	case r >= 0x300 && r != 0x200B && r != 0x2060 && r != 0xFEFF && unicode.In(r, unicode.Cf, ignorable):
		return "it is invisible and changes what stands beside it"
	}
	return ""
}

// ignorable are the characters of Default_Ignorable_Code_Point that are not in the
// category Cf: shaping leaves no trace of them where the font has none.
var ignorable = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x034F, 0x034F, 1}, {0x115F, 0x1160, 1}, {0x17B4, 0x17B5, 1}, {0x180B, 0x180F, 1}, {0x2065, 0x2065, 1},
		{0x3164, 0x3164, 1}, {0xFFA0, 0xFFA0, 1}, {0xFFF0, 0xFFF8, 1},
	},
	R32: []unicode.Range32{{0xE0000, 0xE0FFF, 1}},
}

// Outline appends the outline of a glyph at size px per em, with the baseline at y = 0 and the
// pen at x = 0, px, y down, every coordinate a multiple of 1/64 px. See
// docs/spec/raster.md#r24. A glyph without ink appends nothing.
func (face *Face) Outline(dst *vector.Path, id uint16, size float64) error {
	pts, err := face.file.glyphs.points(face.set.points[:0], int(id), size)
	face.set.points = pts[:0]
	if err != nil {
		return fmt.Errorf("cannot outline glyph in %s: %w", face.file.name, err)
	}
	appendContours(dst, pts)
	return nil
}
