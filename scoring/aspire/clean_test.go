package aspire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/scene"
	"plumb/scoring"
)

// given is the scene of the clean-up tests: one shape of each kind that matters.
const given = `[
 {"id":"shape:geo","type":"geo","x":10,"y":20,"props":{"geo":"star","color":"blue"}},
 {"id":"shape:text","type":"text","x":0,"y":0,"props":{}},
 {"id":"shape:line","type":"line","x":0,"y":0,"props":{}}]`

// cleaned runs an answer on the given scene and returns its operations as JSON
// and the codes of its notes with their paths.
func cleaned(t *testing.T, response string, v scoring.Variants) (ops map[string]any, notes []string) {
	t.Helper()
	text := scoring.AppendString(nil, response)
	item := `{"id":"i","test":"graph","shapes":` + given + `,"task":{"neighbours":[]},"response":` + string(text) + `}`
	s := newSuite(Config{})
	w, err := ran(s, item, v)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(operationsOf(w))
	if err := json.Unmarshal(b, &ops); err != nil {
		t.Fatal(err)
	}
	for _, n := range w.notes.all() {
		notes = append(notes, strings.TrimSpace(n.Code+" "+n.Path))
	}
	return ops, notes
}

// ran reads an item and applies its answer, up to where the tests differ.
func ran(s *suite, item string, v scoring.Variants) (*workspace, error) {
	fields, err := fastjson.Parse(item)
	if err != nil {
		return nil, err
	}
	w := &workspace{suite: s, test: findTest(string(fields.GetStringBytes("test"))), variants: v, task: fields.Get("task")}
	initial, err := s.readShapes(fields.Get("shapes"))
	if err != nil {
		return nil, err
	}
	w.notes = new(notes)
	if err := w.readResponse(fields.Get("response")); err != nil {
		return nil, err
	}
	w.board.reset(initial)
	w.operations.cleanAndApply(&w.cleaner, &w.board, w.answer.Value)
	return w, nil
}

