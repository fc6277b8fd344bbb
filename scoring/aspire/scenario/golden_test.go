package scenario

import (
	"crypto/sha256"
	"fmt"
	"testing"
)

// Tasks are published by seed, so a change of the generator must not pass unseen: these are the sums of
// the tasks of each test for the seeds 0 to 19, with their measures, mixed and at each level.
var sums = map[string]string{
	"maze": "3dfbc4d9a957c27e", "graph": "cd3c89bdf46ee16f", "pattern": "b40ea66ecd4cb2e5", "label": "d4f73ebe09aa5e35",
	"line": "33ab4609df1a0561", "arrow": "9b75e24b25808862", "overlap": "9c625aac64cdd6b4", "balance": "47d5592965871c43",
}

func TestTasksStay(t *testing.T) {
	for _, test := range Tests() {
		h := sha256.New()
		write := func(s *Scenario, seed uint64, err error) {
			if err != nil {
				t.Fatal(err)
			}
			line, err := s.AppendTask(nil, seed)
			if err != nil {
				t.Fatal(err)
			}
			h.Write(append(line, '\n'))
		}
		for seed := range uint64(20) {
			for i := range PerTest {
				s, err := Make(seed, test, i)
				write(s, seed, err)
			}
			for _, level := range Levels() {
				s, err := MakeLevel(seed, test, 0, level)
				write(s, seed, err)
			}
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)[:8]); got != sums[test] {
			t.Errorf("%s: got the sum %s; want %s", test, got, sums[test])
		}
	}
}
