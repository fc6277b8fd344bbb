package convert

import "testing"

func TestPythonList(t *testing.T) {
	for in, want := range map[string]string{
		`['a', 'b']`: `["a","b"]`, `["it's", 'say "x"',]`: `["it's","say \"x\""]`, ` [ ] `: `[]`, `['\n\x41\u00e9\\']`: `["\nAé\\"]`, `['\d']`: `["\\d"]`,
		`[1, 2]`: "", `['a'`: "", `['a' 'b']`: "", `a`: "", `['a\`: "", `['\u00']`: "", `['\UFFFFFFFF']`: "",
		`['\U0010ffff']`: `["􏿿"]`, `['\U00110000']`: "", `['\x4']`: "", `['a`: "", `['a]`: "", `['a\]`: "",
	} {
		got, ok := pythonList(in)
		if ok != (want != "") || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", in, got, ok, want)
		}
	}
}
