package text

import "plumb/render/font"

// appendGlyphs appends shaped glyphs to l.lineGlyphs, the glyphs of a line, and returns l.lineGlyphs. The cluster
// of a glyph, the byte of the text that it stands for, counts from the start of what was shaped; adding base, the
// position of that start, makes it a position in the paragraph.
func (l *Layouter) appendGlyphs(glyphs []font.Glyph, base int) []font.Glyph {
	for _, g := range glyphs {
		g.Cluster += int32(base)
		l.lineGlyphs = append(l.lineGlyphs, g)
	}
	return l.lineGlyphs
}

// shapeAgain shapes text[from:to] of the paragraph by itself and appends its glyphs to l.lineGlyphs,
// which it returns. It is used at the ends of lines, because glyphs there depend on where the line
// breaks.
func (l *Layouter) shapeAgain(face *font.Face, from, to int) ([]font.Glyph, error) {
	glyphs, err := face.Shape(l.text[from:to])
	if err != nil {
		return nil, err
	}
	return l.appendGlyphs(glyphs, from), nil
}

// safeAfter returns the first position at or after byte at where a line break changes no glyph of
// the item, and the index of the glyph that begins there. It returns end and 0 if there is none
// before end. Elsewhere glyphs are joined or kerned across the break, and must be shaped again.
func safeAfter(glyphs []font.Glyph, at, end int) (pos, i int) {
	for i := glyphAt(glyphs, at); i < len(glyphs) && int(glyphs[i].Cluster) < end; i++ {
		if !glyphs[i].UnsafeToBreak && startsCluster(glyphs, i) {
			return int(glyphs[i].Cluster), i
		}
	}
	return end, 0
}

// safeBefore returns the last position at or before byte at where a line break changes no glyph of
// the item, and the index of the glyph that begins there. It returns start and 0 if there is none
// after start.
func safeBefore(glyphs []font.Glyph, at, start int) (pos, i int) {
	for i := glyphAt(glyphs, at+1) - 1; i >= 0 && int(glyphs[i].Cluster) > start; i-- {
		if !glyphs[i].UnsafeToBreak && startsCluster(glyphs, i) {
			return int(glyphs[i].Cluster), i
		}
	}
	return start, 0
}
