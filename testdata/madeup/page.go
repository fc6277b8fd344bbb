package madeup

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"plumb/render/scene"
)

// Page returns the records of a page as a list in JSON: some shapes of the Kinds,
// frames and groups with others in them, arrows that are bound to shapes.
func Page(r *rand.Rand) string {
	p := page{r: r}
	for range 2 + r.IntN(5) {
		p.add("page:page", 0)
	}
	for range r.IntN(4) {
		if len(p.targets) > 0 {
			p.connect()
		}
	}
	all := make([]string, len(p.records))
	for i, o := range p.records {
		all[i] = text(o)
	}
	return "[" + strings.Join(all, ",") + "]"
}

// page is what a page has so far.
type page struct {
	r       *rand.Rand
	records []object
	targets []string // shapes that every arrow may be bound to
	strokes []string // those that arrows without elbows may be
	shapes  int
}

// deepest is how many containers may stand in each other.
const deepest = 3

// add puts a shape into a parent, and others into that where it holds any.
func (p *page) add(parent string, depth int) {
	kind := one(p.r, append([]string{"frame", "group", "geo", "geo"}, Kinds...)...)
	for depth == deepest && (kind == "frame" || kind == "group") {
		kind = one(p.r, Kinds...)
	}
	switch kind {
	case "frame":
		id := p.put(parent, kind, object{"w": 40 + px(p.r, 300), "h": 40 + px(p.r, 300), "name": one(p.r, "", "Frame A", "several words of a name")})
		for range p.r.IntN(4) {
			p.add(id, depth+1)
		}
	case "group":
		id := p.put(parent, kind, object{})
		for range 2 + p.r.IntN(2) {
			p.add(id, depth+1)
		}
	default:
		p.put(parent, kind, makers[kind](p.r))
	}
}

// put adds one shape above the others.
func (p *page) put(parent, kind string, props object) string {
	id := fmt.Sprintf("shape:%d", p.shapes)
	o := shape(p.r, id, kind, props)
	o["typeName"], o["parentId"], o["index"] = "shape", parent, scene.IndexKey(p.shapes)
	p.records = append(p.records, o)
	p.shapes++
	switch kind { // others are not drawn natively
	case "geo", "text", "note", "frame":
		p.targets = append(p.targets, id)
	case "draw", "line":
		p.strokes = append(p.strokes, id)
	}
	return id
}

// connect adds an arrow with one or both ends at shapes.
func (p *page) connect() {
	props := makers["arrow"](p.r)
	props["kind"] = one(p.r, "arc", "arc", "elbow")
	targets := p.targets
	if props["kind"] == "arc" {
		targets = append(p.strokes, p.targets...)
	}
	id := p.put("page:page", "arrow", props)
	for i, end := range one(p.r, []string{"start", "end"}, []string{"start", "end"}, []string{"start"}, []string{"end"}) {
		p.records = append(p.records, object{
			"typeName": "binding", "id": fmt.Sprintf("binding:%s%d", id[len("shape:"):], i), "type": "arrow", "fromId": id, "toId": one(p.r, targets...),
			"props": object{
				"terminal": end, "isPrecise": one(p.r, true, false), "isExact": one(p.r, false, false, true), "snap": "none",
				"normalizedAnchor": object{"x": px(p.r, 100) / 100, "y": px(p.r, 100) / 100},
			},
		})
	}
}
