package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const toy = `package toy

const Base = 2 + 3

type Box[T ~int | ~string] struct{ all []T }

func (b *Box[T]) Larger(n int) bool { return len(b.all) > n }

func (Box[T]) Two(int, ...string) int { return 1 + 1 }

func Join[T ~int | ~string](a, b T) T { return a + b }

func Down(n int, _ bool) int {
	if n <= 0 {
		return 0
	}
	return 2 + Down(n-1, false)
}

func Loop() (n int) {
	for n < 3 {
		n++
	}
	return n
}

func Weak(n int) bool { return n >= 7 }

func Unseen(n int) int { return n * 2 }

func Divide() int { return 6 / 3 * 0 }
`

const toyTest = `package toy

import "testing"

func Test(t *testing.T) {
	b := Box[int]{all: []int{1, 2}}
	if b.Larger(2) || !b.Larger(1) || b.Two(0) != 2 || Join("a", "b") != "ab" || Down(3, true) != 6 || Loop() != 3 || Base != 5 {
		t.Error("wrong")
	}
	Weak(7)
	Divide()
}
`

// every returns all changes of the code, as gremlins lists them.
func every(t *testing.T, name, code string) []byte {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, code, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	add := func(pos token.Pos, kinds ...string) {
		at := fset.Position(pos)
		for _, kind := range kinds {
			if _, ok := replacement([]byte(code)[at.Offset:], kind); ok {
				all = append(all, map[string]any{"type": kind, "status": "NOT COVERED", "line": at.Line, "column": at.Column})
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op != token.OR {
				add(n.OpPos, "ARITHMETIC_BASE", "CONDITIONALS_BOUNDARY", "CONDITIONALS_NEGATION")
			}
		case *ast.IncDecStmt:
			add(n.TokPos, "INCREMENT_DECREMENT")
		}
		return true
	})
	data, err := json.Marshal(map[string]any{"files": []any{map[string]any{"file_name": name, "mutations": all}}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// toyModule makes a module with a package and a user of it, and stays in its folder.
func toyModule(t *testing.T) *config {
	t.Chdir(t.TempDir())
	t.Setenv("GOFLAGS", "-vet=off")
	for name, text := range map[string]string{
		"go.mod": "module toys\n\ngo 1.26\n", "toy/toy.go": toy, "toy/toy_test.go": toyTest,
		"bare/bare.go": "package bare\n\nfunc Sum(a, b int) int { return a + b }\n",
		"user/user.go": "package user\n\nimport \"toys/bare\"\n\nvar Four = bare.Sum(1, 3)\n",
		"user/user_test.go": "package user\n\nimport \"testing\"\n\n" +
			"func TestFour(t *testing.T) {\n\tif Four != 4 {\n\t\tt.Error(Four)\n\t}\n}\n",
		"m/lists/toy.json":  string(every(t, "toy.go", toy)),
		"m/lists/bare.json": `{"files":[{"file_name":"bare.go","mutations":[{"type":"ARITHMETIC_BASE","line":3,"column":35}]}]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &config{dir: "m", want: 90}
}

// Methods, generic and recursive functions, parameters without names, constants and
// endless loops: each mutant gets the status that it deserves.
func TestMutants(t *testing.T) {
	c := toyModule(t)
	r, err := c.testPackage("toy")
	if err != nil {
		t.Fatal(err)
	}
	lived := []string{}
	for _, m := range r.Mutants {
		if m.Func == "Down" && m.Status == timedOut {
			continue // recursion without an end fills the stack, or on a slow machine runs out of time before
		}
		if m.Status != killed {
			lived = append(lived, m.Func+" "+m.Type+" "+m.Status)
		}
	}
	if w := []string{"Join ARITHMETIC_BASE not viable", "Loop INCREMENT_DECREMENT timed out",
		"Weak CONDITIONALS_BOUNDARY survived", "Weak CONDITIONALS_NEGATION survived", "Unseen ARITHMETIC_BASE not covered",
		"Divide ARITHMETIC_BASE survived", "Divide ARITHMETIC_BASE not viable"}; !slices.Equal(lived, w) {
		t.Errorf("got %q; want %q", lived, w)
	}
	if made, n, _ := r.tally(); made != len(r.Mutants)-2 || n[killed] < 8 {
		t.Errorf("got %d made, %v; want all but two made, and most killed", made, n)
	}
}

// What is stored is taken over for the same code and tests alone, and kills for the same
// code where that is asked for.
func TestResume(t *testing.T) {
	c := toyModule(t)
	first, err := c.testPackage("bare")
	if err != nil || first.Mutants[0].Status != killed || !slices.Equal(first.Testers, []string{"user"}) {
		t.Fatalf("got %+v, %v; want it killed by the tests of user", first, err)
	}
	status := func(kept bool) string {
		c.report, c.reuseSettled = true, kept
		r, err := c.testPackage("bare")
		if err != nil {
			t.Fatal(err)
		}
		return r.Mutants[0].Status
	}
	if got := status(false); got != killed {
		t.Errorf("got %q from the same code and tests; want it taken over", got)
	}
	if err := os.MkdirAll("user/testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("user/testdata/a.txt", []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if without, with := status(false), status(true); without != "" || with != killed {
		t.Errorf("got %q and %q after the data of tests changed; want nothing, and the kill where it is kept", without, with)
	}
}

// A sample is the same for the same seed, and its share counts what was tried alone.
func TestSample(t *testing.T) {
	c := toyModule(t)
	c.sample, c.seed = 3, 1
	tried := func() (indices []int) {
		r, err := c.testPackage("toy")
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range r.Mutants {
			if !m.leftOut {
				indices = append(indices, i)
			}
			if m.Status != notViable && m.leftOut == (m.Status != "") {
				t.Errorf("mutant %d: left out %v, but its status is %q", i, m.leftOut, m.Status)
			}
		}
		c.sample, c.report = 0, true // the report of a sample is by the sample
		if r, err = c.testPackage("toy"); err != nil {
			t.Fatal(err)
		}
		c.sample, c.report = 3, false
		var out strings.Builder
		writeTable(&out, []*result{r}, 0)
		if !strings.Contains(out.String(), "  a sample of 3 by seed 1\n") {
			t.Errorf("got the table %q; want it to name the sample", out.String())
		}
		return indices
	}
	first := tried()
	if err := os.RemoveAll("m/results"); err != nil {
		t.Fatal(err)
	}
	if again := tried(); len(first) != 3 || !slices.Equal(first, again) {
		t.Errorf("got the mutants %v and %v; want three, twice the same", first, again)
	}
	mutants := make([]*mutant, 100)
	for i := range mutants {
		mutants[i] = &mutant{Status: killed}
	}
	mutants[7].Status = ""
	r := &result{Mutants: mutants, Sample: 10, Seed: 1}
	r.draw()
	if made, n, percent := r.tally(); made != 10 || n[killed] != 10 || percent != 100 {
		t.Errorf("got %d made, %v, %.1f %%; want 10, all killed", made, n, percent)
	}
	mutants[7].Status = survived
	for _, m := range mutants {
		m.leftOut = false
	}
	r.Sample = 10
	if r.draw(); r.Sample != 0 || slices.ContainsFunc(mutants, func(m *mutant) bool { return m.leftOut }) {
		t.Error("of a package all of whose mutants were run, some are left out")
	}
}

// A survivor needs a reason, and what is listed must have survived.
func TestReport(t *testing.T) {
	m := func(name, status string) *mutant {
		return &mutant{File: "p/a.go", Func: "F", Type: "T", TextColumn: 1, Text: name, Status: status}
	}
	var mutants []*mutant
	for i := range 18 {
		mutants = append(mutants, m(fmt.Sprint(i), killed))
	}
	all := []*result{{Package: "p", Testers: []string{"p"}, Mutants: append(mutants, m("x", survived), m("y", notViable), m("z", notCovered))}}
	x, z, dead := m("x", "").key(), m("z", "").key(), m("3", "").key()
	for _, c := range []struct {
		name   string
		listed map[string]string
		want   float64
		ok     bool
		text   string
	}{
		{"all listed", map[string]string{x: "r", z: "r"}, 90, true, "90.0 %"},
		{"below", map[string]string{x: "r", z: "r"}, 90.1, false, "90.0 %"},
		{"not listed", map[string]string{x: "r"}, 90, false, "p/a.go:0: not covered, not in the list"},
		{"dead but listed", map[string]string{x: "r", z: "r", dead: "r"}, 90, false, "in the list, but killed"},
		{"of code that is no more", map[string]string{x: "r", z: "r", "p/a.go\tOld\tT\t1\tx": "r"}, 90, false, "there is no such mutant: p/a.go\tOld"},
		{"of another package", map[string]string{x: "r", z: "r", "p/q/a.go\tF\tT\t1\tx": "r"}, 90, true, "90.0 %"},
	} {
		var out strings.Builder
		ok := reportFaults(&out, all, c.listed)
		if ok = writeTable(&out, all, c.want) && ok; ok != c.ok || !strings.Contains(out.String(), c.text) {
			t.Errorf("%s: got %v and %q; want %v and %q", c.name, ok, out.String(), c.ok, c.text)
		}
	}
}

func TestReadListed(t *testing.T) {
	for _, c := range []struct {
		text string
		want map[string]string
		err  string
	}{
		{"# note\nreason: no effect\na\tF\tT\t1\tx < y\n\nreason: speed\nb\tF\tT\t2\tz\n", map[string]string{"a\tF\tT\t1\tx < y": "no effect", "b\tF\tT\t2\tz": "speed"}, ""},
		{"a\tF\tT\t1\tx\n", nil, ":1: a survivor without a reason"},
		{"reason: r\na\tF\tT\t1\tx\n\nb\tF\tT\t1\tx\n", nil, ":4: a survivor without a reason"},
		{"reason: r\na F T 1 x\n", nil, ":2: want file"},
	} {
		file := filepath.Join(t.TempDir(), "list")
		if err := os.WriteFile(file, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := readListed(file)
		if c.err == "" && (err != nil || !maps.Equal(got, c.want)) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: got %v, %v; want %v, %q", c.text, got, err, c.want, c.err)
		}
	}
}
