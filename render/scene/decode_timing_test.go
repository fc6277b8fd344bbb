package scene

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/testdata"
)

// balance returns a scene like those of benchmark items: n filled shapes.
func balance(n int) []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"shape:shape-%d","type":"geo","x":%g,"y":%g,"rotation":-1.3127,"props":{"geo":"trapezoid","color":"light-violet","w":133.5,"h":61,"fill":"solid"}}`,
			i, 488.48+float64(i), 98.37*float64(i))
	}
	b.WriteByte(']')
	return b.Bytes()
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{8, 100, 10_000} {
		in := balance(n)
		b.Run(fmt.Sprintf("shapes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s, err := Decode(in, Limits{})
				if err != nil || len(s.Shapes) != n {
					b.Fatal(s, err)
				}
			}
		})
	}
}

func BenchmarkDecodeValue(b *testing.B) {
	v, err := fastjson.ParseBytes(balance(8))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if s, err := DecodeValue(v, Limits{}); err != nil || len(s.Shapes) != 8 {
			b.Fatal(s, err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	records := make([]Record, 8)
	for i := range records {
		r := NewRecord(fmt.Sprintf("shape:shape-%d", i), Geo)
		r.X, r.Y, r.W, r.H, r.Geo, r.Fill, r.Color = 1, 2, 30, 40, Heart, FillSolid, Red
		r.Has = HasX | HasY | HasW | HasH | HasGeo | HasFill | HasColor
		records[i] = r
	}
	b.ReportAllocs()
	for b.Loop() {
		if s, err := Resolve(records, nil, Limits{}); err != nil || s.Shapes[7].Geo != Heart {
			b.Fatal(s, err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	item := balance(26)[:4096]
	item = append(item[:bytes.LastIndexByte(item, '{')], "0}}]"...) // 4 KB, still JSON
	item = append(item[:bytes.LastIndex(item, []byte(`,"props"`))], "}]"...)
	in := map[string][]byte{"4KB": item, "1MB": balance(7000)}
	var keys bytes.Buffer
	keys.WriteByte('{')
	for i := range 100_000 {
		fmt.Fprintf(&keys, `"%d":0,`, i)
	}
	in["keys=100000"] = append(keys.Bytes(), `"x":0}`...)
	in["text=1MB"] = append(append([]byte{'"'}, bytes.Repeat([]byte("plain text, "), 1<<20/12)...), '"')
	for name, in := range in {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if err := Check(in, 300); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkScenes decodes the full records of the reference scenes.
func BenchmarkScenes(b *testing.B) {
	var lines [][]byte
	total := 0
	testdata.Lines(b, "tldraw/scenes.jsonl", func(line []byte) {
		lines, total = append(lines, line), total+len(line)
	})
	b.ReportAllocs()
	b.SetBytes(int64(total))
	for b.Loop() {
		for _, line := range lines {
			if _, err := Decode(line, Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(lines)*b.N)/b.Elapsed().Seconds(), "scenes/s")
}
