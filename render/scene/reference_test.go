package scene

import (
	"math"
	"reflect"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/geom"
	"plumb/testdata"
)

// eachScene calls use with each scene that the editor exported.
func eachScene(t *testing.T, use func(id string, v *fastjson.Value)) {
	var p fastjson.Parser
	n := 0
	testdata.Lines(t, "tldraw/scenes.jsonl", func(line []byte) {
		if err := Check(line, 300); err != nil {
			t.Fatal(err)
		}
		v, err := p.ParseBytes(line)
		if err != nil {
			t.Fatal(err)
		}
		use(string(v.GetStringBytes("id")), v)
		n++
	})
	if n < 100 {
		t.Fatalf("read %d scenes; want at least 100", n)
	}
}

func texts(v []*fastjson.Value) (s []string) {
	for _, x := range v {
		s = append(s, string(x.GetStringBytes()))
	}
	return s
}

// The paint order of the editor's records equals the order that the editor reports.
func TestReferenceOrder(t *testing.T) {
	eachScene(t, func(id string, v *fastjson.Value) {
		s, err := DecodeValue(v, Limits{}) // the records: they win over the shapes beside them
		if err != nil {
			t.Errorf("%s: %v", id, err)
			return
		}
		var got []string
		for i := range s.Shapes {
			got = append(got, s.Shapes[i].ID)
			if p := s.Shapes[i].Parent; p >= int32(i) {
				t.Errorf("%s: shape %d has parent %d, which does not come first", id, i, p)
			}
		}
		if want := texts(v.GetArray("order")); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got order %v; want %v", id, got, want)
		}
	})
}

// The input of the editor's "create shapes", with our defaults, gives the records that the editor
// stored, except values that depend on the size of a label.
func TestReferenceCreation(t *testing.T) {
	grown, shapes := 0, 0
	eachScene(t, func(id string, v *fastjson.Value) {
		stored, err := DecodeValue(v, Limits{})
		if err != nil {
			t.Errorf("%s: %v", id, err)
			return
		}
		created := createScene(t, id, v)
		if created == nil {
			return
		}
		if len(stored.Shapes) != len(created.Shapes) || len(stored.Bindings) != len(created.Bindings) {
			t.Errorf("%s: got %d shapes, %d bindings; want %d, %d", id, len(created.Shapes), len(created.Bindings),
				len(stored.Shapes), len(stored.Bindings))
			return
		}
		for i := range stored.Shapes {
			want, got := stored.Shapes[i], created.Shapes[i]
			shapes++
			if want.GrowY > 0 || want.FontPx > 0 {
				grown++
				if !got.Grow {
					t.Errorf("%s: %s has growY %g, fontSizeAdjustment %g stored; want Grow when created", id, want.ID, want.GrowY, want.FontPx)
				}
			}
			want.GrowY, want.FontPx, got.Grow = 0, 0, false
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: shape %d:\n got %+v\nwant %+v", id, i, got, want)
			}
		}
		if !sameBindings(created, stored) {
			t.Errorf("%s: got bindings %+v; want %+v", id, created.Bindings, stored.Bindings)
		}
	})
	if grown == 0 || shapes < 1000 {
		t.Errorf("compared %d shapes, %d grown by a label; want at least 1000 and some", shapes, grown)
	}
}

// createScene resolves the records of the editor's two calls of "create shapes".
func createScene(t *testing.T, id string, v *fastjson.Value) *Scene {
	var calls [2][]Record
	for c, list := range []string{"shapes", "added"} {
		for _, item := range v.GetArray(list) {
			r, err := DecodeShape(item, list, Limits{})
			if err != nil {
				t.Errorf("%s: %v", id, err)
				return nil
			}
			calls[c] = append(calls[c], r)
		}
	}
	if err := Adopt(calls[0], calls[1], Limits{}); err != nil {
		t.Errorf("%s: %v", id, err)
		return nil
	}
	d := sceneDecoder{limits: DefaultLimits()}
	if b := v.Get("bindings"); b != nil {
		d.readBindingList(b)
	}
	if d.fault != nil {
		t.Errorf("%s: %v", id, d.fault)
		return nil
	}
	s, err := Resolve(append(calls[0], calls[1]...), d.bindings, Limits{})
	if err != nil {
		t.Errorf("%s: %v", id, err)
		return nil
	}
	return s
}

// sameBindings compares bindings in any order.
func sameBindings(a, b *Scene) bool {
	count := map[Binding]int{}
	for _, x := range a.Bindings {
		count[x]++
	}
	for _, x := range b.Bindings {
		count[x]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// The page bounds of rectangles and frames equal those that the editor reports.
func TestReferencePlacement(t *testing.T) {
	n := 0
	eachScene(t, func(id string, v *fastjson.Value) {
		s, err := DecodeValue(v, Limits{})
		if err != nil {
			t.Errorf("%s: %v", id, err)
			return
		}
		toPage := s.toPage()
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			if sh.Kind != Frame && (sh.Kind != Geo || sh.Geo != Rectangle) {
				continue
			}
			x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
			for _, c := range []Point{{0, 0}, {sh.W, 0}, {sh.W, sh.H + sh.GrowY}, {0, sh.H + sh.GrowY}} {
				q := toPage[i].Apply(geom.Point(c))
				x0, y0, x1, y1 = min(x0, q.X), min(y0, q.Y), max(x1, q.X), max(y1, q.Y)
			}
			want := v.GetArray("geometry", sh.ID, "pageBounds")
			for k, got := range []float64{x0, y0, x1 - x0, y1 - y0} {
				if w := want[k].GetFloat64(); math.Abs(got-w) > 1e-6 {
					t.Errorf("%s: %s: bounds[%d] = %g; want %g", id, sh.ID, k, got, w)
				}
			}
			n++
		}
	})
	if n < 30 {
		t.Errorf("compared %d rectangles; want at least 30", n)
	}
}

// Every shape list of the benchmark's scenarios decodes.
func TestReferenceScenarios(t *testing.T) {
	testdata.Lines(t, "aspire/cases.jsonl", func(line []byte) {
		if _, err := Decode(line, Limits{}); err != nil {
			t.Errorf("%.40s: %v", line, err)
		}
	})
}
