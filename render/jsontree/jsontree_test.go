package jsontree

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 1, `"a,[{"`: 1, `"a\","`: 1, `"a\\",1`: 2, `[1,2,3]`: 4, `{"a":1,"b":[]}`: 4, `{"a,b":"c\",d"}`: 2, `"torn`: 1, ``: 1, `"a\`: 1,
	} {
		if got := Count([]byte(text)); got != want {
			t.Errorf("%s: got %d; want %d", text, got, want)
		}
	}
}

// A parsed text takes ValueBytes per value, and Trim frees the memory.
func TestMemory(t *testing.T) {
	if valuesOffset < 0 {
		t.Fatal("this fastjson keeps its values elsewhere")
	}
	for name, text := range map[string]string{
		"numbers": "[" + strings.Repeat("1,", 1<<20) + "1]",
		"points":  "[" + strings.Repeat(`{"x":1,"y":2,"z":0.5},`, 1<<18) + "1]",
		"lists":   "[" + strings.Repeat("[[1]],", 1<<18) + "1]",
	} {
		b := []byte(text)
		var p fastjson.Parser
		before := live()
		v, err := Parse(&p, b)
		if err != nil {
			t.Fatal(err)
		}
		each := float64(live()-before) / float64(Count(b))
		t.Logf("%s: %.0f bytes a value", name, each)
		if each > ValueBytes {
			t.Errorf("%s: got %.0f bytes a value; want at most %d", name, each, ValueBytes)
		}
		runtime.KeepAlive(v)
		if v = nil; cap(*valuesOf(&p)) <= keptValues {
			t.Fatalf("%s: the text is too short for this test", name)
		}
		Trim(&p)
		if left := live() - before; left > 1<<20 {
			t.Errorf("%s: got %d bytes after Trim; want none", name, left)
		}
		runtime.KeepAlive(&p)
	}
}

func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Short texts are parsed without allocating ahead.
func TestSmall(t *testing.T) {
	var p fastjson.Parser
	v, err := Parse(&p, []byte(`{"a":[1,2]}`))
	if err != nil || string(v.MarshalTo(nil)) != `{"a":[1,2]}` {
		t.Errorf("got %v, %v", v, err)
	}
	Trim(&p)
	long := bytes.Repeat([]byte(" "), smallText+1)
	if v, err = Parse(&p, append(long, '7')); err != nil || v.GetInt() != 7 {
		t.Errorf("got %v, %v; want 7", v, err)
	}
}
