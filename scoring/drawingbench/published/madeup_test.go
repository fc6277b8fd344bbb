package published

import (
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata again")

// The places that made-up actions go to: the bounds of buttons, of the palette, of the canvas
// and of the screen, and one step beyond them.
var (
	placesX = []string{"35", "74.5", "75", "-4", "-5", "405", "429", "417", "441.5", "573", "585", "586", "741", "742", "404", "89.9", "90", "590", "1090",
		"1090.1", "0", "-1", "1500", "1500.5", "256.7", "256.6", "923", "500", "333", "140", "139.9"}
	placesY = []string{"45", "84", "85", "125", "205", "285", "365", "445", "25", "33", "33.5", "45", "44.9", "17", "16", "69", "70", "420", "770", "770.5",
		"0", "-1", "900", "901", "186.7", "653.3", "300", "500", "105", "104.9"}
	oddNumbers = []string{`"12"`, `" 1e2 "`, `"x"`, "null", "true", "[1]", "1e400", "NaN", `"nan"`, "Infinity", "123456789012345678901234567890"}
)

// madeUp returns the actions and the criteria of a made-up answer.
func madeUp(seed uint64) (actions, criteria string) {
	r := rand.New(rand.NewPCG(seed, 22))
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	point := func() string {
		x, y := one(placesX...), one(placesY...)
		if seed%4 == 0 && r.IntN(40) == 0 {
			x = one(oddNumbers...)
		}
		if seed%4 == 1 && r.IntN(40) == 0 {
			y = one(oddNumbers...)
		}
		switch k := r.IntN(60); {
		case k == 0:
			return `,"x":` + x
		case k == 1:
			return `,"y":` + y
		}
		return `,"x":` + x + `,"y":` + y
	}
	inside := func() string {
		return fmt.Sprintf(`,"x":%d,"y":%d`, 90+r.IntN(1001), 70+r.IntN(701))
	}
	var list []string
	add := func(name, at string) { list = append(list, `{"action":"`+name+`"`+at+`}`) }
	for range 1 + r.IntN(6) {
		if r.IntN(3) > 0 {
			tool := fmt.Sprintf(`,"x":%s,"y":%s`, one("35", "-4", "74"), one("45", "125", "285", "365", "445", "484", "406"))
			if r.IntN(2) == 0 {
				add("moveTo", tool)
				add("click", one("", tool))
			} else {
				add("click", tool)
			}
		}
		if r.IntN(3) > 0 {
			colour := fmt.Sprintf(`,"x":%s,"y":%s`, one("405", "417", "429", "477.5", "561", "573", "600"), one("25", "33", "17", "34", "44", "6"))
			add("click", colour)
		}
		if r.IntN(4) > 0 {
			if r.IntN(2) == 0 {
				add("moveTo", inside())
			}
			add("mouseDown", one("", inside()))
			for range r.IntN(3) {
				add("moveTo", inside())
			}
			add("mouseUp", one("", inside()))
		}
		if r.IntN(3) == 0 {
			add(one("moveTo", "click", "mouseDown", "mouseUp", "drag", ""), point())
		}
	}
	return "[" + strings.Join(list, ",") + "]", demands(r)
}

// demands returns made-up criteria.
func demands(r *rand.Rand) string {
	some := func(all ...string) string {
		r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
		return "[" + strings.Join(all[:r.IntN(4)], ",") + "]"
	}
	var c []string
	if r.IntN(2) == 0 {
		c = append(c, `"required_tools":`+some(`"pen"`, `"line"`, `"circle"`, `"rectangle"`, `"brush"`, `"pen"`))
	}
	if r.IntN(2) == 0 {
		c = append(c, `"required_colors":`+some(`"#000000"`, `"#FF0000"`, `"#0000FF"`, `"#FFFFFF"`, `"#123456"`))
	}
	if r.IntN(2) == 0 {
		c = append(c, `"min_segments":`+[]string{"0", "1", "2", "2.5", "4"}[r.IntN(5)])
	}
	if r.IntN(2) == 0 {
		c = append(c, `"min_coverage":`+[]string{"0", "0.05", "0.2", "0.5"}[r.IntN(4)])
	}
	if r.IntN(2) == 0 {
		c = append(c, `"prompt":"Draw it `+[]string{"top-left", "UPPER-right", "bottom left", "lower-right", "in the centre", "at the top", "lower down", "left", "bright", "anywhere"}[r.IntN(10)]+`"`)
	}
	return "{" + strings.Join(c, ",") + "}"
}

// summed returns the numbers of an evaluation, and a checksum of all that is written of it.
func summed(e *Evaluation) string {
	f := e.Feedback()
	all := string(outcome(e)) + string(f.AppendJSON(nil)) + f.Text() + e.publishedText()
	if e.Crash != "" {
		return string(e.Crash)
	}
	return fmt.Sprintf("score %v box %v grid %v accuracy %.6f efficiency %v segments %d changes %d %d colours %d matched %d faults %d warnings %d: %08x",
		e.Score, e.BoxCoverage, e.GridCoverage, e.SpatialAccuracy, e.Efficiency, e.Segments, e.ToolChanges, e.ColourChanges, len(e.Colours), e.MatchedColours, len(e.Faults), len(e.Warnings),
		crc32.ChecksumIEEE([]byte(all)))
}

// TestMadeUp compares evaluations of made-up answers with those that this package gave when it
// agreed with the published evaluator on all recorded turns (TestRecorded) and on its fuzz
// cases (TestFuzzCases), for a checkout without that data.
func TestMadeUp(t *testing.T) {
	const file, cases = "testdata/made-up.txt", 160
	want, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	lines := strings.Split(string(want), "\n")
	var ev Evaluator
	var out []string
	for seed := range uint64(cases) {
		actions, demand := madeUp(seed)
		got := ev.Evaluate(parsed(t, []byte(actions)), criteria(t, []byte(demand)))
		line := summed(&got)
		if out = append(out, line); !*update && (int(seed) >= len(lines) || line != lines[seed]) {
			t.Errorf("answer %d: got\n%s\nwant\n%s\nactions %s\ncriteria %s\n%s", seed, line, lines[min(int(seed), len(lines)-1)], actions, demand, outcome(&got))
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
