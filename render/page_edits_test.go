package render

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"plumb/render/scene"
	"plumb/render/view"
	"plumb/testdata/madeup"
)

// record is a record of a page.
type record = map[string]any

// edits change a page by chance, each in one way.
var edits = map[string]func(p *page){
	"add":      (*page).addShape,
	"remove":   (*page).removeShape,
	"move":     func(p *page) { p.any()["x"] = p.r.Float64() * 300 },
	"nudge":    func(p *page) { s := p.any(); s["y"] = s["y"].(float64) + p.r.Float64()*4 - 2 },
	"rotate":   func(p *page) { p.any()["rotation"] = p.r.Float64() * 6 },
	"fade":     func(p *page) { p.any()["opacity"] = []any{0.0, 0.3, 0.5, 1.0}[p.r.IntN(4)] },
	"restyle":  (*page).restyle,
	"resize":   (*page).resize,
	"reparent": (*page).reparent,
	"reorder":  func(p *page) { p.any()["index"] = scene.IndexKey(p.r.IntN(2*len(p.records) + 1)) },
	"bind":     (*page).bind,
	"unbind":   (*page).unbind,
	"nothing":  func(*page) {},
}

// page is a page that is edited.
type page struct {
	r       *rand.Rand
	records []record
	made    int
}

// newPage makes a page: shapes of all kinds, and plain ones that lie on each other.
func newPage(r *rand.Rand) *page {
	p := &page{r: r}
	if err := json.Unmarshal([]byte(madeup.Page(r)), &p.records); err != nil {
		panic(err)
	}
	for range r.IntN(12) {
		p.addPlain()
	}
	return p
}

// clone returns a copy that shares nothing with the page.
func (p *page) clone() *page {
	b, err := json.Marshal(p.records)
	if err != nil {
		panic(err)
	}
	q := &page{r: p.r, made: p.made}
	if err := json.Unmarshal(b, &q.records); err != nil {
		panic(err)
	}
	return q
}

// shapes returns the records that are shapes.
func (p *page) shapes() (list []record) {
	for _, o := range p.records {
		if o["typeName"] == "shape" {
			list = append(list, o)
		}
	}
	return list
}

// any returns a shape by chance, one that is not on the page where there is none.
func (p *page) any() record {
	list := p.shapes()
	if len(list) == 0 {
		return record{"x": 0.0, "y": 0.0, "props": record{}}
	}
	return list[p.r.IntN(len(list))]
}

// put adds a shape on top, or somewhere among the others.
func (p *page) put(text string) {
	var o record
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	at := len(p.records)
	if p.r.IntN(3) == 0 {
		at = p.r.IntN(at + 1)
	}
	o["typeName"], o["parentId"], o["index"] = "shape", "page:page", scene.IndexKey(at)
	p.records = append(p.records, o)
}

// id returns a new id.
func (p *page) id() string {
	p.made++
	return fmt.Sprintf("shape:new%d", p.made)
}

func (p *page) addShape() {
	if p.r.IntN(2) == 0 {
		p.addPlain()
		return
	}
	p.put(madeup.Shape(p.r, p.id(), madeup.Kinds[p.r.IntN(len(madeup.Kinds))]))
}

// addPlain adds a geo shape without a label.
func (p *page) addPlain() {
	one := func(v ...string) string { return v[p.r.IntN(len(v))] }
	opacity := []float64{1, 1, 1, 0.5}[p.r.IntN(4)]
	p.put(fmt.Sprintf(`{"id":%q,"type":"geo","x":%d,"y":%d,"rotation":0,"opacity":%g,"props":{"geo":%q,"w":%d,"h":%d,"fill":%q,"dash":%q,"color":%q}}`,
		p.id(), p.r.IntN(300), p.r.IntN(250), opacity, one("rectangle", "ellipse", "triangle", "star"), 20+p.r.IntN(150), 20+p.r.IntN(150),
		one("none", "solid", "semi", "pattern"), one("draw", "solid", "dashed"), one("black", "red", "blue")))
}

// removeShape removes a shape with what is in it, and the bindings of both.
func (p *page) removeShape() {
	gone := map[any]bool{p.any()["id"]: true}
	for n := 0; n < len(gone); {
		n = len(gone)
		for _, o := range p.records {
			if gone[o["parentId"]] {
				gone[o["id"]] = true
			}
		}
	}
	p.records = slices.DeleteFunc(p.records, func(o record) bool { return gone[o["id"]] || gone[o["fromId"]] || gone[o["toId"]] })
}