// TestCreate checks docs/spec/aspire.md#r14 for created shapes: what is left of one entry.
func TestCreate(t *testing.T) {
	on := func(names ...string) scoring.Variants {
		v := scoring.Variants{}
		for _, n := range names {
			v[n] = ""
		}
		return v
	}
	at := func(s string) string { return "dropped_field createShapes[0]." + s }
	doc := func(content string) string {
		return `{"type":"doc","content":[` + content + `]}`
	}
	const abc = `{"type":"paragraph","content":[{"type":"text","text":"abc"}]}`
	cases := []struct {
		name     string
		entry    string
		variants scoring.Variants
		want     string // without id; "" for rejected
		notes    []string
	}{
		// docs/spec/aspire.md#r15
		{"type names a geo", `{"type":"hexagon"}`, nil, `{"type":"geo","props":{"geo":"hexagon"}}`, nil},
		{"type in capitals", `{"type":" Circle "}`, nil, `{"type":"geo","props":{"geo":"ellipse"}}`, nil},
		{"square", `{"type":"square"}`, nil, `{"type":"geo","props":{"geo":"rectangle"}}`, nil},
		{"props.geo wins over the type", `{"type":"circle","props":{"geo":"star"}}`, nil, `{"type":"geo","props":{"geo":"star"}}`, nil},
		{"no type, geo", `{"props":{"geo":"star"}}`, nil, `{"type":"geo","props":{"geo":"star"}}`, nil},
		{"no type, geo at top", `{"geo":"star"}`, nil, `{"type":"geo","props":{"geo":"star"}}`, nil},
		{"no type, text", `{"text":"abc"}`, nil, `{"type":"text","props":{"richText":` + doc(abc) + `}}`, nil},
		{"no type, richText", `{"props":{"richText":"abc"}}`, nil, `{"type":"text","props":{"richText":` + doc(abc) + `}}`, nil},
		{"no type, geo before text", `{"props":{"text":"abc","geo":"star"}}`, nil, `{"type":"geo","props":{"geo":"star","richText":` + doc(abc) + `}}`, nil},
		{"no type at all", `{"x":1}`, nil, "", []string{"rejected_shape createShapes[0]"}},
		{"unknown type", `{"type":"blob"}`, nil, "", []string{at("type"), "rejected_shape createShapes[0]"}},
		{"unknown type, geo", `{"type":"shape","props":{"geo":"star"}}`, nil, `{"type":"geo","props":{"geo":"star"}}`, []string{at("type")}},
		{"kind that answers may not have", `{"type":"image"}`, nil, "", []string{at("type"), "rejected_shape createShapes[0]"}},
		{"every other kind", `{"type":"Note"}`, nil, `{"type":"note","props":{}}`, nil},
		{"no object", `"star"`, nil, "", []string{"rejected_shape createShapes[0]"}},
		{"list for an entry", `[{"type":"geo"}]`, nil, "", []string{"rejected_shape createShapes[0]"}},
		{"null entry", `null`, nil, "", []string{"rejected_shape createShapes[0]"}},
		// docs/spec/aspire.md#r16
		{"moved into props", `{"type":"geo","color":"red","w":50}`, nil, `{"type":"geo","props":{"color":"red","w":50}}`, nil},
		{"props wins", `{"type":"geo","color":"red","props":{"color":"blue"}}`, nil, `{"type":"geo","props":{"color":"blue"}}`, []string{at("color")}},
		{"fields of records", `{"type":"geo","isLocked":true,"meta":{"a":1},"parentId":"page:x","index":"a1","typeName":"shape"}`, nil, `{"type":"geo","props":{}}`, nil},
		{"props are no object", `{"type":"geo","props":[1]}`, nil, `{"type":"geo","props":{}}`, []string{at("props")}},
		{"props are null", `{"type":"geo","props":null}`, nil, `{"type":"geo","props":{}}`, nil},
		{"x in props", `{"type":"geo","props":{"x":5}}`, nil, `{"type":"geo","props":{}}`, []string{at("props.x")}},
		// docs/spec/aspire.md#r17
		{"lines", `{"type":"text","text":"a\n\nb"}`, nil, `{"type":"text","props":{"richText":` + doc(`{"type":"paragraph","content":[{"type":"text","text":"a"}]},{"type":"paragraph"},{"type":"paragraph","content":[{"type":"text","text":"b"}]}`) + `}}`, nil},
		{"richText wins", `{"type":"text","props":{"text":"x","richText":"abc"}}`, nil, `{"type":"text","props":{"richText":` + doc(abc) + `}}`, []string{at("props.text")}},
		{"document", `{"type":"text","props":{"richText":` + doc(abc) + `}}`, nil, `{"type":"text","props":{"richText":` + doc(abc) + `}}`, nil},
		{"document as text", `{"type":"text","props":{"text":` + doc(abc) + `}}`, nil, `{"type":"text","props":{"richText":` + doc(abc) + `}}`, nil},
		{"object with a text", `{"type":"text","props":{"richText":{"text":"abc"}}}`, nil, `{"type":"text","props":{"richText":` + doc(abc) + `}}`, nil},
		{"text is a number", `{"type":"text","props":{"text":5}}`, nil, `{"type":"text","props":{}}`, []string{at("props.text")}},
		{"broken document", `{"type":"text","props":{"richText":{"type":"doc","content":[{"type":"paragraph","content":[5]}]}}}`, nil, `{"type":"text","props":{}}`, []string{at("props.richText")}},
		{"text of a line", `{"type":"line","props":{"text":"abc"}}`, nil, `{"type":"line","props":{}}`, []string{at("props.text")}},
		{"text over the limit", `{"type":"text","props":{"text":"` + strings.Repeat("a", 70_000) + `"}}`, nil, `{"type":"text","props":{}}`, []string{at("props.text")}},
		// docs/spec/aspire.md#r18
		{"align of a text", `{"type":"text","props":{"align":"right"}}`, nil, `{"type":"text","props":{"textAlign":"end"}}`, nil},
		{"textAlign of a geo", `{"type":"geo","props":{"textAlign":"left"}}`, nil, `{"type":"geo","props":{"align":"start"}}`, nil},
		{"both", `{"type":"text","props":{"align":"end","textAlign":"Centre"}}`, nil, `{"type":"text","props":{"textAlign":"middle"}}`, []string{at("props.align")}},
		{"verticalAlign", `{"type":"note","props":{"verticalAlign":"bottom","align":"center"}}`, nil, `{"type":"note","props":{"align":"middle","verticalAlign":"end"}}`, nil},
		{"strict_align, word", `{"type":"text","props":{"textAlign":"center"}}`, on(StrictAlign), `{"type":"text","props":{}}`, []string{at("props.textAlign")}},
		{"strict_align, name", `{"type":"text","props":{"align":"middle"}}`, on(StrictAlign), `{"type":"text","props":{}}`, []string{at("props.align")}},
		{"strict_align, right", `{"type":"text","props":{"textAlign":"middle"}}`, on(StrictAlign), `{"type":"text","props":{"textAlign":"middle"}}`, nil},
		// docs/spec/aspire.md#r19
		{"trimmed, lower case", `{"type":"geo","props":{"color":" GRAY ","fill":"Solid","geo":"circle","dash":"DASHED"}}`, nil, `{"type":"geo","props":{"color":"grey","fill":"solid","geo":"ellipse","dash":"dashed"}}`, nil},
		{"unknown colour", `{"type":"geo","props":{"color":"purple"}}`, nil, `{"type":"geo","props":{}}`, []string{at("props.color")}},
		{"a dash of a later version", `{"type":"geo","props":{"dash":"none"}}`, nil, `{"type":"geo","props":{}}`, []string{at("props.dash")}},
		{"no string", `{"type":"geo","props":{"color":7}}`, nil, `{"type":"geo","props":{}}`, []string{at("props.color")}},
		// docs/spec/aspire.md#r20
		{"sizes", `{"type":"geo","props":{"w":"180 / 2","h":0,"scale":-1}}`, nil, `{"type":"geo","props":{"w":90}}`, []string{at("props.h"), at("props.scale")}},
		{"not finite", `{"type":"geo","x":1/0,"y":1e999,"props":{"w":1/0}}`, nil, `{"type":"geo","props":{}}`, []string{at("x"), at("y"), at("props.w")}},
		{"opacity", `{"type":"geo","opacity":50}`, nil, `{"type":"geo","opacity":1,"props":{}}`, nil},
		{"opacity below", `{"type":"geo","opacity":"-1"}`, nil, `{"type":"geo","opacity":0,"props":{}}`, nil},
		{"no numbers", `{"type":"geo","x":"left","y":true,"rotation":null}`, nil, `{"type":"geo","props":{}}`, []string{at("x"), at("y"), at("rotation")}},
		{"arithmetic in strings", `{"type":"geo","x":"400 + 183/2","rotation":"π/2"}`, nil, `{"type":"geo","x":491.5,"rotation":1.5707963267948966,"props":{}}`, nil},
		{"functions", `{"type":"geo","x":"Math.sqrt(4)"}`, nil, `{"type":"geo","props":{}}`, []string{at("x")}},
		{"functions, extended", `{"type":"geo","x":"Math.sqrt(4)","y":Math.abs(-3)}`, on(ExtendedMath), `{"type":"geo","x":2,"y":3,"props":{}}`, nil},
		// docs/spec/aspire.md#r21
		{"points in pairs", `{"type":"line","props":{"points":[[0,0],["1+1",3]]}}`, nil, `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":0,"y":0},"a2":{"id":"a2","index":"a2","x":2,"y":3}}}}`, nil},
		{"points by index", `{"type":"line","points":{"x":{"index":"a2","x":2,"y":2},"y":{"index":"a1","x":1,"y":1}}}`, nil, `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":1,"y":1},"a2":{"id":"a2","index":"a2","x":2,"y":2}}}}`, nil},
		{"one without index", `{"type":"line","points":{"x":{"index":"a2","x":2,"y":2},"y":{"x":1,"y":1}}}`, nil, `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":2,"y":2},"a2":{"id":"a2","index":"a2","x":1,"y":1}}}}`, nil},
		{"malformed points", `{"type":"line","props":{"points":[{"x":1,"y":1},{"x":2}]}}`, nil, `{"type":"line","props":{}}`, []string{at("props.points")}},
		{"one point", `{"type":"line","props":{"points":[{"x":1,"y":1}]}}`, nil, `{"type":"line","props":{}}`, []string{at("props.points")}},
		{"start and end of a line", `{"type":"line","end":{"x":3,"y":4},"props":{"start":[1,2]}}`, nil, `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":1,"y":2},"a2":{"id":"a2","index":"a2","x":3,"y":4}}}}`, nil},
		{"handles of a line", `{"type":"line","props":{"handles":{"start":{"x":1,"y":2},"end":{"x":3,"y":4}}}}`, nil, `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":1,"y":2},"a2":{"id":"a2","index":"a2","x":3,"y":4}}}}`, nil},
		{"points before ends", `{"type":"line","props":{"start":{"x":1,"y":2},"end":{"x":3,"y":4},"points":[[0,0],[1,1]]}}`, nil, `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":0,"y":0},"a2":{"id":"a2","index":"a2","x":1,"y":1}}}}`, []string{at("props.start"), at("props.end")}},
		{"only one end", `{"type":"line","props":{"end":{"x":3,"y":4}}}`, nil, `{"type":"line","props":{}}`, []string{at("props.end")}},
		{"ends of an arrow", `{"type":"arrow","props":{"start":{"type":"point","x":"1","y":2},"end":{"boundShapeId":"x"}}}`, nil, `{"type":"arrow","props":{"start":{"x":1,"y":2}}}`, []string{at("props.end")}},
		{"a pair is no end of an arrow", `{"type":"arrow","props":{"end":[1,2]}}`, nil, `{"type":"arrow","props":{}}`, []string{at("props.end")}},
		{"segments", `{"type":"draw","props":{"segments":[{"type":"wavy","points":[{"x":0,"y":0},{"x":1,"y":1,"z":0.7}]},{"type":"straight","points":[[2,2]]}]}}`, nil, `{"type":"draw","props":{"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5},{"x":1,"y":1,"z":0.7}]},{"type":"straight","points":[{"x":2,"y":2,"z":0.5}]}]}}`, nil},
		{"malformed segments", `{"type":"draw","props":{"segments":[{"points":[]}]}}`, nil, `{"type":"draw","props":{}}`, []string{at("props.segments")}},
		// docs/spec/aspire.md#r22
		{"of another kind", `{"type":"text","props":{"geo":"star","fill":"solid","h":5}}`, nil, `{"type":"text","props":{}}`, []string{at("props.geo"), at("props.fill"), at("props.h")}},
		{"of no kind", `{"type":"geo","props":{"stroke":3}}`, nil, `{"type":"geo","props":{}}`, []string{at("props.stroke")}},
		{"written twice", `{"type":"geo","props":{"w":5,"w":-1}}`, nil, `{"type":"geo","props":{}}`, []string{at("props.w")}},
		// docs/spec/aspire.md#r14, strict
		{"strict, good", `{"id":"shape:a","type":"geo","x":1+1,"props":{"geo":"star","color":"red","text":"abc"}}`, on(Strict), `{"id":"shape:a","type":"geo","x":2,"props":{"geo":"star","color":"red","richText":` + doc(abc) + `}}`, nil},
		{"strict, points", `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":0,"y":0},"a2":{"id":"a2","index":"a2","x":1,"y":1}}}}`, on(Strict), `{"type":"line","props":{"points":{"a1":{"id":"a1","index":"a1","x":0,"y":0},"a2":{"id":"a2","index":"a2","x":1,"y":1}}}}`, nil},
		{"strict, unknown property", `{"type":"geo","props":{"stroke":3}}`, on(Strict), "", []string{at("props.stroke"), "void_list createShapes"}},
		{"strict, at top level", `{"type":"geo","color":"red"}`, on(Strict), "", []string{at("color"), "void_list createShapes"}},
		{"strict, wrong value", `{"type":"geo","props":{"color":"Red"}}`, on(Strict), "", []string{at("props.color"), "void_list createShapes"}},
		{"strict, number in a string", `{"type":"geo","x":"5"}`, on(Strict), "", []string{at("x"), "void_list createShapes"}},
		{"strict, w", `{"type":"geo","props":{"w":0}}`, on(Strict), "", []string{at("props.w"), "void_list createShapes"}},
		{"strict, no prefix", `{"id":"a","type":"geo"}`, on(Strict), "", []string{at("id"), "void_list createShapes"}},
		{"strict, type of a geo", `{"type":"star"}`, on(Strict), "", []string{"rejected_shape createShapes[0]", "void_list createShapes"}},
		{"strict, list of points", `{"type":"line","props":{"points":[{"x":0,"y":0},{"x":1,"y":1}]}}`, on(Strict), "", []string{at("props.points"), "void_list createShapes"}},
		{"strict, opacity", `{"type":"geo","opacity":2}`, on(Strict), "", []string{at("opacity"), "void_list createShapes"}},
		{"strict, align", `{"type":"text","props":{"align":"start"}}`, on(Strict), "", []string{at("props.align"), "void_list createShapes"}},
		{"strict of one test", `{"type":"star"}`, on("graph.strict"), "", []string{"rejected_shape createShapes[0]", "void_list createShapes"}},
		{"strict of another test", `{"type":"star"}`, on("label.strict"), `{"type":"geo","props":{"geo":"star"}}`, nil},
	}
	for _, c := range cases {
		ops, notes := cleaned(t, `{"createShapes":[`+c.entry+`]}`, c.variants)
		want := []any{}
		if c.want != "" {
			one := map[string]any{"id": "shape:new-0"}
			if err := json.Unmarshal([]byte(c.want), &one); err != nil {
				t.Fatal(c.name, err)
			}
			want = append(want, one)
		}
		if !reflect.DeepEqual(ops["create"], want) {
			got, _ := json.Marshal(ops["create"])
			t.Errorf("%s: %s\n got %s\nwant [%s]", c.name, c.entry, got, c.want)
		}
		if strings.Join(notes, "; ") != strings.Join(c.notes, "; ") {
			t.Errorf("%s: notes are %q; want %q", c.name, notes, c.notes)
		}
	}
}

