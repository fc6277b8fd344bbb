package scene_test

import (
	"cmp"
	"strings"
	"testing"

	"plumb/render/scene"
)

// TestOdd checks which records are left to the editor, by the name of the member. See
// docs/spec/drawing.md#r88.
func TestOdd(t *testing.T) {
	const (
		base  = `"id":"shape:a","typeName":"shape","type":"TYPE","x":0,"y":0,"rotation":0,"index":"a1","parentId":"page:page","isLocked":false,"opacity":1,"meta":{}`
		frame = `"w":10,"h":10,"name":"","color":"black"`
		image = `"w":10,"h":10,"playing":true,"url":"","assetId":null,"crop":null,"flipX":false,"flipY":false,"altText":""`
		line  = `"dash":"draw","size":"m","color":"black","spline":"line","scale":1,"points":{"a":{"id":"a","index":"a1","x":0,"y":0},"b":{"id":"b","index":"a2","x":9,"y":9}}`
		note  = `"color":"black","labelColor":"black","size":"m","font":"draw","align":"middle","verticalAlign":"middle","growY":0,"fontSizeAdjustment":0,"scale":1,"url":"","richText":{"type":"doc","content":[{"type":"paragraph"}]}`
		draw  = `"segments":[{"type":"free","points":[{"x":0,"y":0,"z":0.5}]}]`
		bound = `[{"id":"shape:a","type":"arrow"},{"id":"shape:b","type":"geo"}],"bindings":[{"type":"arrow","fromId":"shape:a","toId":"shape:b","props":{"terminal":"end"MORE}}]`
	)
	file := func(kind, props string) string {
		return `{"schema":{"schemaVersion":2,"sequences":{}},"records":[{` + strings.Replace(base, "TYPE", kind, 1) + `,"props":{` + props + `}}]}`
	}
	without := func(s, part string) string { return strings.Replace(s, part, "", 1) }
	for _, c := range []struct{ name, source, want string }{
		{"a whole frame", file("frame", frame), ""},
		{"a whole image", file("image", image), ""},
		{"a whole line", file("line", line), ""},
		{"a whole note", file("note", note), ""},
		{"the text of an older note", file("note", strings.Replace(note, `"richText":{"type":"doc","content":[{"type":"paragraph"}]}`, `"text":"a"`, 1)), ""},
		{"no meta", without(file("frame", frame), `,"meta":{}`), "meta"},
		{"no opacity", without(file("frame", frame), `,"opacity":1`), "opacity"},
		{"a locked word", strings.Replace(file("frame", frame), `"isLocked":false`, `"isLocked":"no"`, 1), "isLocked"},
		{"another member", strings.Replace(file("frame", frame), `"meta":{}`, `"meta":{},"z":1`, 1), "as z"},
		{"no property", file("frame", without(frame, `"name":"",`)), "props.name"},
		{"another property", file("frame", frame+`,"fill":"none"`), "props.fill"},
		{"an ignoredProps property of another type", file("image", strings.Replace(image, `"playing":true`, `"playing":1`, 1)), "props.playing"},
		{"an empty asset", file("image", strings.Replace(image, `"assetId":null`, `"assetId":""`, 1)), "props.assetId"},
		{"a store without schema", `{"store":{"shape:a":{"id":"shape:a","typeName":"shape","type":"group","props":{}}}}`, "x"},
		{"written by hand", `{"records":[{"id":"shape:a","typeName":"shape","type":"frame","props":{"whatever":1}}]}`, ""},
		{"created", `[{"id":"shape:a","type":"frame","whatever":1,"props":{"whatever":1}}]`, ""},
		{"created, an empty asset", `[{"id":"shape:a","type":"image","props":{"assetId":""}}]`, "props.assetId"},
		{"another member of a point", `[{"id":"shape:a","type":"line","props":{` + strings.Replace(line, `"y":9`, `"y":9,"w":1`, 1) + `}}]`, "props.points.w"},
		{"a point without id", `[{"id":"shape:a","type":"line","props":{"points":{"a":{"index":"a1","x":0,"y":0}}}}]`, "props.points.a.id"},
		{"of an end", `[{"id":"shape:a","type":"arrow","props":{"end":{"x":1,"y":2,"w":1}}}]`, "props.end.w"},
		{"of a segment", `[{"id":"shape:a","type":"draw","props":{` + strings.Replace(draw, `"type":"free"`, `"type":"free","w":1`, 1) + `}}]`, "props.segments.w"},
		{"of a freehand point", `[{"id":"shape:a","type":"draw","props":{` + strings.Replace(draw, `"z":0.5`, `"z":0.5,"w":1`, 1) + `}}]`, "props.segments.points.w"},
		{"of a document", `[{"id":"shape:a","type":"text","props":{"richText":{"type":"doc","w":1,"content":[]}}}]`, "props.richText.w"},
		{"a binding", `{"shapes":` + strings.Replace(bound, "MORE", "", 1) + `}`, ""},
		{"a binding with another property", `{"shapes":` + strings.Replace(bound, "MORE", `,"w":1`, 1) + `}`, "props.w"},
	} {
		s, err := scene.Decode([]byte(c.source), scene.DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		for i := range s.Shapes {
			got = cmp.Or(got, s.Shapes[i].Odd)
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q; want %q in it", c.name, got, c.want)
		}
	}
}
