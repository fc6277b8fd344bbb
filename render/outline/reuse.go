package outline

import (
	"plumb/render/path"
	"plumb/render/scan"
	"plumb/render/scene"
)

// A task is drawn before and after the answer, for one answer after the other,
// and most shapes stand where they stood. What was last made of shapes is kept,
// and copied when the next drawing asks for the same.

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

// made is what one shape became, in memory of its own.
type made struct {
	wanted
	items    []Item
	segments []Segment
	coverage scan.Coverage
	draws    int
}

// size is the memory that the contents take, in bytes.
func (k *made) size() int {
	return 64*len(k.items) + 16*(len(k.segments)+len(k.coverage.Spans)) + len(k.coverage.Bytes)
}

// rememberShapes and rememberBytes bound what a builder keeps; larger shapes than
// a sixteenth of it are made anew each time.
const (
	rememberShapes = 1 << 12
	rememberBytes  = 16 << 20
)

// reuse is a ring: the oldest entry goes first, and its memory to the next.
type reuse struct {
	known  map[wanted]int // position in ring
	ring   []made
	oldest int // where the next entry goes once the ring is full
	bytes  int

	limit    int // for tests: instead of rememberBytes
	recalled int // for tests
}

func (r *reuse) most() int {
	if r.limit > 0 {
		return r.limit
	}
	return rememberBytes
}

// slot returns the entry for what is new.
func (r *reuse) slot(size int) (*made, int) {
	if r.known == nil {
		r.known = map[wanted]int{}
	}
	if len(r.ring) < rememberShapes && r.bytes+size <= r.most() {
		r.ring = append(r.ring, made{})
		return &r.ring[len(r.ring)-1], len(r.ring) - 1
	}
	for {
		i := r.oldest
		k := &r.ring[i]
		r.oldest = (i + 1) % len(r.ring)
		r.bytes -= k.size()
		if r.known[k.wanted] == i { // else the shape was made anew since
			delete(r.known, k.wanted)
		}
		k.items, k.segments = k.items[:0], k.segments[:0]
		k.coverage.Reset()
		if r.bytes+size <= r.most() {
			return k, i
		}
	}
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

// recall appends the items of an equal shape that was drawn before, and reports
// whether there was one.
func (b *Builder) recall(w *wanted, p *place) bool {
	i, ok := b.reuse.known[*w]
	if !ok {
		return false
	}
	b.reuse.recalled++
	k := &b.reuse.ring[i]
	at := len(b.d.Items)
	b.d.Items, b.d.Segments = carry(k.items, k.segments, &k.coverage, marks{}, b.d.Items, b.d.Segments, &b.d.Coverage)
	for j := range b.d.Items[at:] {
		it := &b.d.Items[at+j]
		it.Second, it.Shape, it.Clip = p.second, p.shape, p.clip
	}
	p.draws += k.draws
	return true
}

// remember keeps what the drawing has from a mark on.
func (b *Builder) remember(w *wanted, from marks, p *place) {
	d := b.d
	part := made{items: d.Items[from.items:], segments: d.Segments[from.segments:], coverage: scan.Coverage{
		Spans: d.Coverage.Spans[from.spans:], Bytes: d.Coverage.Bytes[from.bytes:]}}
	size := part.size()
	if size > b.reuse.most()/16 {
		return
	}
	k, i := b.reuse.slot(size)
	k.wanted, k.draws = *w, p.draws
	k.items, k.segments = carry(part.items, part.segments, &part.coverage, from, k.items[:0], k.segments[:0], &k.coverage)
	b.reuse.bytes += size
	b.reuse.known[*w] = i
}

// carry appends what stood behind the marks from, with all positions set right.
func carry(items []Item, segs []Segment, cov *scan.Coverage, from marks, toItems []Item, toSegs []Segment, c *scan.Coverage) ([]Item, []Segment) {
	toSegment := int32(len(toSegs) - from.segments)
	toSpan := int32(len(c.Spans) - from.spans)
	toByte := int32(len(c.Bytes) - from.bytes)
	for _, it := range items {
		if it.Scanned {
			it.First += toSpan
		} else {
			it.First += toSegment
		}
		toItems = append(toItems, it)
	}
	for _, s := range cov.Spans {
		if s.At != scan.Full {
			s.At += toByte
		}
		c.Spans = append(c.Spans, s)
	}
	c.Bytes = append(c.Bytes, cov.Bytes...)
	return toItems, append(toSegs, segs...)
}