// TestOperations checks lists, ids, updates and what is left on the whiteboard
// (docs/spec/aspire.md#r23, docs/spec/aspire.md#r24).
func TestOperations(t *testing.T) {
	cases := []struct {
		name, answer             string
		order                    string // ids at the end, without prefix
		created, deleted, noted  string
		variants                 scoring.Variants
		updates, removes, newGeo int
	}{
		{name: "nothing", answer: `{"createShapes":null}`, order: "geo text line"},
		{name: "single values", answer: `{"createShapes":{"type":"geo"},"deleteShapes":"geo","updateShapes":{"id":"text","x":1}}`,
			order: "text line new-0", created: "new-0", deleted: "geo", updates: 1, removes: 1, newGeo: 1},
		{name: "new ids count every entry", answer: `{"createShapes":[5,{"type":"geo"},{"type":"geo","id":"a"},{"type":"geo","id":""},{"type":"geo","id":7}]}`,
			order: "geo text line new-1 a new-3 new-4", created: "new-1 a new-3 new-4", newGeo: 4,
			noted: "rejected_shape createShapes[0]; dropped_field createShapes[3].id; dropped_field createShapes[4].id"},
		{name: "existing id", answer: `{"createShapes":[{"type":"geo","id":"geo"}]}`, order: "text line geo", created: "geo", newGeo: 1},
		{name: "existing id, then deleted", answer: `{"createShapes":[{"type":"geo","id":"geo"}],"deleteShapes":["geo"]}`,
			order: "text line", deleted: "geo", removes: 1, newGeo: 1},
		{name: "created twice", answer: `{"createShapes":[{"type":"geo","id":"a"},{"type":"geo","id":"b"},{"type":"text","id":"a"}]}`,
			order: "geo text line b a", created: "a b", newGeo: 3},
		{name: "created and deleted", answer: `{"createShapes":[{"type":"geo","id":"a"}],"deleteShapes":["a"]}`, order: "geo text line", removes: 1, newGeo: 1},
		{name: "deleted, then updated", answer: `{"deleteShapes":[{"id":"geo"}],"updateShapes":[{"id":"geo","x":1}]}`,
			order: "text line", deleted: "geo", noted: "unknown_id updateShapes[0]", removes: 1},
		{name: "unknown and useless", answer: `{"deleteShapes":["x","geo","geo",5,null,{}],"updateShapes":[7,{"x":1}]}`, order: "text line", deleted: "geo", removes: 3,
			noted: "rejected_shape deleteShapes[3]; rejected_shape deleteShapes[4]; rejected_shape deleteShapes[5]; unknown_id deleteShapes[0]; unknown_id deleteShapes[2]; rejected_shape updateShapes[0]; rejected_shape updateShapes[1]"},
		{name: "strict: a bad entry voids its list only", answer: `{"createShapes":[{"type":"geo"},{"type":"star"}],"deleteShapes":["shape:geo"]}`, variants: scoring.Variants{Strict: ""},
			order: "text line", deleted: "geo", removes: 1, noted: "rejected_shape createShapes[1]; void_list createShapes"},
		{name: "strict: ids without prefix are unknown", answer: `{"deleteShapes":["geo"],"updateShapes":[{"id":"text","x":1}]}`, variants: scoring.Variants{Strict: ""},
			order: "geo text line", removes: 1, noted: "unknown_id deleteShapes[0]; unknown_id updateShapes[0]"},
	}
	s := newSuite(Config{})
	for _, c := range cases {
		item := `{"test":"graph","shapes":` + given + `,"response":` + c.answer + `}`
		w, err := ran(s, item, c.variants)
		if err != nil {
			t.Fatal(c.name, err)
		}
		plain := func(ids []string) string { return strings.ReplaceAll(strings.Join(ids, " "), idPrefix, "") }
		var order, notes []string
		for _, r := range w.board.final() {
			order = append(order, r.ID)
		}
		for _, n := range w.notes.all() {
			notes = append(notes, n.Code+" "+n.Path)
		}
		for _, x := range []struct{ what, got, want string }{
			{"order", plain(order), c.order}, {"created", plain(idsOf(w.board.created())), c.created},
			{"deleted", plain(w.board.deleted()), c.deleted}, {"notes", strings.Join(notes, "; "), c.noted},
		} {
			if x.got != x.want {
				t.Errorf("%s: %s is %q; want %q", c.name, x.what, x.got, x.want)
			}
		}
		if len(w.operations.updates) != c.updates || len(w.operations.deletes) != c.removes || len(w.operations.creates) != c.newGeo {
			t.Errorf("%s: got %d creations, %d deletions, %d updates; want %d, %d, %d", c.name,
				len(w.operations.creates), len(w.operations.deletes), len(w.operations.updates), c.newGeo, c.removes, c.updates)
		}
	}
}

