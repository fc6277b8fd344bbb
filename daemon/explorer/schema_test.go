package explorer

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"plumb/daemon/index"
)

var update = flag.Bool("update", false, "write schema.json anew")

// TestSchema demands that schema.json, from which the client's types are made, describes the types of the API.
func TestSchema(t *testing.T) {
	s := schema{}
	for _, v := range []any{Info{}, Selected{}, Rows{}, Overview{}, Item{}, Asked{}, Comparison{}, Against{}, Pairs{}, Suspects{}, Sensitivity{}, Saved{}, Fault{}, index.Filter{}} {
		s.of(reflect.TypeOf(v))
	}
	want, err := json.MarshalIndent(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "answers of plumb's explorer", "$defs": s}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("schema.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile("schema.json"); !bytes.Equal(got, want) {
		t.Error("schema.json is out of date; want go test ./daemon/explorer -run TestSchema -update")
	}
}

// schema holds the definitions of types by name.
type schema map[string]any

// of returns the schema of a type, and adds the definitions that it needs.
func (s schema) of(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{s.of(t.Elem()), map[string]any{"type": "null"}}}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Slice, reflect.Array:
		if t == reflect.TypeFor[json.RawMessage]() {
			return map[string]any{}
		}
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	}
	ref := map[string]any{"$ref": "#/$defs/" + t.Name()}
	if s[t.Name()] != nil {
		return ref
	}
	properties, required := map[string]any{}, []string{}
	s[t.Name()] = properties // for types that contain themselves
	s.fields(t, properties, &required)
	s[t.Name()] = map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	return ref
}

// fields adds the members of a struct.
func (s schema) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			s.fields(f.Type, properties, required)
		case name == "-" || !f.IsExported():
		case options == "omitempty" && f.Type.Kind() == reflect.Pointer:
			properties[name] = s.of(f.Type.Elem())
		default:
			properties[name] = s.of(f.Type)
			if options != "omitempty" {
				*required = append(*required, name)
			}
		}
	}
}
