package scoring

import (
	"fmt"
	"testing"
)

// TestAnswers: each answer is new once, up to the limit.
func TestAnswers(t *testing.T) {
	const most = 5000
	a := NewAnswers(most)
	for i := range most {
		if r := (&Result{ID: fmt.Sprint("id", i)}); !a.First(r) || a.First(r) || a.Full() {
			t.Fatalf("answer %d: got a wrong answer", i)
		}
	}
	if more := (&Result{ID: "more"}); !a.First(more) || !a.First(more) || !a.Full() || a.First(&Result{ID: "id7"}) {
		t.Error("want that an answer beyond the limit counts as new, and that the others are known")
	}
	if r := (&Result{ID: "line:1"}); !a.First(r) || !a.First(r) {
		t.Error("lines without an id are duplicates of each other")
	}
}