// TestUpdate checks that partial records are merged (docs/spec/aspire.md#r24) and cleaned for the
// kind of the existing shape, not the kind that the update names.
func TestUpdate(t *testing.T) {
	cases := []struct{ name, update, want string }{
		{"merged", `{"id":"geo","x":1,"props":{"w":5}}`, `{"x":1,"y":20,"props":{"geo":"star","color":"blue","w":5}}`},
		{"invalid values keep the old", `{"id":"geo","x":"?","props":{"color":"crimson","geo":"blob"}}`, `{"x":10,"y":20,"props":{"geo":"star","color":"blue"}}`},
		{"another type", `{"id":"geo","type":"text","props":{"text":"t","autoSize":false}}`, `{"x":10,"y":20,"props":{"geo":"star","color":"blue","richText":{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"t"}]}]}}}`},
		{"type names a geo", `{"id":"geo","type":"circle"}`, `{"x":10,"y":20,"props":{"geo":"ellipse","color":"blue"}}`},
		{"the id stays", `{"id":"geo","meta":{"a":1},"parentId":"shape:text","index":"a9"}`, `{"x":10,"y":20,"props":{"geo":"star","color":"blue"}}`},
	}
	s := newSuite(Config{})
	for _, c := range cases {
		w, err := ran(s, `{"test":"graph","shapes":`+given+`,"response":{"updateShapes":[`+c.update+`]}}`, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		want := map[string]any{"id": "shape:geo", "type": "geo"}
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(c.name, err)
		}
		b, _ := json.Marshal(written(w.board.find("shape:geo")))
		var got map[string]any
		if json.Unmarshal(b, &got); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %s; want %s", c.name, b, c.want)
		}
		if first := w.board.initial[0]; first.X != 10 || first.Color != scene.Blue || first.Geo != scene.Star || first.Rich != nil {
			t.Errorf("%s: the initial record has changed", c.name)
		}
	}
}

