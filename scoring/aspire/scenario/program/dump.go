package program

import "plumb/scoring/aspire/scenario"

// DemoSeed is the seed of the sample dump in testdata/aspire.
const DemoSeed = 1

// Dump returns the whole set as JSONL: every scenario of every test, answered by
// every program.
func Dump(seed uint64) ([]byte, error) {
	var out []byte
	for _, test := range scenario.Tests() {
		for index := range scenario.PerTest {
			s, err := scenario.Make(seed, test, index)
			if err != nil {
				return nil, err
			}
			for _, p := range All() {
				if out, err = s.AppendLine(out, p.Name, p.Answer(seed, s)); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}
