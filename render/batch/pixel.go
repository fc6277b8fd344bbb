package batch

import "plumb/render/metric"

// Pixel composites the items of one pixel, front to back, in the float32
// arithmetic of the tile stage; shaders/tile.glsl does the same for 16 pixels at
// once. Transmittances stand on the grid of 1/65536, so nothing is lost between
// what an item shows and what remains (rendering-architecture.md 6).
type Pixel struct {
	sets  [2]layer
	group layer
	clip  float32 // coverage of the clip in force
}

// layer is a transmittance and the visible colour gathered so far, 0..255 times
// alpha per channel. Products of a 16-bit alpha and an 8-bit colour are exact.
type layer struct {
	t       float32
	r, g, b float32
}

// Reset makes the pixel empty.
func (p *Pixel) Reset() {
	*p = Pixel{sets: [2]layer{{t: 1}, {t: 1}}, group: layer{t: 1}, clip: 1}
}

// Add takes the next item with its coverage of the pixel, 0..1 on the grid.
// table maps coverage in 1/255 to alpha in 1/255 where the item names one.
func (p *Pixel) Add(it *Item, coverage float32, table func(index, coverage uint32) uint32) {
	f := it.Paint
	if f&FlagGroupFirst != 0 {
		p.group = layer{t: 1}
	}
	if f&FlagClip != 0 {
		p.clip = coverage
		return
	}
	if n := f >> TableShift; n != 0 {
		v := table(n, uint32(float32(coverage*255)+0.5))
		coverage = Grid(float32(v) * (1.0 / 255))
	}
	if f&FlagClipped != 0 {
		coverage = float32(coverage * p.clip)
	}
	alpha := float32(coverage * float32(float32(f&0x1ffff)*(1.0/metric.One)))
	into := &p.sets[f/FlagSecond&1]
	if f&FlagGrouped != 0 {
		p.group.paint(alpha, it.Color)
	} else {
		into.paint(alpha, it.Color)
	}
	if f&FlagGroupLast != 0 {
		into.merge(&p.group, float32(float32(it.Group)*(1.0/metric.One)))
	}
}

func (l *layer) paint(alpha float32, color uint32) {
	v := Grid(float32(l.t * alpha))
	l.r += float32(v * float32(color&0xff))
	l.g += float32(v * float32(color>>8&0xff))
	l.b += float32(v * float32(color>>16&0xff))
	l.t -= v
}

// merge composites a finished group with the group's opacity.
func (l *layer) merge(g *layer, opacity float32) {
	k := float32(l.t * opacity)
	l.r += float32(k * g.r)
	l.g += float32(k * g.g)
	l.b += float32(k * g.b)
	l.t -= Grid(float32(l.t * float32((1-g.t)*opacity)))
}

// Alpha returns the alpha of both sets in 1/65536.
func (p *Pixel) Alpha() (a0, a1 uint32) {
	return uint32(float32(1-p.sets[0].t) * metric.One), uint32(float32(1-p.sets[1].t) * metric.One)
}

// RGBA returns the picture of the pixel, set A over set B: 8 bits a channel, not
// premultiplied, r lowest. Alpha is rounded as the pixel rule of package metric
// says, so a picture and a count cannot disagree.
func (p *Pixel) RGBA() uint32 {
	a, b := &p.sets[0], &p.sets[1]
	alpha := float32(1 - float32(a.t*b.t))
	a8 := uint32(float32(alpha*255) + 0.5)
	if a8 == 0 {
		return 0
	}
	r := channel(a.r+float32(a.t*b.r), alpha)
	g := channel(a.g+float32(a.t*b.g), alpha)
	bl := channel(a.b+float32(a.t*b.b), alpha)
	return r | g<<8 | bl<<16 | a8<<24
}

func channel(premultiplied, alpha float32) uint32 {
	return uint32(min(premultiplied/alpha+0.5, 255))
}

// Grid rounds to 1/65536, halves to even: next to 192 float32 has just that step.
func Grid(v float32) float32 { return float32(v+192) - 192 }

// flat composites items that all fill their tile.
func flat(items []Item) Flat {
	var p Pixel
	p.Reset()
	for i := range items {
		p.Add(&items[i], 1, func(_, full uint32) uint32 { return full })
	}
	var f Flat
	f.A0, f.A1 = p.Alpha()
	f.RGBA = p.RGBA()
	return f
}
