// Package scenario generates the scenes of the eight ASPIRE tests from a seed, with measures of
// their difficulty. In: a seed, a test and an index. Out: the initial shapes, the criteria and
// the task text, always the same for the same three (docs/spec/aspire.md#r1). An unknown test is
// an error; a draw that breaks a constraint is repeated, not adjusted.
package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// PerTest is the number of scenarios of each test (docs/spec/aspire.md#r1).
const PerTest = 25

// maxDraws bounds the repeated draws. Every constraint holds for more than one draw in a hundred,
// so reaching the bound means that constraints contradict each other.
const maxDraws = 100_000

// The canvas of every test but overlap, px (docs/spec/aspire.md#r10).
const (
	canvasW = 1400
	canvasH = 800
)

// Scenario is one task: the whiteboard, the text of the task, and the criteria of its score.
type Scenario struct {
	Test   string
	Index  int // 0-based
	Prompt string
	Shapes []Shape // in order of creation, so back to front
	Task   any     // *MazeTask, *GraphTask, ... by Test
}

// ID names the scenario within its set: "maze-00".
func (scenario *Scenario) ID() string { return fmt.Sprintf("%s-%02d", scenario.Test, scenario.Index) }

// Shape is a shape in simple form: only what differs from the editor's defaults, fields in the
// order of the prompt. See docs/spec/aspire.md#r4 and docs/spec/aspire.md#r8.
type Shape struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	X        float64 `json:"x"` // px, page
	Y        float64 `json:"y"`
	Rotation float64 `json:"rotation,omitempty"` // radians, clockwise, about (X, Y)
	Props    Props   `json:"props"`
}

// Props are the properties of a geo or line shape.
type Props struct {
	Geo    string  `json:"geo,omitempty"`
	Color  string  `json:"color,omitempty"`
	W      float64 `json:"w,omitempty"` // px
	H      float64 `json:"h,omitempty"`
	Fill   string  `json:"fill,omitempty"`
	Dash   string  `json:"dash,omitempty"`
	Spline string  `json:"spline,omitempty"`
	Points *Ends   `json:"points,omitempty"`
}

// Ends are the two points of a line shape, relative to its origin.
type Ends struct {
	A1 Vertex `json:"a1"`
	A2 Vertex `json:"a2"`
}

// Vertex is one point of a line shape.
type Vertex struct {
	ID    string  `json:"id"`
	Index string  `json:"index"`
	X     float64 `json:"x"` // px
	Y     float64 `json:"y"`
}

// Centre returns the centre of an unrotated shape's box, px.
func (s *Shape) Centre() (x, y float64) { return s.X + s.Props.W/2, s.Y + s.Props.H/2 }

// generator draws the scenarios of one test. draw returns ok = false if the draw breaks a constraint.
type generator struct {
	name string
	draw func(r *rand.Rand) (s Scenario, ok bool)
}

var generators = []generator{
	{"maze", drawMaze}, {"graph", drawGraph}, {"pattern", drawPattern}, {"label", drawLabel},
	{"line", drawLine}, {"arrow", drawArrow}, {"overlap", drawOverlap}, {"balance", drawBalance},
}

// Tests returns the names of ASPIRE's eight tests in the order of the paper.
func Tests() []string {
	names := make([]string, len(generators))
	for i, generator := range generators {
		names[i] = generator.name
	}
	return names
}

// Make returns scenario number index of a test. The same arguments give the same scenario on every machine.
func Make(seed uint64, test string, index int) (*Scenario, error) {
	return drawUntil(seed, test, index, func(*Scenario) bool { return true })
}

// drawUntil draws scenarios with the random numbers of (seed, test, index) until one keeps
// the constraints of its test and fits is true. An unknown test is an error.
func drawUntil(seed uint64, test string, index int, fits func(*Scenario) bool) (*Scenario, error) {
	for _, generator := range generators {
		if generator.name != test {
			continue
		}
		r := Rand(seed, test, index, "")
		for range maxDraws {
			s, ok := generator.draw(r)
			s.Test, s.Index = test, index
			if ok && fits(&s) {
				return &s, nil
			}
		}
		panic(fmt.Sprintf("BUG: no valid %s scenario in %d draws", test, maxDraws))
	}
	return nil, fmt.Errorf("cannot make scenario: unknown test %q; want one of %v", test, Tests())
}

// Rand returns a random generator for (seed, test, index), the same on every machine. who separates the
// generators of different users of a scenario, such as a program that answers it.
func Rand(seed uint64, test string, index int, who string) *rand.Rand {
	hash := sha256.Sum256(fmt.Appendf(nil, "aspire scenario %d/%s/%d/%s", seed, test, index, who))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(hash[:8]), binary.LittleEndian.Uint64(hash[8:16])))
}

// Line is one line of a dump.
type Line struct {
	ID       string  `json:"id"`
	Suite    string  `json:"suite"`
	Test     string  `json:"test"`
	Model    string  `json:"model"`
	Prompt   string  `json:"prompt"`
	Shapes   []Shape `json:"shapes"`
	Task     any     `json:"task"`
	Response *string `json:"response"` // nil: a missing answer
}

// AppendLine appends the scenario with a model's answer as a line of a dump; response is nil for no answer.
func (scenario *Scenario) AppendLine(dst []byte, model string, response *string) ([]byte, error) {
	return scenario.appendJSON(dst, Line{
		ID: scenario.ID() + "/" + model, Suite: "aspire", Test: scenario.Test, Model: model,
		Prompt: scenario.Prompt, Shapes: scenario.Shapes, Task: scenario.Task, Response: response,
	})
}

// AppendTask appends the scenario as a line of a task file: a dump line without model and
// response, with the seed, the index, the level and the measures. Its id is made of test,
// seed and index. See docs/spec/aspire.md#r72.
func (scenario *Scenario) AppendTask(dst []byte, seed uint64) ([]byte, error) {
	measures, level := scenario.Measured()
	return scenario.appendJSON(dst, struct {
		ID       string   `json:"id"`
		Suite    string   `json:"suite"`
		Test     string   `json:"test"`
		Prompt   string   `json:"prompt"`
		Shapes   []Shape  `json:"shapes"`
		Task     any      `json:"task"`
		Seed     uint64   `json:"seed"`
		Index    int      `json:"index"`
		Level    Level    `json:"level"`
		Measures Measures `json:"measures"`
	}{fmt.Sprintf("%s-s%d-%02d", scenario.Test, seed, scenario.Index), "aspire", scenario.Test, scenario.Prompt, scenario.Shapes, scenario.Task, seed,
		scenario.Index, level, measures})
}

// appendJSON appends a scenario's line as JSON, without the escapes that only HTML needs.
func (scenario *Scenario) appendJSON(dst []byte, line any) ([]byte, error) {
	buffer := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buffer)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(line); err != nil {
		return dst, fmt.Errorf("cannot encode scenario %s: %w", scenario.ID(), err)
	}
	return buffer.Bytes(), nil
}
