package scene

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rec returns a record with an id, given without its prefix, a parent and an index.
func rec(id, parent, index string) Record {
	r := NewRecord("shape:"+id, Group)
	if parent != "" {
		r.ParentID, r.Has = parent, r.Has|HasParent
	}
	if index != "" {
		r.Index, r.Has = index, r.Has|HasIndex
	}
	return r
}

func order(s *Scene) string {
	var ids []string
	for i := range s.Shapes {
		ids = append(ids, strings.TrimPrefix(s.Shapes[i].ID, "shape:"))
	}
	return strings.Join(ids, " ")
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name    string
		records []Record
		want    string
	}{
		{"none", nil, ""},
		{"as given", []Record{rec("b", "", ""), rec("a", "", "")}, "b a"},
		{"by index", []Record{rec("a", "", "a2"), rec("b", "", "a1V"), rec("c", "", "Zz"), rec("d", "", "a1")}, "c d b a"},
		{"equal indexes as given", []Record{rec("b", "", "a1"), rec("a", "", "a1")}, "b a"},
		{"mixed: the n-th without index has the n-th key",
			[]Record{rec("a", "", "a2V"), rec("b", "", ""), rec("c", "", ""), rec("d", "", ""), rec("e", "", "a0")}, "e b c a d"},
		{"child before parent", []Record{rec("a", "shape:b", ""), rec("b", "", ""), rec("c", "", "")}, "b a c"},
		{"depth first", []Record{rec("a", "", ""), rec("b", "", ""), rec("a1", "shape:a", ""), rec("b1", "shape:b", ""),
			rec("a2", "shape:a", ""), rec("a11", "shape:a1", "")}, "a a1 a11 a2 b b1"},
		{"indexes count among siblings only", []Record{rec("a", "page:p", "a9"), rec("b", "page:p", "a1"),
			rec("x", "shape:a", "a2"), rec("y", "shape:a", "a0"), rec("z", "shape:b", "a5")}, "b z a y x"},
		{"unknown parent", []Record{rec("a", "shape:gone", ""), rec("b", "", "")}, "a b"},
	} {
		for _, many := range []bool{false, true} { // few ids are compared, many mapped
			records := slices.Clone(c.records)
			want := c.want
			if many && len(records) > 0 {
				for _, n := range strings.Fields("p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 q0 q1 q2 q3 q4 q5 q6 q7") {
					records = append(records, rec(n, "", "z"+n))
					want += " " + n
				}
			}
			s, err := Resolve(records, nil, Limits{})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if got := order(s); got != want {
				t.Errorf("%s: got %s; want %s", c.name, got, want)
			}
			for i := range s.Shapes {
				if s.Find(s.Shapes[i].ID) != int32(i) {
					t.Errorf("%s: Find(%s) = %d; want %d", c.name, s.Shapes[i].ID, s.Find(s.Shapes[i].ID), i)
				}
			}
		}
	}
}

// Parents are positions in the scene, -1 for shapes on the page.
func TestParents(t *testing.T) {
	s, err := Resolve([]Record{rec("c", "shape:b", ""), rec("b", "shape:a", ""), rec("a", "page:x", "")}, nil, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{-1, 0, 1} {
		if s.Shapes[i].Parent != want {
			t.Errorf("shape %s: got parent %d; want %d", s.Shapes[i].ID, s.Shapes[i].Parent, want)
		}
	}
}

func TestResolveRefuses(t *testing.T) {
	geo := func(change func(*Record)) []Record {
		r := NewRecord("shape:a", Geo)
		change(&r)
		return []Record{r}
	}
	for _, c := range []struct {
		name    string
		records []Record
		text    string
	}{
		{"cycle of two", []Record{rec("a", "shape:b", ""), rec("b", "shape:a", ""), rec("c", "", "")}, "own ancestor"},
		{"below a cycle", []Record{rec("c", "shape:a", ""), rec("a", "shape:b", ""), rec("b", "shape:a", "")}, `parentId of shape "shape:a"`},
		{"no prefix", []Record{NewRecord("a", Geo)}, `id: got "a"`},
		{"x is NaN", geo(func(r *Record) { r.X, r.Has = math.NaN(), HasX }), `x of shape "shape:a": got NaN`},
		{"y is infinite", geo(func(r *Record) { r.Y, r.Has = math.Inf(-1), HasY }), "y of shape"},
		{"rotation is infinite", geo(func(r *Record) { r.Rotation, r.Has = math.Inf(1), HasRotation }), "rotation of shape"},
		{"w is 0", geo(func(r *Record) { r.W, r.Has = 0, HasW }), "props.w of shape"},
		{"arrow without ends", []Record{{Shape: Shape{ID: "shape:a", Kind: Arrow}, Has: HasEnd}}, "props of shape"},
		{"arrow without props", []Record{{Shape: Shape{ID: "shape:a", Kind: Arrow}, Has: HasBend}}, "props of shape"},
		{"point is NaN", []Record{{Shape: Shape{ID: "shape:a", Kind: Line, Points: []Point{{0, math.NaN()}}}, Has: HasPoints}}, "props.points[0] of shape"},
		{"far segment", []Record{{Shape: Shape{ID: "shape:a", Kind: Draw, Segments: []Segment{{}, {Points: []Pressed{{}, {X: 1e10}}}}}, Has: HasSegments}},
			"props.segments[1].points[1] of shape"},
	} {
		s, err := Resolve(c.records, nil, Limits{})
		if s != nil || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v; want an error with %q", c.name, err, c.text)
		}
	}
	// Values of fields that were not written do not matter.
	if _, err := Resolve(geo(func(r *Record) { r.X, r.W = math.NaN(), -1 }), nil, Limits{}); err != nil {
		t.Errorf("values that are not given: got %v; want no error", err)
	}
}

