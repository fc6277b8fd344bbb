// Package program answers ASPIRE scenarios as models do, with known skill, for benchmarks and
// tests. In: a scenario, of which a program reads only what a model would see (the task text and
// the shapes). Out: the raw text of an answer, with the prose, fences, arithmetic and mistakes of
// real answers. The same scenario gives the same answer.
package program

import (
	"math/rand/v2"
	"slices"

	"plumb/scoring/aspire/scenario"
)

// Program is one simulated model.
type Program struct {
	Name string
	Doc  string // one line on its skill
	// answers has one entry per test; the result nil means that no answer came.
	answers map[string]func(*question) *string
}

// question is what a program sees of a scenario, and its own random generator.
type question struct {
	prompt string
	shapes []scenario.Shape
	index  int // of the scenario: chooses the form of the answer, see cycle
	r      *rand.Rand
}

// All returns the programs that answer ASPIRE scenarios, the most skilful first.
func All() []Program {
	return []Program{
		{"exact", "solves every test; writes its answers in all forms that can be read", exact},
		{"noisy", "has the right idea, a shaky hand and now and then a wrong pick", noisy},
		{"careless", "makes the mistakes that models make, in content and in form", careless},
	}
}

// Answer returns the raw text of the answer to a scenario, or nil for a missing answer. See
// docs/spec/cli.md#r17.
func (p Program) Answer(seed uint64, s *scenario.Scenario) *string {
	q := &question{prompt: s.Prompt, shapes: s.Shapes, index: s.Index,
		r: scenario.Rand(seed, s.Test, s.Index, p.Name)}
	return p.answers[s.Test](q)
}

// cycle returns index modulo n, to choose among n forms so that 25 scenarios show them all.
func (question *question) cycle(n int) int { return question.index % n }

// normal returns a normally distributed error of an answer, with this standard deviation.
func (question *question) normal(deviation float64) float64 {
	return question.r.NormFloat64() * deviation
}

// chance returns true with probability p.
func (question *question) chance(p float64) bool { return question.r.Float64() < p }

// byID returns the scenario's shape with this id, which must exist.
func (question *question) byID(id string) *scenario.Shape {
	i := slices.IndexFunc(question.shapes, func(s scenario.Shape) bool { return s.ID == id })
	if i < 0 {
		panic("BUG: no shape " + id)
	}
	return &question.shapes[i]
}

// byLook returns the last shape with this colour and geo, which must exist.
func (question *question) byLook(color, geo string) *scenario.Shape {
	for i := len(question.shapes) - 1; i >= 0; i-- {
		if p := question.shapes[i].Props; p.Color == color && p.Geo == geo {
			return &question.shapes[i]
		}
	}
	panic("BUG: no " + color + " " + geo)
}

// DemoSeed is the seed of the sample dump in testdata/aspire.
const DemoSeed = 1

// Dump returns the sample dump as JSON lines: every scenario of every ASPIRE test, answered by every program.
func Dump(seed uint64) ([]byte, error) {
	var out []byte
	for _, test := range scenario.Tests() {
		for index := range scenario.PerTest {
			s, err := scenario.Make(seed, test, index)
			if err != nil {
				return nil, err
			}
			for _, p := range All() {
				if out, err = s.AppendLine(out, p.Name, p.Answer(seed, s)); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}
