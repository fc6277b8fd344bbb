package render

import (
	"fmt"
	"testing"

	"plumb/render/view"
)

// TestTurnedDots: turned dots in dash draw have the alpha of the editor's pictures. The browser fills about half of
// such circles as convex paths, by the last bits of their points. The first twelve would be filled in the other way if
// they were mapped to px in one step; the last three would not.
func TestTurnedDots(t *testing.T) {
	e := open(t, BackendCPU)
	for _, c := range []struct {
		id                      string
		x, y, rotation, opacity float64
		size                    string
		scale                   float64
		pen, complete           bool
		pressure                float64
		part                    view.Box
		alpha                   uint64 // of the editor's picture, in 1/255
	}{
		{"shape:7", 115, 257, 0.3, 0.75, "s", 2, false, true, 0.5, view.Box{X: 77.26798106524636, Y: 219.26798106524637, W: 75.46403786950728, H: 75.46403786950725}, 10388},
		{"shape:21", 28, 35, 0.3, 0.9, "xl", 1, true, true, 0.5, view.Box{X: -14.508701380381666, Y: -7.508701380381666, W: 85.01740276076333, H: 85.01740276076333}, 47161},
		{"shape:38", 251, 62, 1.5, 1, "l", 0.5, false, true, 0.76, view.Box{X: 216.00751504018783, Y: 27.00751504018784, W: 69.98496991962435, H: 69.98496991962432}, 3122},
		{"shape:42", 296.11, 138.47, 1.5, 0.9, "xl", 0.5, true, false, 0.5, view.Box{X: 258.6237775736777, Y: 100.98377757367768, W: 74.97244485264457, H: 74.97244485264463}, 12909},
		{"shape:46", 207, 121, 1.5, 0.75, "m", 1, true, false, 0.89, view.Box{X: 170.51127256028175, Y: 84.51127256028175, W: 72.9774548794365, H: 72.9774548794365}, 15052},
		{"shape:117", 141, 175, 3, 1, "l", 2, false, true, 0.27, view.Box{X: 97.12009004079465, Y: 131.12009004079465, W: 87.7598199184107, H: 87.7598199184107}, 62401},
		{"shape:133", 36, 297, 3, 0.75, "xl", 0.5, false, true, 0.5, view.Box{X: -1.4449587313024495, Y: 259.55504126869755, W: 74.8899174626049, H: 74.8899174626049}, 10190},
		{"shape:146", 153, 111, 2.376, 1, "m", 1, true, false, 0.5, view.Box{X: 116.50088255214257, Y: 74.50088255214257, W: 72.99823489571486, H: 72.99823489571486}, 10760},
		{"shape:178", 84, 222, 1.5, 1, "xl", 1, true, false, 0.5, view.Box{X: 41.0275551473554, Y: 179.0275551473554, W: 85.9448897052892, H: 85.9448897052892}, 50618},
		{"shape:234", 128, 258, 3, 0.25, "m", 0.5, true, true, 0.5, view.Box{X: 93.772516882649, Y: 223.772516882649, W: 68.454966234702, H: 68.45496623470203}, 843},
		{"shape:245", 177.41, 186.65, 3, 0.9, "s", 0.25, false, false, 0.5, view.Box{X: 144.66750562754967, Y: 153.90750562754968, W: 65.48498874490065, H: 65.48498874490065}, 180},
		{"shape:265", 218, 101.97, 0.3, 1, "m", 0.25, true, true, 0.68, view.Box{X: 184.9252464497337, Y: 68.89524644973369, W: 66.14950710053262, H: 66.14950710053262}, 2094},
		{"shape:5", 25.94, 199.13, 3, 1, "xl", 0.25, false, false, 0.5, view.Box{X: -8.782479365651223, Y: 164.40752063434877, W: 69.44495873130245, H: 69.44495873130245}, 3602},
		{"shape:10", 20.85, 47.89, 3, 0.5, "xl", 0.25, false, false, 0.32, view.Box{X: -13.872479365651223, Y: 13.167520634348776, W: 69.44495873130245, H: 69.44495873130245}, 1236},
		{"shape:261", 261, 162, 0.233, 0.75, "xl", 1, false, false, 1, view.Box{X: 218.29724109838307, Y: 119.29724109838307, W: 85.40551780323389, H: 85.40551780323386}, 39773},
	} {
		dot := fmt.Sprintf(`{"id":%q,"type":"draw","x":%g,"y":%g,"rotation":%g,"opacity":%g,"props":{"size":%q,"scale":%g,"isPen":%t,"isComplete":%t,
			"segments":[{"type":"free","points":[{"x":0,"y":0,"z":%g}]}]}}`,
			c.id, c.x, c.y, c.rotation, c.opacity, c.size, c.scale, c.pen, c.complete, c.pressure)
		got, err := e.Measure(nil, prepared(t, e, view.View{Scene: sceneOf(t, dot), Bounds: c.part}))
		if err != nil {
			t.Fatal(err)
		}
		if got[0].A.Alpha != c.alpha {
			t.Errorf("%s: got alpha %d; want %d", c.id, got[0].A.Alpha, c.alpha)
		}
	}
}
