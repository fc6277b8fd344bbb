package queue

import (
	"fmt"
	"testing"
)

func TestSeen(t *testing.T) {
	s := newSeen()
	for i := range 5000 {
		if id := fmt.Sprint("id", i); !s.add([]byte(id)) || s.add([]byte(id)) {
			t.Fatalf("id %d: got a wrong answer", i)
		}
	}
}