func TestMerge(t *testing.T) {
	r := NewRecord("shape:a", Geo)
	r.X, r.W, r.Color, r.Rich = 1, 50, Red, TextOf("old")
	r.Has = HasX | HasW | HasColor | HasRich
	u := NewRecord("shape:other", Arrow)
	u.Y, u.W, u.Rich, u.Auto, u.ParentID = 7, 60, nil, true, "shape:p"
	u.Has = HasY | HasW | HasRich | HasAuto | HasParent | HasBend | HasStart // the last ones are no geo's
	r.Merge(&u)
	if r.ID != "shape:a" || r.Kind != Geo || r.X != 1 || r.Y != 7 || r.W != 60 || r.Color != Red || r.Rich != nil || r.ParentID != "" ||
		r.Has != HasX|HasY|HasW|HasColor|HasRich {
		t.Errorf("got %+v; want y, w and text replaced", r)
	}
}

// Merge does not write to memory that other records share.
func TestMergeArrow(t *testing.T) {
	a := NewRecord("shape:a", Arrow)
	a.Points, a.Arrow = []Point{{1, 1}, {2, 2}}, &ArrowProps{Bend: 5, HeadEnd: HeadDot}
	a.Has = HasStart | HasEnd | HasBend | HasHeadEnd
	b := a
	u := NewRecord("shape:a", Arrow)
	u.Points, u.Arrow = []Point{{}, {9, 9}}, &ArrowProps{HeadStart: HeadBar}
	u.Has = HasEnd | HasHeadStart
	b.Merge(&u)
	if !reflect.DeepEqual(a.Points, []Point{{1, 1}, {2, 2}}) || *a.Arrow != (ArrowProps{Bend: 5, HeadEnd: HeadDot}) {
		t.Errorf("the original changed: %+v %+v", a.Points, a.Arrow)
	}
	if !reflect.DeepEqual(b.Points, []Point{{1, 1}, {9, 9}}) || *b.Arrow != (ArrowProps{Bend: 5, HeadEnd: HeadDot, HeadStart: HeadBar}) {
		t.Errorf("got %+v %+v; want end and head merged", b.Points, b.Arrow)
	}
	c := NewRecord("shape:c", Arrow)
	c.Merge(&u)
	if !reflect.DeepEqual(c.Points, []Point{{0, 0}, {9, 9}}) || c.Arrow.LabelPosition != 0.5 {
		t.Errorf("got %+v %+v; want defaults beside what was merged", c.Points, c.Arrow)
	}
}

// Merge of a single field changes that field only.
func TestMergeEachField(t *testing.T) {
	for k := Geo; k <= Other; k++ {
		for f := Fields(1); f <= HasAsset; f <<= 1 {
			r := NewRecord("shape:a", k)
			u := NewRecord("shape:a", k)
			u.Has = f
			u.Arrow, u.Points = &ArrowProps{}, []Point{{5, 5}, {6, 6}}
			numeric := false
			if pointer := f.row().pointer; pointer != nil {
				if _, numeric = pointer(&u.Shape).(*float64); numeric {
					*u.Shape.number(f) = 0.5
				}
			}
			r.Merge(&u)
			want := f & (baseFields | fieldsOf[k])
			if r.Has != want {
				t.Errorf("%v, %v: got %b; want %b", k, f, r.Has, want)
			}
			if numeric && want != 0 && *r.Shape.number(f) != 0.5 {
				t.Errorf("%v, %v: got %g; want 0.5", k, f, *r.Shape.number(f))
			}
		}
	}
}