// TestManyEntries checks that entries beyond the limit are ignored, with a note even after a
// hundred other notes.
func TestManyEntries(t *testing.T) {
	const most = 500
	s := newSuite(Config{MaxActions: most})
	answer := `{"createShapes":[` + strings.Repeat(`{"type":"star"},`, most+50) + `{}],"deleteShapes":[` + strings.Repeat(`7,`, most) + `"y"]}`
	w, err := ran(s, `{"test":"graph","shapes":`+given+`,"response":`+answer+`}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, limits := w.notes.all(), ""
	for _, n := range all {
		if n.Code == "limit" {
			limits += n.Path + " " + n.Message + "; "
		}
	}
	const want = "createShapes entries beyond the first 500 are not read (--max-actions); deleteShapes entries beyond the first 500 are not read (--max-actions); "
	if len(w.operations.creates) != most || len(all) != maxNotes+3 || limits != want || all[len(all)-1].Code != "more_notes" {
		t.Errorf("got %d creations, %d notes and the limits %s; want %d, %d, %s", len(w.operations.creates), len(all), limits, most, maxNotes+3, want)
	}
}

// TestDefaultEntries: as many actions as the default limit allows are read.
func TestDefaultEntries(t *testing.T) {
	answer := `{"deleteShapes":[` + strings.Repeat(`"x",`, 20_000) + `"geo"]}`
	w, err := ran(newSuite(Config{}), `{"test":"graph","shapes":`+given+`,"response":`+answer+`}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.operations.deletes); n != 20_001 {
		t.Errorf("got %d deletions; want 20,001", n)
	}
}

// TestRemoveChildren: what lies in a deleted group goes with it.
func TestRemoveChildren(t *testing.T) {
	const scene1 = `[{"id":"shape:g","type":"group"},{"id":"shape:f","type":"frame","parentId":"shape:g"},
	 {"id":"shape:a","type":"geo","parentId":"shape:f"},{"id":"shape:b","type":"geo"},{"id":"shape:c","type":"geo","parentId":"page:page"}]`
	w, err := ran(newSuite(Config{}), `{"test":"graph","shapes":`+scene1+`,"response":{"deleteShapes":["g"]}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.board.deleted(), " "); got != "shape:g shape:f shape:a" {
		t.Errorf("deleted are %s", got)
	}
}
