package scene

import (
	"bytes"
	"reflect"
	"testing"
)

// fullScene has a value in every field and an element in every list.
func fullScene() *Scene {
	return &Scene{
		Shapes: []Shape{{
			ID: "shape:a", Points: []Point{{1, 2}}, Segments: []Segment{{Points: []Pressed{{1, 2, 3}}}},
			Arrow: &ArrowProps{Bend: 1}, Rich: &RichText{Blocks: []Block{{Spans: []Span{{Text: "t"}}}}},
		}},
		Bindings: []Binding{{From: 1}},
	}
}

// TestContentHoldsEveryField changes every exported field that a scene reaches, one at a time: a
// field that AppendContent forgets would give two scenes one tally.
func TestContentHoldsEveryField(t *testing.T) {
	want := fullScene().AppendContent(nil)
	fields := 0
	for n := 0; ; n++ {
		s := fullScene()
		count := n
		path := change(reflect.ValueOf(s).Elem(), "Scene", &count)
		if path == "" {
			break
		}
		if path == "Scene.Skipped" {
			continue // other pages are not in the picture
		}
		fields++
		if bytes.Equal(s.AppendContent(nil), want) {
			t.Errorf("content does not depend on %s", path)
		}
	}
	if fields < 70 {
		t.Errorf("changed %d fields; want all, at least 70", fields)
	}
}

// change changes the exported value number n below v, and returns its path; "" where there are fewer.
func change(v reflect.Value, path string, n *int) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				if p := change(v.Field(i), path+"."+f.Name, n); p != "" {
					return p
				}
			}
		}
		return ""
	case reflect.Pointer:
		if *n == 0 {
			v.SetZero()
			*n--
			return path
		}
		*n--
		return change(v.Elem(), path, n)
	case reflect.Slice:
		if *n == 0 {
			v.Set(reflect.Append(v, v.Index(0)))
			*n--
			return path
		}
		*n--
		return change(v.Index(0), path+"[0]", n)
	case reflect.Array:
		for i := range v.Len() {
			if p := change(v.Index(i), path, n); p != "" {
				return p
			}
		}
		return ""
	}
	*n--
	if *n >= 0 {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Int, reflect.Int32:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	default:
		panic("a kind of field that the test does not know: " + v.Kind().String())
	}
	return path
}
