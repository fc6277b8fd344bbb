package main

import (
	"encoding/json"
	"testing"
)

// Scenes are counted once: below a bar, refused by a reason without names of shapes, or without a picture.
func TestTally(t *testing.T) {
	var sum tally
	for _, line := range []string{
		`{"id":"a","native":true,"alpha_within":1,"colour_within":1,"mass":-0.01,"centre":0.3,"alpha_mean":0.8,"colour_mean":0.8}`,
		`{"id":"b","native":true,"alpha_within":0.9699,"colour_within":1,"mass":-0.0101}`,
		`{"id":"c","native":false,"reason":"cannot draw shape \"shape:8\" (arrow) bound to a dot: not drawn natively"}`,
		`{"id":"d","native":false,"reason":"cannot draw a dot of a pen thinner than 2 px of shape \"shape:1\" (draw): not drawn natively"}`,
		`{"id":"e","native":false,"reason":"cannot draw a dot of a pen thinner than 2 px of shape \"shape:2\" (draw): not drawn natively"}`,
		`{"id":"f","error":{"code":"reference","message":"cannot export scene"}}`,
	} {
		var f figures
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		sum.add(&f)
	}
	sum.add(&figures{ID: "g", Reason: "cannot draw shape \"shape:3\" (arrow) without length, with a label: not drawn natively", Unpictured: true})
	want := `below a bar: 1 of 2 scenes drawn natively; native share 40.00 %; 1 without a picture of the editor, 1 refused that it does not draw either
below: b: alpha_within 0.9699, mass -0.0101
refused:   2 a dot of a pen thinner than 2 px
refused:   1 (arrow) bound to a dot
`
	if got := sum.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
