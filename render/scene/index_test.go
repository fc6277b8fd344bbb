package scene

import (
	"fmt"
	"strings"
	"testing"
)

// Decode accepts and refuses the same index keys of shapes and points as the editor.
func TestIndices(t *testing.T) {
	for _, taken := range []bool{true, false} {
		keys := []string{"a", "a10", "a100", "A0", "A00", "Z00", "b1", "b100", " a1", "0", "1", "é", "a00", "a1V0",
			"A" + strings.Repeat("0", 26), strings.Repeat("z", 10), "c12", "Y000", "zz", "a2a0", "10", "-1", "null", "{"}
		if taken {
			keys = []string{"a1", "a101", "Zz", "Z0", "b11", "b10", "b101", "a1!", "a!", "a1 ", "a1é", "aé", "a0", "a0V", "a1V",
				"A" + strings.Repeat("0", 26) + "1", strings.Repeat("z", 27), strings.Repeat("z", 28), "aa", "az", "a-", "a_", "c123", "Y00", "Y001", "a😀"}
		}
		for _, key := range keys {
			for path, doc := range map[string]string{
				"index":              fmt.Sprintf(`[{"id":"shape:a","type":"geo","index":%q}]`, key),
				"props.points.index": fmt.Sprintf(`[{"id":"shape:a","type":"line","props":{"points":{"a":{"id":"a","index":%q,"x":0,"y":0}}}}]`, key),
			} {
				_, err := Decode([]byte(doc), DefaultLimits())
				if named := err != nil && strings.Contains(err.Error(), "index") && strings.Contains(err.Error(), "a fractional index"); (err == nil) != taken || err != nil && !named {
					t.Errorf("%s %q: got %v; want it taken: %v", path, key, err, taken)
				}
			}
		}
	}
}

// An empty index counts as no index: the editor assigns one.
func TestEmptyIndexIsNone(t *testing.T) {
	s := mustDecode(t, `[{"id":"shape:a","type":"geo","index":""},{"id":"shape:b","type":"geo","index":"a0"}]`)
	if got := s.Shapes[0].ID + s.Shapes[1].ID; got != "shape:bshape:a" {
		t.Errorf("got the order %s; want b first: a is handed a1", got)
	}
}
