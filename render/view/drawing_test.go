package view

import (
	"testing"

	"plumb/render/scene"
)

func TestShows(t *testing.T) {
	s, err := scene.Decode([]byte(`{"shapes":[{"id":"shape:g","type":"group"},{"id":"shape:a","type":"geo","parentId":"shape:g"},{"id":"shape:b","type":"geo"}]}`), scene.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		only []string
		want string // names of the shapes that are shown
	}{
		{nil, "gab"},
		{[]string{}, ""},
		{[]string{"shape:g"}, "ga"},
		{[]string{"shape:a"}, "a"},
		{[]string{"shape:b", "shape:none"}, "b"},
	} {
		v, got := View{Scene: s, FirstIDs: c.only}, ""
		for _, name := range "gab" {
			for i := range s.Shapes {
				if s.Shapes[i].ID == "shape:"+string(name) && v.Shows(int32(i)) {
					got += string(name)
				}
			}
		}
		if got != c.want {
			t.Errorf("only %q: got %q; want %q", c.only, got, c.want)
		}
	}
}
