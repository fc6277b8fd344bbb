// Package program answers ASPIRE scenarios the way models do, with skill that is
// known beforehand. In: a scenario, of which a program reads only what a model
// would see (the task text and the shapes). Out: the raw text of an answer, with
// the prose, fences, arithmetic and mistakes that real answers have. It never
// looks at the criteria, and the same scenario gives the same answer.
package program

import (
	"math/rand/v2"

	"plumb/scoring/aspire/scenario"
)

// Program is one way of answering.
type Program struct {
	Name string
	Doc  string // one line on its skill
	// answers has one entry per test; the result nil means that no answer came.
	answers map[string]func(*question) *string
}

// question is what a program sees, and its own random numbers.
type question struct {
	prompt string
	shapes []scenario.Shape
	index  int // goes round the list of habits, so that every one occurs
	r      *rand.Rand
}

// All lists the programs, the most skilful first.
func All() []Program {
	return []Program{
		{"exact", "solves every test; writes its answers in all forms that can be read", exact},
		{"noisy", "has the right idea, a shaky hand and now and then a wrong pick", noisy},
		{"careless", "makes the mistakes that models make, in content and in form", careless},
	}
}

// Answer returns the raw text for a scenario, or nil for a missing answer. See
// docs/spec/cli.md#r17.
func (p Program) Answer(seed uint64, s *scenario.Scenario) *string {
	q := &question{prompt: s.Prompt, shapes: s.Shapes, index: s.Index,
		r: scenario.Rand(seed, s.Test, s.Index, p.Name)}
	return p.answers[s.Test](q)
}

// habit picks one of n ways: round the list, so that 25 scenarios show them all.
func (q *question) habit(n int) int { return q.index % n }

// normal returns a normally distributed number with this deviation.
func (q *question) normal(deviation float64) float64 { return q.r.NormFloat64() * deviation }

// chance is true with probability p.
func (q *question) chance(p float64) bool { return q.r.Float64() < p }

// byID returns the shape with this id; the programs only ask for ids they read.
func (q *question) byID(id string) *scenario.Shape {
	for i := range q.shapes {
		if q.shapes[i].ID == id {
			return &q.shapes[i]
		}
	}
	panic("BUG: no shape " + id)
}

// byLook returns the last shape with this colour and geo.
func (q *question) byLook(color, geo string) *scenario.Shape {
	for i := len(q.shapes) - 1; i >= 0; i-- {
		if p := q.shapes[i].Props; p.Color == color && p.Geo == geo {
			return &q.shapes[i]
		}
	}
	panic("BUG: no " + color + " " + geo)
}
