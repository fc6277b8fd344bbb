package aspire

import (
	"fmt"
	"strings"

	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// find reads an answer and calls f with what was found, which is valid until f returns.
func (s *suite) find(it *scoring.Item, v scoring.Variants, f func(answer.Found)) error {
	t := findTest(it.Test)
	if t == nil {
		return newError("unknown_test", "cannot read answer: test %s is not known", quote(it.Test))
	}
	w := s.pool.Get().(*workspace)
	defer w.release()
	w.suite, w.variants, w.test, w.notes = s, v, t, &notes{}
	if err := w.readResponse(it.Fields.Get("response")); err != nil {
		return err
	}
	f(w.found)
	return nil
}

// reading implements scoring.Suite.Reading.
func (s *suite) reading(it *scoring.Item, v scoring.Variants) (from, to int, ok bool) {
	err := s.find(it, v, func(f answer.Found) { from, to, ok = f.From, f.To, f.Value.Exists() })
	return from, to, ok && err == nil
}

// placing are the members of an answer whose entries place shapes.
var placing = []string{"createShapes", "updateShapes"}

// parts implements scoring.Suite.Parts: each entry of the answer that gives a shape a place, as the
// path of the entry and the id of the shape.
func (s *suite) parts(it *scoring.Item, v scoring.Variants) (list []scoring.Part) {
	s.find(it, v, func(f answer.Found) {
		for _, name := range placing {
			for i, entry := range entries(f.Value.Get(name)) {
				x, hasX := entry.Get("x").Float()
				y, hasY := entry.Get("y").Float()
				if !hasX && !hasY {
					continue
				}
				w, _ := entry.Get("props").Get("w").Float()
				h, _ := entry.Get("props").Get("h").Float()
				x, y = x+w/2, y+h/2
				id, _ := entry.Get("id").Text()
				list = append(list, scoring.Part{Name: strings.TrimSpace(partPath(name, i) + " " + id), X: x, Y: y})
			}
		}
	})
	return list
}

// entries lists the shapes in a list of an answer, or the value itself where it is one object.
func entries(v answer.Value) (list []answer.Value) {
	if v.Kind() == answer.Object {
		return []answer.Value{v}
	}
	if v.Kind() != answer.Array {
		return nil
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		list = append(list, e)
	}
	return list
}

// partPath is the path of an entry, by which it is found again.
func partPath(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

// moved implements scoring.Suite.Moved: it writes the answer object anew, with other x and y in the
// entries that have them.
func (s *suite) moved(it *scoring.Item, v scoring.Variants, part string, dx, dy float64) (response []byte, err error) {
	path, _, _ := strings.Cut(part, " ")
	failed := s.find(it, v, func(f answer.Found) {
		if !f.Value.Exists() {
			err = newError("no_answer", "cannot move shapes: nothing was read as an answer")
			return
		}
		m := mover{path: path, dx: dx, dy: dy}
		m.object(f.Value, func(member answer.Value) {
			if name := member.Key(); name == placing[0] || name == placing[1] {
				m.list(name, member)
			} else {
				m.value(member)
			}
		})
		response = m.dst
	})
	if failed != nil {
		return nil, failed
	}
	return response, err
}

// mover writes an answer as JSON.
type mover struct {
	dst    []byte
	path   string // of the entry that moves; "" for all
	dx, dy float64
}

// object writes an object of the answer; f writes the value of each member.
func (m *mover) object(v answer.Value, f func(member answer.Value)) {
	m.dst = append(m.dst, '{')
	first := true
	for e := v.First(); e.Exists(); e = e.Next() {
		if !first {
			m.dst = append(m.dst, ',')
		}
		first = false
		m.dst = append(scoring.AppendString(m.dst, e.Key()), ':')
		f(e)
	}
	m.dst = append(m.dst, '}')
}

// list writes the shapes of createShapes or updateShapes, with those to be moved at other places.
func (m *mover) list(name string, v answer.Value) {
	if v.Kind() != answer.Array {
		if v.Kind() == answer.Object {
			m.entry(v, m.path == "" || m.path == partPath(name, 0))
		} else {
			m.value(v)
		}
		return
	}
	m.dst = append(m.dst, '[')
	for i, e := range entries(v) {
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
		m.entry(e, m.path == "" || m.path == partPath(name, i))
	}
	m.dst = append(m.dst, ']')
}

// entry writes one shape of the answer, moved or not.
func (m *mover) entry(v answer.Value, moves bool) {
	if v.Kind() != answer.Object {
		m.value(v)
		return
	}
	m.object(v, func(member answer.Value) {
		x, number := member.Float()
		switch {
		case moves && number && member.Key() == "x":
			m.dst = scoring.AppendFloat(m.dst, x+m.dx)
		case moves && number && member.Key() == "y":
			m.dst = scoring.AppendFloat(m.dst, x+m.dy)
		default:
			m.value(member)
		}
	})
}

// value writes any JSON value of the answer as it is.
func (m *mover) value(v answer.Value) {
	switch v.Kind() {
	case answer.Object:
		m.object(v, m.value)
	case answer.Array:
		m.dst = append(m.dst, '[')
		for i, e := range entries(v) {
			if i > 0 {
				m.dst = append(m.dst, ',')
			}
			m.value(e)
		}
		m.dst = append(m.dst, ']')
	case answer.Number:
		x, _ := v.Float()
		m.dst = scoring.AppendFloat(m.dst, x)
	case answer.String:
		s, _ := v.Text()
		m.dst = scoring.AppendString(m.dst, s)
	case answer.Bool:
		if b, _ := v.Bool(); b {
			m.dst = append(m.dst, "true"...)
		} else {
			m.dst = append(m.dst, "false"...)
		}
	default:
		m.dst = append(m.dst, "null"...)
	}
}
