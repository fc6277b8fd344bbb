package scoring

import "plumb/render/view"

// Canvas is what the answers of several turns build on: a whiteboard, the canvas of an app, a
// puzzle. It serves one goroutine at a time. Results never depend on it: each turn is scored as
// one item with the answer that AppendAnswer returns.
type Canvas interface {
	// Apply reads the answer of an item as scoring reads it and applies it to what the answers
	// before left. status says how it was read ("fenced", "no_json"), notes what was changed or
	// left out. An answer in which nothing can be read changes nothing and is no error; one that
	// is missing has the code no_response.
	Apply(it *Item) (status string, notes []Note, err error)
	// AppendAnswer appends the text of the one answer that leaves what all answers together left.
	AppendAnswer(dst []byte) []byte
}

// Board is a Canvas whose picture a renderer draws. Others are painted by Suite.Paint.
type Board interface {
	Canvas
	// View returns the whole board as it is now, in the frame that a model sees.
	View() (view.View, error)
}
