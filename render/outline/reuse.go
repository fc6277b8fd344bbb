package outline

import (
	"plumb/render/path"
	"plumb/render/scan"
	"plumb/render/scene"
)

// A task is drawn twice, before and after the answer, and most shapes stand
// where they stood. What the last drawing made of a shape is kept, and copied
// when the next one asks for the same.

// wanted is all that the items of a geo shape without label depend on.
type wanted struct {
	id            string
	m             path.Matrix
	width, height int
	mode          Raster
	rule          scan.Rule
	w, h, scale   float64
	geo           scene.GeoKind
	color         scene.Color
	size          scene.Size
	dash          scene.Dash
	fill          scene.Fill
}

// marks are positions in what a drawing is made of.
type marks struct{ items, segments, spans, bytes int }

// made is what one shape became: a range of a memory.
type made struct {
	wanted
	from, to marks
	draws    int
}

// memory holds what one drawing was made of, in paint order.
type memory struct {
	made     []made
	items    []Item
	segments []Segment
	coverage scan.Coverage
}

func (m *memory) reset() {
	m.made, m.items, m.segments = m.made[:0], m.items[:0], m.segments[:0]
	m.coverage.Reset()
}

func (m *memory) marks() marks {
	return marks{len(m.items), len(m.segments), len(m.coverage.Spans), len(m.coverage.Bytes)}
}

// reuse remembers the last drawing while the next one is made.
type reuse struct {
	last, next memory
	at         int // where in last the next shape is expected
}

// ahead is how many shapes may have gone between two drawings and still the next
// ones are found.
const ahead = 4

// rememberItems and rememberBytes bound what is remembered: large drawings are
// not repeated.
const (
	rememberItems = 1 << 12
	rememberBytes = 1 << 20
)

func (r *reuse) begin() {
	r.last, r.next = r.next, r.last
	r.next.reset()
	r.at = 0
}

// want describes a shape; ok is false for one that is always made anew.
func (b *Builder) want(sh *scene.Shape, growY float64, p *place) (w wanted, ok bool) {
	if sh.Kind != scene.Geo || sh.Rich != nil {
		return w, false
	}
	return wanted{
		id: sh.ID, m: p.m, width: b.d.Width, height: b.d.Height, mode: b.mode, rule: p.rule(),
		w: sh.W, h: sh.H + growY, scale: sh.Scale, geo: sh.Geo,
		color: sh.Color, size: sh.Size, dash: sh.Dash, fill: sh.Fill,
	}, true
}

// marks returns the end of the drawing.
func (b *Builder) marks() marks {
	return marks{len(b.d.Items), len(b.d.Segments), len(b.d.Coverage.Spans), len(b.d.Coverage.Bytes)}
}

// recall appends the items of an equal shape of the last drawing, and reports
// whether there was one.
func (b *Builder) recall(w *wanted, p *place) bool {
	r := &b.reuse
	for i := r.at; i < min(r.at+ahead, len(r.last.made)); i++ {
		k := &r.last.made[i]
		if k.wanted != *w {
			continue
		}
		at := len(b.d.Items)
		b.d.Items, b.d.Segments = carry(&r.last, k.from, k.to, b.d.Items, b.d.Segments, &b.d.Coverage)
		for j := range b.d.Items[at:] {
			it := &b.d.Items[at+j]
			it.Second, it.Shape, it.Clip = p.second, p.shape, p.clip
		}
		p.draws += k.draws
		r.at = i + 1
		return true
	}
	return false
}

// remember keeps what the drawing has from a mark on.
func (b *Builder) remember(w *wanted, from marks, p *place) {
	m := &b.reuse.next
	if len(m.items) > rememberItems || len(m.coverage.Bytes)+16*len(m.segments) > rememberBytes {
		return
	}
	k := made{wanted: *w, draws: p.draws, from: m.marks()}
	drawn := memory{items: b.d.Items, segments: b.d.Segments, coverage: b.d.Coverage}
	m.items, m.segments = carry(&drawn, from, b.marks(), m.items, m.segments, &m.coverage)
	k.to = m.marks()
	m.made = append(m.made, k)
}

// carry appends a range of m, with all positions set right.
func carry(m *memory, from, to marks, items []Item, segments []Segment, c *scan.Coverage) ([]Item, []Segment) {
	toSegment := int32(len(segments) - from.segments)
	toSpan := int32(len(c.Spans) - from.spans)
	toByte := int32(len(c.Bytes) - from.bytes)
	for _, it := range m.items[from.items:to.items] {
		if it.Scanned {
			it.First += toSpan
		} else {
			it.First += toSegment
		}
		items = append(items, it)
	}
	for _, s := range m.coverage.Spans[from.spans:to.spans] {
		if s.At != scan.Full {
			s.At += toByte
		}
		c.Spans = append(c.Spans, s)
	}
	c.Bytes = append(c.Bytes, m.coverage.Bytes[from.bytes:to.bytes]...)
	return items, append(segments, m.segments[from.segments:to.segments]...)
}