// Resolve does not write to the points of a record when it moves coinciding points apart.
func TestCoincidingLine(t *testing.T) {
	r := NewRecord("shape:a", Line)
	r.Points, r.Has = []Point{{4, 4}, {4, 4}, {4, 4}}, HasPoints
	created, err := Resolve([]Record{r}, nil, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	r.Stored = true
	stored, err := Resolve([]Record{r}, nil, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := created.Shapes[0].Points, []Point{{4, 4}, {4, 4}, {4.1, 4.1}}; !reflect.DeepEqual(got, want) {
		t.Errorf("created: got %v; want %v", got, want)
	}
	if want := []Point{{4, 4}, {4, 4}, {4, 4}}; !reflect.DeepEqual(stored.Shapes[0].Points, want) || !reflect.DeepEqual(r.Points, want) {
		t.Errorf("stored: got %v, record %v; want %v", stored.Shapes[0].Points, r.Points, want)
	}
}

func TestAdopt(t *testing.T) {
	at := func(id string, kind Kind, x, y, rotation float64) Record {
		r := NewRecord("shape:"+id, kind)
		r.X, r.Y, r.Rotation, r.Has = x, y, rotation, HasX|HasY|HasRotation
		return r
	}
	frame := at("f", Frame, 100, 100, math.Pi/2) // 320 x 180: covers x -80..100, y 100..420
	inner := at("g", Frame, 200, 100, 0)         // inside f, beyond its edge
	inner.ParentID, inner.Has = "shape:f", inner.Has|HasParent
	existing := []Record{at("under", Geo, 0, 0, 0), frame, inner}
	parented := at("p", Geo, 50, 200, 0)
	parented.ParentID, parented.Has = "shape:under", parented.Has|HasParent
	orphan := at("o", Geo, 50, 200, 0)
	orphan.ParentID, orphan.Has = "shape:gone", orphan.Has|HasParent
	noY := NewRecord("shape:n", Geo)
	noY.X, noY.Has = 50, HasX
	for _, c := range []struct {
		r      Record
		parent string
		x, y   float64
	}{
		{at("a", Geo, 50, 200, 0), "shape:f", 100, 50},
		{at("a", Geo, 150, 200, 0), "", 150, 200},
		{at("a", Geo, -20, 350, 0), "shape:g", 50, 20},
		{at("a", Geo, -90, 350, 0), "", -90, 350}, // in g, which f clips there
		{at("a", Frame, 50, 200, 0), "shape:f", 100, 50},
		{parented, "shape:under", 50, 200},
		{orphan, "shape:f", 100, 50},
		{noY, "", 50, 0},
	} {
		created := []Record{c.r}
		if err := Adopt(existing, created, Limits{}); err != nil {
			t.Fatal(err)
		}
		got := created[0]
		wantTurn := 0.0
		if c.parent == "shape:f" || c.parent == "shape:g" {
			wantTurn = -math.Pi / 2
		}
		if got.ParentID != c.parent || math.Abs(got.X-c.x) > 1e-9 || math.Abs(got.Y-c.y) > 1e-9 || math.Abs(got.Rotation-wantTurn) > 1e-9 {
			t.Errorf("(%g, %g): got parent %q at (%g, %g) turned %g; want %q at (%g, %g) turned %g",
				c.r.X, c.r.Y, got.ParentID, got.X, got.Y, got.Rotation, c.parent, c.x, c.y, wantTurn)
		}
	}
	together := []Record{at("f2", Frame, 0, 0, 0), at("a", Geo, 10, 10, 0)}
	if err := Adopt(nil, together, Limits{}); err != nil || together[1].ParentID != "" {
		t.Errorf("frames of the same call: got parent %q, %v; want none", together[1].ParentID, err)
	}
}

// A bound arrow that is created moves directly above its topmost target unless only arrows are
// between them; a stored arrow stays.
func TestLiftArrows(t *testing.T) {
	shape := func(id string, kind Kind, parent string) Record {
		r := rec(id, parent, "")
		r.Kind, r.TypeName = kind, kind.String()
		return r
	}
	geos := func(ids string) (all []Record) {
		for _, id := range strings.Fields(ids) {
			kind := Geo
			if id[0] == 'a' {
				kind = Arrow
			}
			all = append(all, shape(id, kind, ""))
		}
		return all
	}
	for _, c := range []struct {
		name    string
		records []Record
		bound   string // "arrow start end", "-" for none
		want    string
	}{
		{"directly above already", geos("x y a z"), "a x y", "x y a z"},
		{"another shape between", geos("x y z a"), "a x y", "x y a z"},
		{"other arrows between", geos("x y a1 a2 a z"), "a x y", "x y a1 a2 a z"},
		{"below its target", geos("a x y z"), "a x y", "x y a z"},
		{"one end", geos("x y z a"), "a - x", "x a y z"},
		{"two arrows: the later one goes below", geos("x y a1 a2"), "a1 x -, a2 x -", "x a2 a1 y"},
		{"not bound", geos("x a y"), "", "x a y"},
		{"into the common parent", append(geos("g x a"), shape("m", Geo, "shape:g"), shape("n", Geo, "shape:g"), shape("o", Geo, "shape:g")),
			"a m n", "g m n a o x"},
		{"targets apart", append(geos("g x y a"), shape("m", Geo, "shape:g")), "a m x", "g m x a y"},
	} {
		var bindings []BindingRecord
		for _, b := range strings.Split(c.bound, ",") {
			f := strings.Fields(b)
			for i := 1; i < len(f); i++ {
				if f[i] != "-" {
					bindings = append(bindings, NewBinding("shape:"+f[0], "shape:"+f[i], i == 2))
				}
			}
		}
		before := slices.Clone(c.records)
		s, err := Resolve(c.records, bindings, Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := order(s); got != c.want {
			t.Errorf("%s: got %s; want %s", c.name, got, c.want)
		}
		if !reflect.DeepEqual(before, c.records) {
			t.Errorf("%s: the caller's records changed", c.name)
		}
		for i := range c.records {
			c.records[i].Stored = true
		}
		if s, err = Resolve(c.records, bindings, Limits{}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if plain, _ := Resolve(c.records, nil, Limits{}); order(s) != order(plain) {
			t.Errorf("%s, stored: got %s; want %s", c.name, order(s), order(plain))
		}
	}
}

// TestBindingsToGroups checks that an arrow that is created is not bound to a group, and not lifted above it;
// a stored arrow is bound (docs/spec/drawing.md#r13).
func TestBindingsToGroups(t *testing.T) {
	shape := func(id string, kind Kind, parent string) Record {
		r := rec(id, parent, "")
		r.Kind, r.TypeName = kind, kind.String()
		return r
	}
	records := []Record{shape("a", Arrow, ""), shape("g", Group, ""), shape("m", Geo, "shape:g"), shape("n", Geo, "shape:g")}
	group, geo := NewBinding("shape:a", "shape:g", true), NewBinding("shape:a", "shape:m", true)
	for _, c := range []struct {
		bindings, want []BindingRecord // want is what a created arrow keeps
		order          string
	}{
		{[]BindingRecord{group}, nil, "a g m n"},
		{[]BindingRecord{group, geo, group}, []BindingRecord{geo}, "g m n a"},
		{[]BindingRecord{geo, group}, []BindingRecord{geo}, "g m n a"},
	} {
		for _, stored := range []bool{false, true} {
			given := slices.Clone(c.bindings)
			for i := range records {
				records[i].Stored = stored
			}
			want := c.want
			if stored {
				want = c.bindings
			}
			s, err := Resolve(records, c.bindings, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range s.Bindings {
				got = append(got, s.Shapes[b.To].ID)
			}
			var ids []string
			for _, b := range want {
				ids = append(ids, b.To)
			}
			if !slices.Equal(got, ids) || !stored && order(s) != c.order {
				t.Errorf("stored %v: got bindings to %v, order %s; want %v, %s", stored, got, order(s), ids, c.order)
			}
			if !reflect.DeepEqual(given, c.bindings) {
				t.Errorf("the caller's bindings changed")
			}
		}
	}
	// A fault is named by its place in the list as given.
	_, err := Resolve(records[:3], []BindingRecord{group, NewBinding("shape:a", "shape:zz", true)}, Limits{})
	if err == nil || !strings.Contains(err.Error(), "bindings[1].toId") {
		t.Errorf("got %v; want an error at bindings[1].toId", err)
	}
}

// Moving an arrow to another parent leaves it where it is on the page.
func TestLiftKeepsPlace(t *testing.T) {
	in := `{"shapes":[{"id":"shape:g","type":"group","x":10,"y":20,"rotation":0.5},
		{"id":"shape:h","type":"group","x":-30,"y":5,"rotation":-1.25},
		{"id":"shape:m","type":"geo","parentId":"shape:g"},{"id":"shape:n","type":"geo","parentId":"shape:g"},
		{"id":"shape:a","type":"arrow","parentId":"shape:h","x":7,"y":8,"rotation":0.25}]%s}`
	loose := mustDecode(t, strings.Replace(in, "%s", "", 1))
	bound := mustDecode(t, strings.Replace(in, "%s", `,"bindings":[
		{"type":"arrow","fromId":"shape:a","toId":"shape:m","props":{"terminal":"start"}},
		{"type":"arrow","fromId":"shape:a","toId":"shape:n","props":{"terminal":"end","snap":"edge-point","isExact":true,"normalizedAnchor":{"x":0.25,"y":1}}}]`, 1))
	if got := bound.Shapes[bound.Find("shape:a")].Parent; got != bound.Find("shape:g") {
		t.Fatalf("got parent %d; want shape:g", got)
	}
	was, is := loose.toPage()[loose.Find("shape:a")], bound.toPage()[bound.Find("shape:a")]
	for _, d := range []float64{was.A - is.A, was.B - is.B, was.C - is.C, was.D - is.D, was.E - is.E, was.F - is.F} {
		if math.Abs(d) > 1e-9 {
			t.Errorf("got %v; want %v", is, was)
			break
		}
	}
	want := Binding{From: bound.Find("shape:a"), To: bound.Find("shape:n"), IsEnd: true, Anchor: Point{0.25, 1}, IsExact: true, Snap: SnapEdgePoint}
	if bound.Bindings[1] != want {
		t.Errorf("got %+v; want %+v", bound.Bindings[1], want)
	}
}

// JavaScript compares strings by UTF-16 code units.
func TestCompareCodeUnits(t *testing.T) {
	sorted := []string{"", "Zz", "a0", "a1", "a1V", "a2", "é", "\ud7ff", "😀", "😀a", "😁", "\U0010ffff", "\ue000", "\uffff"}
	for i, a := range sorted {
		for j, b := range sorted {
			got := compareCodeUnits(a, b)
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("compareCodeUnits(%q, %q) = %d; want the sign of %d", a, b, got, i-j)
			}
		}
	}
}

func TestIndexKey(t *testing.T) {
	for n, want := range map[int]string{0: "a0", 1: "a1", 61: "az", 62: "b00", 63: "b01", 62 + 3843: "bzz", 62 + 3844: "c000"} {
		if got := IndexKey(n); got != want {
			t.Errorf("IndexKey(%d) = %s; want %s", n, got, want)
		}
	}
	for n := range 300_000 {
		if a, b := IndexKey(n), IndexKey(n+1); a >= b {
			t.Fatalf("%s comes before %s; want increasing keys", a, b)
		}
	}
}

// Random forests of shapes: every shape appears once, parents first, siblings in index order.
func TestOrderProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		records := make([]Record, n)
		for i := range records {
			parent := ""
			if p := rapid.IntRange(-1, i-1).Draw(t, "parent"); p >= 0 {
				parent = records[p].ID
			}
			records[i] = rec(string(rune('A'+i)), parent, rapid.StringMatching(`a[0-9A-Za-z]{1,2}`).Draw(t, "index"))
		}
		shuffled := rapid.Permutation(records).Draw(t, "order")
		s, err := Resolve(shuffled, nil, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Shapes) != n {
			t.Fatalf("got %d shapes; want %d", len(s.Shapes), n)
		}
		index := map[string]string{}
		for _, r := range records {
			index[r.ID] = r.Index
		}
		last := map[int32]string{}
		for i := range s.Shapes {
			sh := &s.Shapes[i]
			if sh.Parent >= int32(i) || index[sh.ID] < last[sh.Parent] {
				t.Fatalf("%s (%s) stands wrong in %s", sh.ID, index[sh.ID], order(s))
			}
			last[sh.Parent] = index[sh.ID]
		}
	})
}
