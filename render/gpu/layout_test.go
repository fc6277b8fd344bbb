package gpu

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gl/gl/v4.3-core/gl"

	"plumb/render/batch"
	"plumb/render/egl"
	"plumb/render/region"
)

// TestLayout asks GL where std430 puts each member of the records and how far
// apart the records are, and compares with the Go structs.
func TestLayout(t *testing.T) {
	d, err := egl.Open(egl.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, record := range []any{batch.Item{}, batch.Tile{}, batch.Run{}, batch.RowSums{}, job{}, region.Edge{}, region.Sums{}} {
		typ := reflect.TypeOf(record)
		var got map[string][2]int
		if err := d.Do(func() (err error) { got, err = mirror(typ); return err }); err != nil {
			t.Fatal(err)
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			want := [2]int{int(f.Offset), int(typ.Size())}
			if g, ok := got[member(f, i)]; !ok || g != want {
				t.Errorf("%s.%s: GL has offset and stride %v (found %v); Go has %v", typ.Name(), f.Name, g, ok, want)
			}
		}
	}
}

func member(f reflect.StructField, i int) string {
	return fmt.Sprintf("m%d_%s", i, strings.Trim(f.Name, "_"))
}

// mirror compiles a shader that uses the struct in a storage block, and returns
// offset and array stride of each member.
func mirror(typ reflect.Type) (map[string][2]int, error) {
	if err := initGL(); err != nil {
		return nil, err
	}
	kinds := map[reflect.Kind]string{reflect.Uint32: "uint", reflect.Int32: "int", reflect.Float32: "float"}
	fields, uses := "", ""
	for i := range typ.NumField() {
		f := typ.Field(i)
		fields += fmt.Sprintf("    %s %s;\n", kinds[f.Type.Kind()], member(f, i))
		uses += fmt.Sprintf("    sum += uint(records[uRuns].%s);\n", member(f, i))
	}
	p, err := compile(typ.Name(), `#version 430 core
layout(local_size_x = 1) in;
uniform uint uFirstRun, uRuns;
struct Record {
`+fields+`};
layout(binding = 0, std430) buffer Block { Record records[]; };
layout(binding = 1, std430) buffer Sum { uint sum; };
void main() {
    sum = uFirstRun;
`+uses+`}
`)
	if err != nil {
		return nil, err
	}
	defer gl.DeleteProgram(p.id)
	out := map[string][2]int{}
	for i := range typ.NumField() {
		name := member(typ.Field(i), i)
		text, free := gl.Strs("Block.records[0]." + name + "\x00")
		index := gl.GetProgramResourceIndex(p.id, gl.BUFFER_VARIABLE, *text)
		free()
		if index == gl.INVALID_INDEX {
			text, free := gl.Strs("records[0]." + name + "\x00")
			index = gl.GetProgramResourceIndex(p.id, gl.BUFFER_VARIABLE, *text)
			free()
		}
		if index == gl.INVALID_INDEX {
			continue
		}
		props := []uint32{gl.OFFSET, gl.TOP_LEVEL_ARRAY_STRIDE}
		values := make([]int32, len(props))
		gl.GetProgramResourceiv(p.id, gl.BUFFER_VARIABLE, index, int32(len(props)), &props[0], int32(len(values)), nil, &values[0])
		out[name] = [2]int{int(values[0]), int(values[1])}
	}
	return out, nil
}
