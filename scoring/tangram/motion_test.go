package tangram

import (
	"math/rand/v2"
	"slices"
	"testing"

	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/construction"
	"plumb/scoring/tangram/field"
	"plumb/scoring/tangram/generate"
	"plumb/scoring/tangram/plane"
)

// motion is a rotation by a multiple of 45 degrees, optionally mirrored, and a translation.
type motion struct {
	c, s   field.Number
	mirror bool
	dx, dy field.Number
}

func randomMotion(r *rand.Rand) motion {
	zero, one, half := field.Int(0), field.Int(1), field.Surd(1, 2)
	turns := [8][2]field.Number{{one, zero}, {half, half}, {zero, one}, {half.Neg(), half}, {one.Neg(), zero}, {half.Neg(), half.Neg()}, {zero, one.Neg()}, {half, half.Neg()}}
	t := turns[r.IntN(8)]
	step := func() field.Number {
		return field.Ratio(r.Int64N(4001)-2000, 1+r.Int64N(60)).Add(field.Surd(r.Int64N(401)-200, 1+r.Int64N(60)))
	}
	return motion{t[0], t[1], r.IntN(2) == 0, step(), step()}
}

func (m motion) point(x, y field.Number) (field.Number, field.Number) {
	if m.mirror {
		x = x.Neg()
	}
	return m.c.Mul(x).Sub(m.s.Mul(y)).Add(m.dx), m.s.Mul(x).Add(m.c.Mul(y)).Add(m.dy)
}

func (m motion) outline(list []assembly.Point) (out []plane.Point) {
	for _, p := range list {
		x, y := m.point(p.X, p.Y)
		out = append(out, plane.Point{X: x, Y: y})
	}
	return out
}

// answer returns an instance, moved, as a parsed answer.
func (m motion) answer(in *assembly.Instance) construction.Prediction {
	p := construction.Prediction{Found: true, Parsed: assembly.Count}
	for i, list := range in.Pieces {
		var vs []construction.Point
		for _, q := range m.outline(list) {
			vs = append(vs, construction.Point(q))
		}
		p.Pieces = append(p.Pieces, construction.Piece{ID: assembly.IDs[i], HasID: true, Kind: construction.Kind(assembly.Kinds[i].String()), Vertices: vs})
	}
	return p
}

func instances(n int) (out []*assembly.Instance) {
	for k := range n {
		out = append(out, generate.Instance(6, k))
	}
	return out
}

// fewer returns n, or with -short a fifth of it.
func fewer(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// TestMotions: valid configurations stay valid under rigid motions that take the
// target along, and fill it exactly.
func TestMotions(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 8))
	pool := instances(fewer(100))
	for round := range fewer(fewer(10_000)) {
		in, m := pool[r.IntN(len(pool))], randomMotion(r)
		target, ok := plane.NewTarget(m.outline(in.Outline))
		if !ok {
			t.Fatalf("round %d, %s: the moved outline is not simple", round, in.ID)
		}
		p := m.answer(in)
		r.Shuffle(len(p.Pieces), func(i, j int) { p.Pieces[i], p.Pieces[j] = p.Pieces[j], p.Pieces[i] })
		if s := Evaluate(&p, target); !s.Valid || !s.Success || s.IoU != 1 || s.Hausdorff != 0 || s.RigidErrorCongruent || len(s.Overlaps) > 0 || s.Rounded {
			t.Fatalf("round %d, %s: got %+v", round, in.ID, s)
		}
	}
}

// TestSmallMotionsOfOnePiece checks that a valid configuration with one piece moved is found
// invalid, however small the motion.
func TestSmallMotionsOfOnePiece(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	pool := instances(fewer(50))
	for round := range fewer(1000) {
		in, m := pool[round%len(pool)], randomMotion(r)
		target, _ := plane.NewTarget(m.outline(in.Outline))
		p := m.answer(in)
		i := r.IntN(len(p.Pieces))
		d := field.Ratio(1, 1+r.Int64N(1e9))
		for k := range p.Pieces[i].Vertices {
			p.Pieces[i].Vertices[k].X = p.Pieces[i].Vertices[k].X.Add(d)
		}
		s := Evaluate(&p, target)
		if s.Success || s.RigidError || s.Hausdorff < 0 || s.IoU > 1 || !s.PhysicsError && s.Matches {
			t.Fatalf("round %d, %s, piece %d by %s: got %+v", round, in.ID, i, d.LaTeX(), s)
		}
	}
}

