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

// replacement returns the change that a kind of mutant makes to the token at the start of text.
// ok is false if the kind changes no such token.
func replacement(text []byte, kind string) (c change, ok bool) {
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

// apply returns text[start:end] with the edits made. The offsets of the edits count from the
// start of text. Edits at one place are made in their order.
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
	files map[string][]byte     // by path
	lines map[string][]span     // by path: the lines of each copy
	funcs map[*ast.FuncDecl]int // the numbers of the functions with mutants, from 1
}

// span is the lines of the copy for a mutant, from and to included; mutant is its index in the list.
type span struct{ from, to, mutant int }

// weave returns the files of the package with all mutants in them. Each function that has
// mutants gets a switch at its start, which calls a copy of the function when its mutant is
// selected. The copies, one for each mutant, stand at the end of the file. Mutant i of the
// list has the number i+1. The copies call the function by its own name, so that a recursive
// testPackage stays mutated. Mutants outside of functions and those that do not compile are left
// out.
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
		var copies []byte
		line := bytes.Count(text, []byte("\n")) + 2 // of the next copy, in the new file
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || len(byFunc[fn]) == 0 {
				continue
			}
			w.funcs[fn] = len(w.funcs) + 1
			sig := p.signature(fn)
			edits = append(edits, sig.edits...)
			body := p.offset(fn.Body.Lbrace) + 1
			edits = append(edits, edit{body, body, sig.dispatch(w.funcs[fn], byFunc[fn])})
			for _, i := range byFunc[fn] {
				code := p.copyOf(fn, sig, mutants[i], i+1)
				copies = append(append(copies, code...), '\n')
				n := bytes.Count(code, []byte("\n")) + 1
				w.lines[path] = append(w.lines[path], span{line, line + n - 1, i})
				line += n
			}
		}
		w.files[path] = append(append(apply(text, 0, len(text), edits), '\n'), copies...)
	}
	w.files[p.dir+"/mutants_selected.go"] = fmt.Appendf(nil, selector, p.name, len(w.funcs)+1)
	return w
}

func (p *pack) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

// copyOf returns the text of a copy of a function that has one mutant, under the name of
// that copy.
func (p *pack) copyOf(fn *ast.FuncDecl, sig *signature, m *mutant, number int) []byte {
	ch, _ := replacement(p.text[m.File][m.offset:], m.Type)
	nameAt := p.offset(fn.Name.Pos())
	edits := append(slices.Clone(sig.edits),
		edit{nameAt, nameAt + len(fn.Name.Name), copyName(fn, number)},
		edit{m.offset, m.offset + len(ch.from), ch.to})
	return apply(p.text[m.File], p.offset(fn.Type.Func), p.offset(fn.End()), edits)
}

func copyName(fn *ast.FuncDecl, number int) string {
	return fmt.Sprintf("mutant%d_%s", number, fn.Name.Name)
}

// signature is what is needed to write a call of a copy of a function with the function's
// own arguments.
type signature struct {
	edits    []edit // give parameters and receivers without a name one
	receiver string // "x.", "" for a function
	types    string // "[T]", "" without type parameters
	args     string // "a, b...", as they are passed on
	results  bool   // the function returns something
	fn       *ast.FuncDecl
}

// signature returns the signature of a function of the package.
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

// names returns the names of a list of parameters. A parameter without a name, or called _,
// gets one that begins with prefix, by an edit that is added to s.
func (p *pack) names(s *signature, list *ast.FieldList, prefix string) []string {
	var all []string
	for _, f := range list.List {
		if len(f.Names) == 0 { // only a type
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

// dispatch returns, on one line, the switch that calls the copy of the function for the
// selected mutant with the function's own arguments. -1 selects none and only records that
// function `number` was reached. mutants are indexes from 0, and index i is mutant i+1,
// because 0 selects the code as it is.
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
