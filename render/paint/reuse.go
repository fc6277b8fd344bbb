package paint

import (
	"slices"

	"plumb/render/chord"
	"plumb/render/scan"
	"plumb/render/scene"
	"plumb/render/vector"
	"plumb/render/view"
)

// A task is drawn before and after the answer, for one answer after the other,
// and most shapes stand where they stood. What was last made of shapes is kept,
// and copied when the next drawing asks for the same.

// wanted is all that the items of a geo shape without label depend on, but for what
// recall sets anew.
type wanted struct {
	id            string
	m             vector.Matrix
	width, height int
	mode          Raster
	version       view.Version
	rule          scan.Rule
	framed        chord.Rect // what frames leave of the picture
	opacity       uint32     // which thin strokes have in them
	w, h, scale   float64
	geo           scene.GeoKind
	color         scene.Color
	size          scene.Size
	dash          scene.Dash
	fill          scene.Fill
}

// marks are positions in what a drawing is made of.
type marks struct{ items, spans, bytes int }

// made is what one shape became: a range of a memory.
type made struct {
	from, to marks
	noted    bool // it was drawn, but not kept

	lone, faded bool // of the place
}

// memory holds what drawings were made of, shape by shape.
type memory struct {
	known    map[wanted]made
	items    []Item
	coverage scan.Coverage
	charged  int // bytes, had everything been kept that was noted
}

func (m *memory) reset() {
	clear(m.known)
	m.items = m.items[:0]
	m.coverage.Reset()
	m.charged = 0
}

func (m *memory) marks() marks {
	return marks{len(m.items), len(m.coverage.Spans), len(m.coverage.Bytes)}
}

// reserve makes room for what lies between two marks of a drawing. It doubles:
// append's smaller steps would copy a new worker's memory many times.
func (m *memory) reserve(from, to marks) {
	m.coverage.Spans = roomy(m.coverage.Spans, to.spans-from.spans)
	m.coverage.Bytes = roomy(m.coverage.Bytes, to.bytes-from.bytes)
}

func roomy[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	return slices.Grow(s, len(s)+n)
}

// size is the memory between two marks.
func (m marks) size(to marks) int {
	return 64*(to.items-m.items) + 16*(to.spans-m.spans) + to.bytes - m.bytes
}

// rememberBytes bounds what each of the two memories of a builder is charged, which
// may have grown to twice that; shapes that take more than a sixteenth of it are
// made anew each time.
const rememberBytes = 6 << 20

// entryBytes is what a shape is charged besides what it was made of and its id:
// its places in the map.
const entryBytes = 256

// reuse has two memories. What is new goes to the young one, and what the old one
// is asked for; when the young one is full, the old one is forgotten and they change
// places. So shapes stay as long as they are asked for now and then.
//
// Copies of shapes that never come again cost time and push other things out of the
// processor's caches. So after a memory that filled without being asked, shapes are
// only noted, until one comes a second time.
type reuse struct {
	young, old memory

	asked bool // for a shape of either since the young one was empty
	idle  bool // shapes are only noted

	limit    int // for tests: instead of rememberBytes
	recalled int // for tests
}

func (r *reuse) most() int {
	if r.limit > 0 {
		return r.limit
	}
	return rememberBytes
}

// want describes a shape; ok is false for one that is always made anew. Pictures to
// look at are few.
func (b *Builder) want(sh *scene.Shape, growY float64, p *place) (w wanted, ok bool) {
	if sh.Kind != scene.Geo || sh.Rich != nil || b.Watch != nil || b.picture {
		return w, false
	}
	return wanted{
		id: sh.ID, m: p.m, width: b.d.Width, height: b.d.Height, mode: b.mode, version: b.Version, rule: p.rule(), framed: b.framed, opacity: p.opacity,
		w: sh.W, h: sh.H + growY, scale: sh.Scale, geo: sh.Geo,
		color: sh.Color, size: sh.Size, dash: sh.Dash, fill: sh.Fill,
	}, true
}

// marks returns the end of the drawing.
func (b *Builder) marks() marks {
	return marks{len(b.d.Items), len(b.d.Coverage.Spans), len(b.d.Coverage.Bytes)}
}

// recall appends the items of an equal shape that was drawn before, and reports
// whether there was one.
func (b *Builder) recall(w *wanted, p *place) bool {
	m := &b.reuse.young
	k, ok := m.known[*w]
	if !ok {
		m = &b.reuse.old
		if k, ok = m.known[*w]; !ok {
			return false
		}
	}
	b.reuse.asked, b.reuse.idle = true, false
	if k.noted {
		return false
	}
	b.reuse.recalled++
	from := b.marks()
	b.d.Items = carry(m, k.from, k.to, b.d.Items, &b.d.Coverage)
	p.lone, p.faded = k.lone, k.faded
	if m == &b.reuse.old {
		b.remember(w, from, p)
	}
	for j := range b.d.Items[from.items:] {
		it := &b.d.Items[from.items+j]
		it.Second, it.Shape, it.Clip = p.second, p.shape, p.clip
	}
	return true
}

// remember keeps what the drawing has from a mark on.
func (b *Builder) remember(w *wanted, from marks, p *place) {
	r := &b.reuse
	size := from.size(b.marks())
	if size == 0 { // off the picture: nothing to copy
		return
	}
	size += entryBytes + len(w.id)
	if size > r.most()/16 {
		return
	}
	if r.young.charged+size > r.most() {
		r.young, r.old = r.old, r.young
		r.young.reset()
		r.asked, r.idle = false, !r.asked
	}
	m := &r.young
	if m.known == nil {
		m.known = map[wanted]made{}
	}
	m.charged += size
	if r.idle {
		m.known[*w] = made{noted: true}
		return
	}
	m.reserve(from, b.marks())
	k := made{lone: p.lone, faded: p.faded, from: m.marks()}
	drawn := memory{items: b.d.Items, coverage: b.d.Coverage}
	m.items = carry(&drawn, from, b.marks(), m.items, &m.coverage)
	k.to = m.marks()
	m.known[*w] = k
}

// carry appends a range of m, with all positions set right.
func carry(m *memory, from, to marks, items []Item, c *scan.Coverage) []Item {
	toSpan := int32(len(c.Spans) - from.spans)
	toByte := int32(len(c.Bytes) - from.bytes)
	for _, it := range m.items[from.items:to.items] {
		it.First += toSpan
		items = append(items, it)
	}
	at := len(c.Spans)
	c.Spans = append(c.Spans, m.coverage.Spans[from.spans:to.spans]...)
	for i := range c.Spans[at:] {
		if s := &c.Spans[at+i]; s.At != scan.Full {
			s.At += toByte
		}
	}
	c.Bytes = append(c.Bytes, m.coverage.Bytes[from.bytes:to.bytes]...)
	return items
}