// restyle sets one style that the shape has.
func (p *page) restyle() {
	styles := []struct {
		name   string
		values []any
	}{
		{"color", []any{"black", "red", "white"}}, {"fill", []any{"none", "solid", "pattern"}}, {"dash", []any{"draw", "solid", "dotted"}},
		{"size", []any{"s", "m", "xl"}}, {"font", []any{"draw", "mono"}}, {"align", []any{"start", "end"}}, {"bend", []any{0.0, 40.0}},
	}
	props := p.any()["props"].(record)
	p.r.Shuffle(len(styles), func(i, j int) { styles[i], styles[j] = styles[j], styles[i] })
	for _, s := range styles {
		if _, ok := props[s.name]; ok {
			props[s.name] = s.values[p.r.IntN(len(s.values))]
			return
		}
	}
}

func (p *page) resize() {
	props := p.any()["props"].(record)
	for _, side := range []string{"w", "h"} {
		if _, ok := props[side]; ok {
			props[side] = 10 + p.r.Float64()*200
		}
	}
}

// reparent moves a shape into a frame or group, or onto the page. One that would hold itself is
// refused later, and the edit is tried again.
func (p *page) reparent() {
	parent := any("page:page")
	for _, o := range p.shapes() {
		if (o["type"] == "frame" || o["type"] == "group") && p.r.IntN(2) == 0 {
			parent = o["id"]
		}
	}
	p.any()["parentId"] = parent
}

// bind binds an arrow to a shape.
func (p *page) bind() {
	var arrows, targets []any
	for _, o := range p.shapes() {
		switch o["type"] {
		case "arrow":
			arrows = append(arrows, o["id"])
		case "geo", "text", "note", "frame":
			targets = append(targets, o["id"])
		}
	}
	if len(arrows) == 0 || len(targets) == 0 {
		return
	}
	p.made++
	p.records = append(p.records, record{
		"typeName": "binding", "id": fmt.Sprintf("binding:new%d", p.made), "type": "arrow",
		"fromId": arrows[p.r.IntN(len(arrows))], "toId": targets[p.r.IntN(len(targets))],
		"props": record{"terminal": []any{"start", "end"}[p.r.IntN(2)], "isPrecise": true, "isExact": false, "snap": "none",
			"normalizedAnchor": record{"x": p.r.Float64(), "y": p.r.Float64()}},
	})
}

func (p *page) unbind() {
	if i := slices.IndexFunc(p.records, func(o record) bool { return o["typeName"] == "binding" }); i >= 0 {
		p.records = slices.Delete(p.records, i, i+1)
	}
}

// view returns the page as a picture. kind says which sets it has.
func (p *page) view(bounds view.Box, sets int) (v view.View, err error) {
	text, err := json.Marshal(record{"records": p.records})
	if err != nil {
		return v, err
	}
	s, err := scene.Decode(text, scene.DefaultLimits())
	if err != nil {
		return v, err
	}
	v = view.View{Scene: s, Bounds: bounds, TallyOnly: true}
	if sets == 2 {
		v.FirstIDs, v.SecondIDs = []string{}, []string{}
		for i := range s.Shapes {
			if i%2 == 0 {
				v.FirstIDs = append(v.FirstIDs, s.Shapes[i].ID)
			} else {
				v.SecondIDs = append(v.SecondIDs, s.Shapes[i].ID)
			}
		}
	}
	return v, nil
}

// edit is a view and what an edit makes of it.
type edit struct {
	name          string
	before, after view.View
}

// makeEdit makes an edit by chance from a seed.
func makeEdit(seed uint64) edit {
	r := rand.New(rand.NewPCG(seed, 7))
	names := make([]string, 0, len(edits))
	for name := range edits {
		names = append(names, name)
	}
	slices.Sort(names)
	bounds := view.Box{X: -20, Y: -10, W: 420, H: 350}
	if r.IntN(4) == 0 {
		bounds = view.Box{X: 60.5, Y: 40.25, W: 133.5, H: 97.75}
	}
	sets := 1 + r.IntN(4)/3
	for {
		p := newPage(r)
		e := edit{name: fmt.Sprintf("%d:", seed)}
		var err error
		if e.before, err = p.view(bounds, sets); err != nil {
			continue
		}
		e.before.Edited = true
		q := p.clone()
		for range 1 + r.IntN(3) {
			name := names[r.IntN(len(names))]
			edits[name](q)
			e.name += " " + name
		}
		if e.after, err = q.view(bounds, sets); err == nil {
			return e
		}
	}
}
