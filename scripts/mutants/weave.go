package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// change is what a type of mutant makes of a token.
type change struct{ kind, from, to string }

// changes are those that gremlins makes by default. Longer tokens come first.
var changes = []change{
	{"CONDITIONALS_BOUNDARY", ">=", ">"}, {"CONDITIONALS_BOUNDARY", "<=", "<"},
	{"CONDITIONALS_BOUNDARY", ">", ">="}, {"CONDITIONALS_BOUNDARY", "<", "<="},
	{"CONDITIONALS_NEGATION", "==", "!="}, {"CONDITIONALS_NEGATION", "!=", "=="},
	{"CONDITIONALS_NEGATION", ">=", "<"}, {"CONDITIONALS_NEGATION", "<=", ">"},
	{"CONDITIONALS_NEGATION", ">", "<="}, {"CONDITIONALS_NEGATION", "<", ">="},
	{"INCREMENT_DECREMENT", "++", "--"}, {"INCREMENT_DECREMENT", "--", "++"},
	{"INVERT_NEGATIVES", "-", "+"},
	{"ARITHMETIC_BASE", "+", "-"}, {"ARITHMETIC_BASE", "-", "+"}, {"ARITHMETIC_BASE", "*", "/"},
	{"ARITHMETIC_BASE", "/", "*"}, {"ARITHMETIC_BASE", "%", "*"},
}

