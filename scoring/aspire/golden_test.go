package aspire

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"plumb/render/view"
	"plumb/scoring"
	"plumb/testdata"
)

// madeResults returns the results of a made-up evaluation: three models in all modes and inputs, with
// repeats, failed scorers and missing answers. The generator has a fixed seed.
func madeResults(t *testing.T) (list []*scoring.Result) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for _, model := range []string{"zeta", "alpha", "beta"} {
		for _, mode := range []string{"reasoning", "default", "cot"} {
			for _, input := range []string{"scaffold", "full", "minimal"} {
				if model == "beta" && input != "full" {
					continue
				}
				for _, test := range testNames() {
					for k := range 6 {
						score := fmt.Sprintf(`"score":%.4f`, r.Float64()*1.4-0.2)
						switch r.IntN(9) {
						case 0:
							score = `"score":null,"error":{"code":"no_response","message":"none"}`
						case 1:
							score = `"score":null,"error":{"code":"deadline","message":"late"}`
						}
						usage := fmt.Sprintf(`,"usage":{"prompt":800,"completion":%d}`, r.IntN(2000))
						if r.IntN(5) == 0 {
							usage = ""
						}
						v, err := fastjson.Parse(fmt.Sprintf(`{"id":"%s-%d","suite":"aspire","test":%q,%s,"asked":{"model":%q,"mode":%q,"input":%q,"repeat":%d,"finish":"stop","outcome":"answer"%s}}`,
							test, k/2, test, score, model, mode, input, k%2+1, usage))
						if err != nil {
							t.Fatal(err)
						}
						result, err := scoring.ReadResult(v)
						if err != nil {
							t.Fatal(err)
						}
						list = append(list, result)
					}
				}
			}
		}
	}
	return list
}

// TestAllTables compares all tables of a made-up evaluation with a file, so that no change of them passes
// unseen. The other tests say what is right. With -update it writes the file.
func TestAllTables(t *testing.T) {
	var b strings.Builder
	clamped := scoring.Variants{"table.clamp01": ""}
	for _, o := range []scoring.TableOptions{{}, {Missing: true}, {Variants: clamped, Papers: [][]byte{}}} {
		tab := newTables(o)
		for _, r := range madeResults(t) {
			tab.Add(r)
		}
		fmt.Fprintf(&b, "missing %v, variants %v\n\n", o.Missing, o.Variants)
		for _, one := range tab.Tables() {
			fmt.Fprintf(&b, "%s\n%s\n%s\n", one.Title, one.Note, strings.Join(one.Columns, " | "))
			for _, row := range one.Rows {
				fmt.Fprintln(&b, strings.Join(row, " | "))
			}
			b.WriteByte('\n')
		}
	}
	testdata.Compare(t, "aspire/tables.txt", b.String(), *update)
}

// The board that turns have left is shown whole: the overlap test by its content with 32 px around, the
// others by the canvas.
func TestBoardView(t *testing.T) {
	const shapes = `[{"id":"shape:a","type":"geo","x":10.5,"y":20.25,"w":100,"h":50},{"id":"shape:b","type":"geo","x":-3,"y":7,"w":20,"h":30.5}]`
	for test, want := range map[string]view.Box{"overlap": {}, "maze": canvas} {
		made := applied(t, newSuite(Config{}), []byte(`{"test":"`+test+`","shapes":`+shapes+`,"task":{}}`), `{"createShapes":[]}`)
		v, err := made.View()
		if err != nil {
			t.Fatal(err)
		}
		if test == "overlap" {
			c, ok, err := view.ContentBounds(v.Scene, nil)
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			// The smallest box of whole pixels around the content and its 32 px.
			x0, y0, x1, y1 := c.X-32, c.Y-32, c.X+c.W+32, c.Y+c.H+32
			b := v.Bounds
			whole := b.X == float64(int(b.X)) && b.Y == float64(int(b.Y)) && b.W == float64(int(b.W)) && b.H == float64(int(b.H))
			if !whole || !(b.X <= x0 && x0 < b.X+1 && b.Y <= y0 && y0 < b.Y+1 && b.X+b.W-1 < x1 && x1 <= b.X+b.W && b.Y+b.H-1 < y1 && y1 <= b.Y+b.H) {
				t.Errorf("got the bounds %v of the content %v", b, c)
			}
			continue
		}
		if v.Bounds != want {
			t.Errorf("%s: got the bounds %v; want the canvas", test, v.Bounds)
		}
	}
	empty := applied(t, newSuite(Config{}), []byte(`{"test":"overlap","shapes":[],"task":{}}`), `{"createShapes":[]}`)
	if v, err := empty.View(); err != nil || v.Bounds != canvas {
		t.Errorf("a board without shapes: got %v, %v; want the canvas", v.Bounds, err)
	}
}