// TestDistortions compares RGE, congruence and simplicity of 10,000 distorted
// pieces with their definitions in doubles.
func TestDistortions(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	seen := map[[3]bool]int{}
	pool := instances(fewer(50))
	for round := range fewer(10_000) {
		in, m := pool[round%len(pool)], randomMotion(r)
		p := m.answer(in)
		i := r.IntN(len(p.Pieces))
		q := &p.Pieces[i]
		switch n := r.IntN(len(q.Vertices)); r.IntN(6) {
		case 0: // a corner is moved along an edge
			a, b := q.Vertices[n], q.Vertices[(n+1)%len(q.Vertices)]
			f := field.Ratio(r.Int64N(7)-3, 4)
			q.Vertices[n] = construction.Point{X: a.X.Add(f.Mul(b.X.Sub(a.X))), Y: a.Y.Add(f.Mul(b.Y.Sub(a.Y)))}
		case 1: // a corner moves anywhere near
			q.Vertices[n].X = q.Vertices[n].X.Add(field.Ratio(r.Int64N(9)-4, 4))
			q.Vertices[n].Y = q.Vertices[n].Y.Add(field.Surd(r.Int64N(9)-4, 4))
		case 2: // one more on an edge
			a, b := q.Vertices[n], q.Vertices[(n+1)%len(q.Vertices)]
			h := field.Ratio(1, 3)
			q.Vertices = slices.Insert(q.Vertices, n+1, construction.Point{X: a.X.Add(h.Mul(b.X.Sub(a.X))), Y: a.Y.Add(h.Mul(b.Y.Sub(a.Y)))})
		case 3: // out and back
			a, b := q.Vertices[n], q.Vertices[(n+1)%len(q.Vertices)]
			q.Vertices = slices.Insert(q.Vertices, n+1, construction.Point{X: b.X.Add(b.X.Sub(a.X)), Y: b.Y.Add(b.Y.Sub(a.Y))})
		case 4: // another order
			j := r.IntN(len(q.Vertices))
			q.Vertices[n], q.Vertices[j] = q.Vertices[j], q.Vertices[n]
		case 5: // the other way round, from elsewhere
			slices.Reverse(q.Vertices)
			q.Vertices = append(q.Vertices[n:len(q.Vertices):len(q.Vertices)], q.Vertices[:n]...)
		}
		for k := 0; k < len(q.Vertices); k++ { // as the reader does
			if q.Vertices[k].Equal(q.Vertices[(k+1)%len(q.Vertices)]) {
				q.Vertices = slices.Delete(q.Vertices, k, k+1)
				k--
			}
		}
		if len(q.Vertices) < 3 {
			continue
		}
		p.Decimal = r.IntN(3) == 0
		s := Evaluate(&p, nil)
		simple, area, around, congruent := byHand(q.Vertices, q.Kind)
		c := canonicalPieces[q.Kind]
		tol := 1e-9
		if p.Decimal {
			tol = 0.01
		}
		off := max(abs(area-c.floatArea), abs(around-c.floatPerimeter))
		rge := !simple || off > tol
		got := s.Pieces[i]
		if got.Simple != simple || got.RigidError != rge || got.Congruent != (congruent < tol && simple) || s.RigidError != rge {
			t.Fatalf("round %d: got %+v; want simple %v, rge %v, distances off by %v\n%v", round, got, simple, rge, congruent, q.Vertices)
		}
		seen[[3]bool{simple, rge, got.Congruent}]++
	}
	for _, k := range [][3]bool{{true, false, true}, {true, true, false}, {false, true, false}} {
		if seen[k] < 100 {
			t.Errorf("simple, rge, congruent %v: got %d cases", k, seen[k])
		}
	}
}
