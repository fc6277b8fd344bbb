package main

import (
	"bytes"
	"strings"
	"testing"
)

func own(t *testing.T) []answer {
	t.Helper()
	list, err := load(source{"../../testdata/tangram/predictions.jsonl", "../../testdata/tangram/instances.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestCopiesAreDifferentTexts(t *testing.T) {
	a := own(t)[0]
	if whole := a.line(true, 0); !bytes.Contains(whole, []byte(`"target_outline":{`)) {
		t.Errorf("got %.200s; want a line with its target", whole)
	}
	first, second := a.line(false, 1), a.line(false, 2)
	if bytes.Contains(first, []byte("target_outline")) || !bytes.Contains(first, []byte(`\n(1)"`)) || !bytes.Contains(second, []byte(`\n(2)"`)) {
		t.Errorf("got %s and %s; want no target, and answers that differ", first, second)
	}
}

func TestAgree(t *testing.T) {
	list := own(t)
	for _, c := range []struct {
		name string
		bend func(*figures)
		want string // of the error, "" for none
	}{
		{"the same", func(*figures) {}, ""},
		{"within the tolerance", func(f *figures) { *f.IoU[0] -= 5e-7 }, ""},
		{"another IoU", func(f *figures) { *f.IoU[0] -= 2e-6 }, "cannot compare " + list[0].id},
		{"most answers unread", func(f *figures) {
			for i := range f.IoU {
				if i%3 > 0 {
					f.IoU[i] = nil
				}
			}
		}, "want three in four"},
		{"an answer too few", func(f *figures) { f.Parsed = f.Parsed[1:] }, "another number"},
	} {
		f, err := metricsOf(list)
		if err != nil {
			t.Fatal(err)
		}
		if c.bend(&f); f.IoU[0] == nil && c.name != "most answers unread" {
			t.Fatalf("%s: the first answer has no IoU; want one", c.name)
		}
		_, err = compareIoU(list, &row{runs: []figures{f}})
		if got := err != nil; got != (c.want != "") || got && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v; want %q", c.name, err, c.want)
		}
	}
}
