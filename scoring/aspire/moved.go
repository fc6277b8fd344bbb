package aspire

import (
	"fmt"
	"strings"

	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// withAnswer reads the answer of an ASPIRE item and calls use with it. What use gets is valid until
// use returns. It returns an error if the test or the response cannot be used.
func (s *suite) withAnswer(it *scoring.Item, v scoring.Variants, use func(answer.Found)) error {
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
	use(w.found)
	return nil
}

// reading implements scoring.Suite.Reading.
func (s *suite) reading(it *scoring.Item, v scoring.Variants) (from, to int, ok bool) {
	err := s.withAnswer(it, v, func(f answer.Found) { from, to, ok = f.From, f.To, f.Value.Exists() })
	return from, to, ok && err == nil
}

// placingLists are the members of an answer whose entries place shapes.
var placingLists = []string{"createShapes", "updateShapes"}

// listParts lists the movable parts of an ASPIRE answer: each entry that gives a shape a place,
// named by the path of the entry and the id of the shape. The place is the centre of the shape as
// far as the answer gives its size. It implements scoring.Suite.Parts.
func (s *suite) listParts(it *scoring.Item, v scoring.Variants) (list []scoring.Part) {
	s.withAnswer(it, v, func(f answer.Found) {
		for _, name := range placingLists {
			for i, entry := range listEntries(f.Value.Get(name)) {
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

// listEntries returns the entries of a list of the answer. A single object is a list of one,
// any other value an empty list.
func listEntries(v answer.Value) (list []answer.Value) {
	if v.Kind() == answer.Object {
		return []answer.Value{v}
	}
	if v.Kind() != answer.Array {
		return nil
	}
	for entry := v.First(); entry.Exists(); entry = entry.Next() {
		list = append(list, entry)
	}
	return list
}

// partPath is the path of an entry, by which it is found again.
func partPath(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

// moveParts writes the object of an ASPIRE answer again, with x and y of the named part moved by
// (dx, dy), or of all parts if part is "". It adds no members that the entries do not have. It
// implements scoring.Suite.Moved.
func (s *suite) moveParts(it *scoring.Item, v scoring.Variants, part string, dx, dy float64) (response []byte,
	err error) {
	path, _, _ := strings.Cut(part, " ")
	failed := s.withAnswer(it, v, func(f answer.Found) {
		if !f.Value.Exists() {
			err = newError("no_answer", "cannot move shapes: nothing was read as an answer")
			return
		}
		writer := moveWriter{path: path, dx: dx, dy: dy}
		writer.writeObject(f.Value, func(member answer.Value) {
			if name := member.Key(); name == placingLists[0] || name == placingLists[1] {
				writer.writeList(name, member)
			} else {
				writer.writeValue(member)
			}
		})
		response = writer.dst
	})
	if failed != nil {
		return nil, failed
	}
	return response, err
}

// moveWriter writes an answer as JSON.
type moveWriter struct {
	dst    []byte
	path   string // of the entry that moves; "" for all
	dx, dy float64
}

// writeObject writes an object of the answer. writeMember writes the value of each member.
func (m *moveWriter) writeObject(v answer.Value, writeMember func(member answer.Value)) {
	m.dst = append(m.dst, '{')
	first := true
	for e := v.First(); e.Exists(); e = e.Next() {
		if !first {
			m.dst = append(m.dst, ',')
		}
		first = false
		m.dst = append(scoring.AppendString(m.dst, e.Key()), ':')
		writeMember(e)
	}
	m.dst = append(m.dst, '}')
}

// writeList writes the value of createShapes or updateShapes, a list or a single entry, with
// the entries that match m.path moved.
func (m *moveWriter) writeList(name string, v answer.Value) {
	if v.Kind() != answer.Array {
		if v.Kind() == answer.Object {
			m.writeEntry(v, m.path == "" || m.path == partPath(name, 0))
		} else {
			m.writeValue(v)
		}
		return
	}
	m.dst = append(m.dst, '[')
	for i, entry := range listEntries(v) {
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
		m.writeEntry(entry, m.path == "" || m.path == partPath(name, i))
	}
	m.dst = append(m.dst, ']')
}

// writeEntry writes one entry of an ASPIRE answer, with x and y moved if moves is true. Values that
// are not numbers stay as they are.
func (m *moveWriter) writeEntry(v answer.Value, moves bool) {
	if v.Kind() != answer.Object {
		m.writeValue(v)
		return
	}
	m.writeObject(v, func(member answer.Value) {
		value, isNumber := member.Float()
		switch {
		case moves && isNumber && member.Key() == "x":
			m.dst = scoring.AppendFloat(m.dst, value+m.dx)
		case moves && isNumber && member.Key() == "y":
			m.dst = scoring.AppendFloat(m.dst, value+m.dy)
		default:
			m.writeValue(member)
		}
	})
}

// writeValue writes any JSON value of the answer unchanged, but for the form of numbers.
func (m *moveWriter) writeValue(value answer.Value) {
	switch value.Kind() {
	case answer.Object:
		m.writeObject(value, m.writeValue)
	case answer.Array:
		m.dst = append(m.dst, '[')
		for i, element := range listEntries(value) {
			if i > 0 {
				m.dst = append(m.dst, ',')
			}
			m.writeValue(element)
		}
		m.dst = append(m.dst, ']')
	case answer.Number:
		number, _ := value.Float()
		m.dst = scoring.AppendFloat(m.dst, number)
	case answer.String:
		text, _ := value.Text()
		m.dst = scoring.AppendString(m.dst, text)
	case answer.Bool:
		if flag, _ := value.Bool(); flag {
			m.dst = append(m.dst, "true"...)
		} else {
			m.dst = append(m.dst, "false"...)
		}
	default:
		m.dst = append(m.dst, "null"...)
	}
}
