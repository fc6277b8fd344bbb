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
	pos := start
	for _, e := range edits {
		out = append(append(out, text[pos:e.start]...), e.text...)
		pos = e.end
	}
	return append(out, text[pos:end]...)
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
func (pack *pack) weave(mutants []*mutant) *woven {
	w := &woven{files: map[string][]byte{}, lines: map[string][]span{}, funcs: map[*ast.FuncDecl]int{}}
	for path, file := range pack.files {
		byFunc := map[*ast.FuncDecl][]int{}
		for i, m := range mutants {
			if m.File == path && m.fn != nil && m.Status != notViable {
				byFunc[m.fn] = append(byFunc[m.fn], i)
			}
		}
		if len(byFunc) == 0 {
			continue
		}
		text := pack.text[path]
		var edits []edit
		var copies []byte
		line := bytes.Count(text, []byte("\n")) + 2 // of the next copy, in the new file
		for _, d := range file.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || len(byFunc[function]) == 0 {
				continue
			}
			w.funcs[function] = len(w.funcs) + 1
			sig := pack.signature(function)
			edits = append(edits, sig.edits...)
			body := pack.offset(function.Body.Lbrace) + 1
			edits = append(edits, edit{body, body, sig.dispatch(w.funcs[function], byFunc[function])})
			for _, i := range byFunc[function] {
				code := pack.copyOf(function, sig, mutants[i], i+1)
				copies = append(append(copies, code...), '\n')
				n := bytes.Count(code, []byte("\n")) + 1
				w.lines[path] = append(w.lines[path], span{line, line + n - 1, i})
				line += n
			}
		}
		w.files[path] = append(append(apply(text, 0, len(text), edits), '\n'), copies...)
	}
	w.files[pack.dir+"/mutants_selected.go"] = fmt.Appendf(nil, selector, pack.name, len(w.funcs)+1)
	return w
}

func (pack *pack) offset(pos token.Pos) int { return pack.fset.Position(pos).Offset }

// copyOf returns the text of a copy of a function that has one mutant, under the name of
// that copy.
func (pack *pack) copyOf(function *ast.FuncDecl, sig *signature, mutant *mutant, number int) []byte {
	change, _ := replacement(pack.text[mutant.File][mutant.offset:], mutant.Type)
	nameAt := pack.offset(function.Name.Pos())
	edits := append(slices.Clone(sig.edits),
		edit{nameAt, nameAt + len(function.Name.Name), copyName(function, number)},
		edit{mutant.offset, mutant.offset + len(change.from), change.to})
	return apply(pack.text[mutant.File], pack.offset(function.Type.Func), pack.offset(function.End()), edits)
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

// signature returns the signature of a function as source text: receiver, type parameters and
// arguments, with new names for those without one, so that a mutant can be called with the same
// arguments.
func (pack *pack) signature(function *ast.FuncDecl) *signature {
	s := &signature{fn: function, results: function.Type.Results.NumFields() > 0}
	if function.Recv != nil {
		s.receiver = strings.Join(pack.names(s, function.Recv, "mutantRecv"), "") + "."
	}
	if t := function.Type.TypeParams; t != nil {
		s.types = "[" + strings.Join(pack.names(s, t, "mutantType"), ", ") + "]"
	}
	args := pack.names(s, function.Type.Params, "mutantArg")
	s.args = strings.Join(args, ", ")
	if n := function.Type.Params.NumFields(); n > 0 {
		if _, ok := function.Type.Params.List[len(function.Type.Params.List)-1].Type.(*ast.Ellipsis); ok {
			s.args += "..."
		}
	}
	return s
}

// names returns the names of a list of parameters. A parameter without a name, or called _,
// gets one that begins with prefix, by an edit that is added to the signature.
func (pack *pack) names(signature *signature, list *ast.FieldList, prefix string) []string {
	var all []string
	for _, f := range list.List {
		if len(f.Names) == 0 { // only a type
			name := fmt.Sprint(prefix, len(all))
			at := pack.offset(f.Type.Pos())
			signature.edits = append(signature.edits, edit{at, at, name + " "})
			all = append(all, name)
		}
		for _, n := range f.Names {
			name := n.Name
			if name == "_" {
				name = fmt.Sprint(prefix, len(all))
				at := pack.offset(n.Pos())
				signature.edits = append(signature.edits, edit{at, at + 1, name})
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
func (signature *signature) dispatch(number int, mutants []int) string {
	var text strings.Builder
	fmt.Fprintf(&text, " if mutantSelected != 0 { switch mutantSelected { case -1: mutantReached(%d)", number)
	for _, i := range mutants {
		call := signature.receiver + copyName(signature.fn, i+1) + signature.types + "(" + signature.args + ")"
		if signature.results {
			fmt.Fprintf(&text, "; case %d: return %s", i+1, call)
		} else {
			fmt.Fprintf(&text, "; case %d: %s; return", i+1, call)
		}
	}
	text.WriteString(" } };")
	return text.String()
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
