package aspire

import (
	"fmt"
	"slices"
	"strings"

	"plumb/scoring"
	"plumb/scoring/aspire/answer"
)

// withAnswer reads the answer of an ASPIRE item and calls use with it. What use gets is valid until
// use returns. It returns an error if the test or the response cannot be used.
func (suite *suite) withAnswer(item *scoring.Item, variants scoring.Variants, use func(answer.Found)) error {
	test := findTest(item.Test)
	if test == nil {
		return newError("unknown_test", "cannot read answer: test %s is not known", quote(item.Test))
	}
	w := suite.pool.Get().(*workspace)
	defer w.release()
	w.suite, w.variants, w.test, w.notes = suite, variants, test, &notes{}
	if err := w.readResponse(item.Fields.Get("response")); err != nil {
		return err
	}
	use(w.answer)
	return nil
}

// reading implements scoring.Suite.Reading.
func (suite *suite) reading(it *scoring.Item, v scoring.Variants) (from, to int, ok bool) {
	err := suite.withAnswer(it, v, func(f answer.Found) { from, to, ok = f.From, f.To, f.Value.Exists() })
	return from, to, ok && err == nil
}

// placingLists are the members of an answer whose entries place shapes.
var placingLists = []string{"createShapes", "updateShapes"}

// listParts lists the movable parts of an ASPIRE answer: each entry that gives a shape a place,
// named by the path of the entry and the id of the shape. The place is the centre of the shape as
// far as the answer gives its size. It implements scoring.Suite.MovableParts.
func (suite *suite) listParts(it *scoring.Item, v scoring.Variants) (list []scoring.Part) {
	suite.withAnswer(it, v, func(found answer.Found) { // an answer that cannot be read has no parts
		for _, name := range placingLists {
			for i, entry := range listEntries(found.Value.Get(name)) {
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
func listEntries(value answer.Value) (list []answer.Value) {
	if value.Kind() == answer.Object {
		return []answer.Value{value}
	}
	if value.Kind() != answer.Array {
		return nil
	}
	for entry := value.First(); entry.Exists(); entry = entry.Next() {
		list = append(list, entry)
	}
	return list
}

// partPath is the path of an entry, by which it is found again.
func partPath(name string, i int) string { return fmt.Sprintf("%s[%d]", name, i) }

// moveParts writes the object of an ASPIRE answer again, with x and y of the named part moved by
// (dx, dy), or of all parts if part is "". It adds no members that the entries do not have. It
// implements scoring.Suite.MoveParts.
func (suite *suite) moveParts(it *scoring.Item, v scoring.Variants, part string, dx, dy float64) (response []byte,
	err error) {
	path, _, _ := strings.Cut(part, " ") // the name of a part is its path and the shape's id
	readErr := suite.withAnswer(it, v, func(found answer.Found) {
		if !found.Value.Exists() {
			err = newError("no_answer", "cannot move shapes: nothing was read as an answer")
			return
		}
		writer := moveWriter{path: path, dx: dx, dy: dy}
		writer.writeObject(found.Value, func(member answer.Value) {
			if name := member.Key(); slices.Contains(placingLists, name) {
				writer.writeList(name, member)
			} else {
				writer.writeValue(member)
			}
		})
		response = writer.dst
	})
	if readErr != nil {
		return nil, readErr
	}
	return response, err
}

// moveWriter writes an answer as JSON.
type moveWriter struct {
	dst    []byte
	path   string // of the entry that moves; "" for all
	dx, dy float64
}

// writeObject writes an object of the model's answer as JSON. It writes the names, and calls
// writeMember for the value of each member, which may change it.
func (writer *moveWriter) writeObject(v answer.Value, writeMember func(member answer.Value)) {
	writer.dst = append(writer.dst, '{')
	first := true
	for value := v.First(); value.Exists(); value = value.Next() {
		if !first {
			writer.dst = append(writer.dst, ',')
		}
		first = false
		writer.dst = append(scoring.AppendString(writer.dst, value.Key()), ':')
		writeMember(value)
	}
	writer.dst = append(writer.dst, '}')
}

// writeList writes the value of createShapes or updateShapes, which name says: a list, or a single entry
// that stands for a list of one. It moves the entry that writer.path names, or all if that is "".
func (writer *moveWriter) writeList(name string, value answer.Value) {
	moves := func(i int) bool { return writer.path == "" || writer.path == partPath(name, i) }
	switch value.Kind() {
	case answer.Array:
		writer.dst = append(writer.dst, '[')
		for i, entry := range listEntries(value) {
			if i > 0 {
				writer.dst = append(writer.dst, ',')
			}
			writer.writeEntry(entry, moves(i))
		}
		writer.dst = append(writer.dst, ']')
	case answer.Object:
		writer.writeEntry(value, moves(0))
	default:
		writer.writeValue(value)
	}
}

// writeEntry writes one entry of an ASPIRE answer, with x and y moved if moves is true. Values that
// are not numbers stay as they are.
func (writer *moveWriter) writeEntry(v answer.Value, moves bool) {
	if v.Kind() != answer.Object {
		writer.writeValue(v)
		return
	}
	writer.writeObject(v, func(member answer.Value) {
		value, isNumber := member.Float()
		switch {
		case moves && isNumber && member.Key() == "x":
			writer.dst = scoring.AppendFloat(writer.dst, value+writer.dx)
		case moves && isNumber && member.Key() == "y":
			writer.dst = scoring.AppendFloat(writer.dst, value+writer.dy)
		default:
			writer.writeValue(member)
		}
	})
}

// writeValue writes any value of the model's answer as JSON. Only the form of numbers changes.
func (writer *moveWriter) writeValue(value answer.Value) {
	switch value.Kind() {
	case answer.Object:
		writer.writeObject(value, writer.writeValue)
	case answer.Array:
		writer.dst = append(writer.dst, '[')
		for i, element := range listEntries(value) {
			if i > 0 {
				writer.dst = append(writer.dst, ',')
			}
			writer.writeValue(element)
		}
		writer.dst = append(writer.dst, ']')
	default:
		writer.dst = appendJSON(writer.dst, value)
	}
}