// replacement returns the change of the token at the start of text.
func replacement(text []byte, kind string) (change, bool) {
	for _, c := range changes {
		if c.kind == kind && bytes.HasPrefix(text, []byte(c.from)) {
			return c, true
		}
	}
	return change{}, false
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// apply returns text[start:end] with edits made, whose offsets are those of text.
func apply(text []byte, start, end int, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := start
	for _, e := range edits {
		out = append(append(out, text[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, text[at:end]...)
}

// woven is the code of a package with its mutants.
type woven struct {
	files map[string][]byte // by path
	lines map[string][]span // where mutants stand
	funcs map[*ast.FuncDecl]int
}

type span struct{ from, to, mutant int }

// weave appends to each function that has mutants a copy for each of them, and a switch at
// the start of the function that calls the copy when the mutant is selected. Mutant i of
// the list has the number i+1. The copies call the function by its own name, so that a
// recursive one stays mutated.
func (p *pack) weave(mutants []*mutant) *woven {
	w := &woven{files: map[string][]byte{}, lines: map[string][]span{}, funcs: map[*ast.FuncDecl]int{}}
	for path, file := range p.files {
		byFunc := map[*ast.FuncDecl][]int{}
		for i, m := range mutants {
			if m.File == path && m.fn != nil && m.Status != notViable {
				byFunc[m.fn] = append(byFunc[m.fn], i)
			}
		}
		if len(byFunc) == 0 {
			continue
		}
		text := p.text[path]
		var edits []edit
		var tail []byte
		lines := bytes.Count(text, []byte("\n")) + 2
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || len(byFunc[fn]) == 0 {
				continue
			}
			w.funcs[fn] = len(w.funcs) + 1
			s := p.signature(fn)
			edits = append(edits, s.edits...)
			body := p.offset(fn.Body.Lbrace) + 1
			edits = append(edits, edit{body, body, s.dispatch(w.funcs[fn], byFunc[fn])})
			for _, i := range byFunc[fn] {
				code := p.copyOf(fn, s, mutants[i], i+1)
				tail = append(append(tail, code...), '\n')
				n := bytes.Count(code, []byte("\n")) + 1
				w.lines[path] = append(w.lines[path], span{lines, lines + n - 1, i})
				lines += n
			}
		}
		w.files[path] = append(append(apply(text, 0, len(text), edits), '\n'), tail...)
	}
	w.files[p.dir+"/mutants_selected.go"] = fmt.Appendf(nil, selector, p.name, len(w.funcs)+1)
	return w
}

func (p *pack) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

// copyOf returns the text of a function with one mutant.
func (p *pack) copyOf(fn *ast.FuncDecl, s *signature, m *mutant, number int) []byte {
	c, _ := replacement(p.text[m.File][m.offset:], m.Type)
	name := p.offset(fn.Name.Pos())
	edits := append(slices.Clone(s.edits),
		edit{name, name + len(fn.Name.Name), copyName(fn, number)},
		edit{m.offset, m.offset + len(c.from), c.to})
	return apply(p.text[m.File], p.offset(fn.Type.Func), p.offset(fn.End()), edits)
}

func copyName(fn *ast.FuncDecl, number int) string {
	return fmt.Sprintf("mutant%d_%s", number, fn.Name.Name)
}

// signature is how a function calls a copy of itself with its own arguments.
type signature struct {
	edits    []edit // name what has no name
	receiver string // "x." or nothing
	types    string // "[T]" or nothing
	args     string
	results  bool
	fn       *ast.FuncDecl
}

func (p *pack) signature(fn *ast.FuncDecl) *signature {
	s := &signature{fn: fn, results: fn.Type.Results.NumFields() > 0}
	if fn.Recv != nil {
		s.receiver = strings.Join(p.names(s, fn.Recv, "mutantRecv"), "") + "."
	}
	if t := fn.Type.TypeParams; t != nil {
		s.types = "[" + strings.Join(p.names(s, t, "mutantType"), ", ") + "]"
	}
	args := p.names(s, fn.Type.Params, "mutantArg")
	s.args = strings.Join(args, ", ")
	if n := fn.Type.Params.NumFields(); n > 0 {
		if _, ok := fn.Type.Params.List[len(fn.Type.Params.List)-1].Type.(*ast.Ellipsis); ok {
			s.args += "..."
		}
	}
	return s
}

// names returns the names of parameters, and gives those without one a name.
func (p *pack) names(s *signature, list *ast.FieldList, prefix string) []string {
	var all []string
	for _, f := range list.List {
		if len(f.Names) == 0 {
			name := fmt.Sprint(prefix, len(all))
			at := p.offset(f.Type.Pos())
			s.edits = append(s.edits, edit{at, at, name + " "})
			all = append(all, name)
		}
		for _, n := range f.Names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprint(prefix, len(all))
				at := p.offset(n.Pos())
				s.edits = append(s.edits, edit{at, at + 1, name})
			}
			all = append(all, name)
		}
	}
	return all
}

// dispatch returns the switch at the start of a function, on one line.
func (s *signature) dispatch(number int, mutants []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, " if mutantSelected != 0 { switch mutantSelected { case -1: mutantReached(%d)", number)
	for _, i := range mutants {
		call := s.receiver + copyName(s.fn, i+1) + s.types + "(" + s.args + ")"
		if s.results {
			fmt.Fprintf(&b, "; case %d: return %s", i+1, call)
		} else {
			fmt.Fprintf(&b, "; case %d: %s; return", i+1, call)
		}
	}
	b.WriteString(" } };")
	return b.String()
}

// selector is the code that reads the number of the mutant. With -1 each function with
// mutants appends its number to a file when it is called first.
const selector = `package %s

import (
	mutantsOS "os"
	mutantsStrconv "strconv"
	mutantsAtomic "sync/atomic"
)

var mutantSelected, mutantFile = func() (int, *mutantsOS.File) {
	n, _ := mutantsStrconv.Atoi(mutantsOS.Getenv("MUTANT"))
	if n != -1 {
		return n, nil
	}
	f, err := mutantsOS.OpenFile(mutantsOS.Getenv("MUTANT_REACHED"), mutantsOS.O_APPEND|mutantsOS.O_CREATE|mutantsOS.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return n, f
}()

var mutantSeen [%d]mutantsAtomic.Bool

func mutantReached(i int) {
	if mutantSeen[i].CompareAndSwap(false, true) {
		mutantFile.WriteString(mutantsStrconv.Itoa(i) + "\n")
	}
}
`
