package generate

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/splitmix"
	"plumb/testdata"
)

// TestInstance checks what holds for every instance: it is valid by docs/spec/tangram.md#r10 when it is
// read back, keeps to the schema, has area 8 and small denominators, and a seed
// gives it again.
func TestInstance(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(assembly.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("instance.json", doc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("instance.json")
	outlines := map[string]bool{}
	const n = 300
	for k := range n {
		in := Instance(11, k)
		line := in.AppendJSON(nil)
		back, err := assembly.Read(line)
		if err != nil {
			t.Fatal(err)
		}
		if again := back.AppendJSON(nil); !bytes.Equal(again, line) {
			t.Errorf("%s changes when it is read and written:\n%s\n%s", in.ID, line, again)
		}
		if again := Instance(11, k).AppendJSON(nil); !bytes.Equal(again, line) {
			t.Errorf("%s made twice:\n%s\n%s", in.ID, line, again)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", in.ID, err)
		}
		if a := field.Area(in.Outline); !a.Equal(field.Int(8)) {
			t.Errorf("%s: the outline has area %s; want 8", in.ID, a.LaTeX())
		}
		for _, p := range in.Outline {
			for _, x := range []field.Number{p.X, p.Y} {
				if _, _, d, ok := x.Int64s(); !ok || d > 64 {
					t.Errorf("%s: coordinate %s; want a small denominator", in.ID, x.LaTeX())
				}
			}
		}
		outlines[string(appendOutline(in))] = true
	}
	if len(outlines) < n*9/10 {
		t.Errorf("%d instances have %d outlines; want nearly as many", n, len(outlines))
	}
}

func appendOutline(in *assembly.Instance) (b []byte) {
	for _, p := range in.Outline {
		b = append(append(append(p.X.AppendLaTeX(b), ','), p.Y.LaTeX()...), ' ')
	}
	return b
}

// TestFirst pins the stream: seeds must give the same instances in every version.
func TestFirst(t *testing.T) {
	got := string(appendOutline(Instance(0, 0)))
	const want = `2,0 2+\sqrt{2},0 3,-1+\sqrt{2} 3,\sqrt{2} 2+\frac{\sqrt{2}}{2},1+\frac{\sqrt{2}}{2} 2+\frac{\sqrt{2}}{2},1+\frac{3\sqrt{2}}{2} 4,3+\sqrt{2} 2,3+\sqrt{2} 2,2+\sqrt{2} 1,2+\sqrt{2} 1,1+\sqrt{2} 0,2+\sqrt{2} 0,\sqrt{2} 2,\sqrt{2} `
	if got != want {
		t.Errorf("outline of instance 0 of seed 0:\n got %s\nwant %s", got, want)
	}
}

// TestSample holds the sample files against what makes them:
//
//	plumb tangram generate --seed 1 --count 36 -o instances.jsonl --answers predictions.jsonl
func TestSample(t *testing.T) {
	dir := filepath.Join(testdata.Root(), "testdata", "tangram")
	var instances, answers []byte
	for k := range 36 {
		in := Instance(1, k)
		instances = append(in.AppendJSON(instances), '\n')
		for n := range 3 {
			answers = append(append(answers, Line(in, k+5*n)...), '\n')
		}
	}
	for name, want := range map[string][]byte{"instances.jsonl": instances, "predictions.jsonl": answers} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what is made of seed 1", name)
		}
	}
}

// TestMotions moves valid configurations rigidly: they stay valid, in all sixteen
// orientations and wherever they lie, with the same contacts and lengths.
func TestMotions(t *testing.T) {
	r := splitmix.New("motions")
	part := func() field.Number {
		return field.Ratio(int64(r.Below(41)-20), int64(1+r.Below(7))).Add(field.Surd(int64(r.Below(41)-20), int64(1+r.Below(7))))
	}
	for k := range 20 {
		in := Instance(31, k)
		for _, turn := range assembly.Turns {
			by := assembly.Point{X: part(), Y: part()}
			var polys [assembly.Count][]assembly.Point
			for i, p := range in.Pieces {
				for _, v := range p {
					polys[i] = append(polys[i], turn.Apply(v).Add(by))
				}
			}
			f, err := assembly.FromPolygons(polys)
			if err != nil {
				t.Fatalf("%s turned by %v, shifted by (%s, %s): %v", in.ID, turn, by.X.LaTeX(), by.Y.LaTeX(), err)
			}
			if !slices.Equal(f.Adjacent, in.Adjacent) {
				t.Errorf("%s turned by %v: contacts %v; want %v", in.ID, turn, f.Adjacent, in.Adjacent)
			}
			if got, want := around(f.Lengths), around(in.Lengths); !got.Equal(want) {
				t.Errorf("%s turned by %v: the outline is %s long; want %s", in.ID, turn, got.LaTeX(), want.LaTeX())
			}
			if turn.Eighths == 0 && !turn.Mirror && string(appendOutline(&assembly.Instance{Figure: *f})) != string(appendOutline(in)) {
				t.Errorf("%s shifted by (%s, %s) is not normalised", in.ID, by.X.LaTeX(), by.Y.LaTeX())
			}
		}
	}
}

func around(lengths []field.Number) field.Number {
	sum := field.Int(0)
	for _, l := range lengths {
		sum = sum.Add(l)
	}
	return sum
}
