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

// replacement returns the change that a kind of mutant, such as CONDITIONALS_NEGATION, makes to the token
// at the start of text, such as == to !=. ok is false if the kind changes no such token.
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

// apply returns the part text[start:end] of a source text with the edits made: each replaces a range of
// bytes by another text. The offsets of the edits count from the start of text. Edits at one place are made
// in their order.
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
	files           map[string][]byte     // by path
	lines           map[string][]span     // by path: the lines of each copy
	functionNumbers map[*ast.FuncDecl]int // the numbers of the functions with mutants, from 1
}

// span is the lines of the copy for a mutant, from and to included; mutant is its index in the list.
type span struct{ from, to, mutant int }

// weave returns the files of the package with all mutants in them, so that one build serves all. For each
// mutant of a function, a copy of the function with that change is added at the end of the file. The
// function gets a switch at its start, which calls the copy whose mutant is selected when the program
// runs. Mutant i of the list has the number i+1. The copies call the function by its own name, so that a
// recursive function stays mutated. Mutants outside of functions and those that do not compile are left
// out.
func (pack *pack) weave(mutants []*mutant) *woven {
	out := &woven{files: map[string][]byte{}, lines: map[string][]span{}, functionNumbers: map[*ast.FuncDecl]int{}}
	for path, file := range pack.files {
		byFunc := map[*ast.FuncDecl][]int{} // indices of mutants
		for i, mutant := range mutants {
			if mutant.File == path && mutant.fn != nil && mutant.Status != notViable {
				byFunc[mutant.fn] = append(byFunc[mutant.fn], i)
			}
		}
		if len(byFunc) == 0 {
			continue
		}
		text := pack.text[path]
		var edits []edit
		var copies []byte
		line := bytes.Count(text, []byte("\n")) + 2 // the line of the next copy: the edits add no lines to the text before
		for _, d := range file.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || len(byFunc[function]) == 0 {
				continue
			}
			// The switch at the start of the function.
			out.functionNumbers[function] = len(out.functionNumbers) + 1
			signature := pack.signature(function)
			edits = append(edits, signature.edits...)
			body := pack.offset(function.Body.Lbrace) + 1
			edits = append(edits, edit{body, body, signature.dispatch(out.functionNumbers[function], byFunc[function])})
			// The copies, and in which lines each is, by which errors of the compiler are told apart.
			for _, i := range byFunc[function] {
				code := pack.copyOf(function, signature, mutants[i], i+1)
				copies = append(append(copies, code...), '\n')
				lines := bytes.Count(code, []byte("\n")) + 1
				out.lines[path] = append(out.lines[path], span{line, line + lines - 1, i})
				line += lines
			}
		}
		out.files[path] = append(append(apply(text, 0, len(text), edits), '\n'), copies...)
	}
	// A further file reads which mutant is selected.
	out.files[pack.dir+"/mutants_selected.go"] = fmt.Appendf(nil, selector, pack.name, len(out.functionNumbers)+1)
	return out
}

// offset returns the offset of a position in its file, in bytes.
func (pack *pack) offset(pos token.Pos) int { return pack.fset.Position(pos).Offset }

// copyOf returns the source text of a copy of a function in which the change of one mutant is made. The
// copy has a name of its own, which follows from the number of the mutant.
func (pack *pack) copyOf(function *ast.FuncDecl, signature *signature, mutant *mutant, number int) []byte {
	change, _ := replacement(pack.text[mutant.File][mutant.offset:], mutant.Type)
	nameAt := pack.offset(function.Name.Pos())
	edits := append(slices.Clone(signature.edits),
		edit{nameAt, nameAt + len(function.Name.Name), copyName(function, number)},
		edit{mutant.offset, mutant.offset + len(change.from), change.to})
	return apply(pack.text[mutant.File], pack.offset(function.Type.Func), pack.offset(function.End()), edits)
}

// copyName returns the name of the copy of a function with the mutant of that number.
func copyName(fn *ast.FuncDecl, number int) string {
	return fmt.Sprintf("mutant%d_%s", number, fn.Name.Name)
}

// signature is what is needed to write a call of a copy of a function with the function's
// own arguments.
type signature struct {
	edits         []edit // give parameters and receivers without a name one
	receiver      string // "x.", "" for a function
	typeArguments string // "[T]", "" without type parameters
	arguments     string // "a, b...", as they are passed on
	results       bool   // the function returns something
	fn            *ast.FuncDecl
}

// signature returns the parts of the source text that call a function like this one with the same
// arguments: receiver, type parameters and arguments. Parameters without a name get one by edits of the
// text, so that they can be passed on.
func (pack *pack) signature(function *ast.FuncDecl) *signature {
	call := &signature{fn: function, results: function.Type.Results.NumFields() > 0}
	if function.Recv != nil {
		call.receiver = strings.Join(pack.names(call, function.Recv, "mutantRecv"), "") + "."
	}
	if typeParams := function.Type.TypeParams; typeParams != nil {
		call.typeArguments = "[" + strings.Join(pack.names(call, typeParams, "mutantType"), ", ") + "]"
	}
	params := function.Type.Params
	call.arguments = strings.Join(pack.names(call, params, "mutantArg"), ", ")
	if params.NumFields() > 0 {
		if _, variadic := params.List[len(params.List)-1].Type.(*ast.Ellipsis); variadic {
			call.arguments += "..."
		}
	}
	return call
}

// names returns the names of a list of parameters. A parameter without a name, or with the name _, gets a
// name that begins with prefix. The edit of the source text that gives it is added to the signature.
func (pack *pack) names(signature *signature, list *ast.FieldList, prefix string) []string {
	var all []string
	for _, field := range list.List {
		if len(field.Names) == 0 { // only a type
			name := fmt.Sprint(prefix, len(all))
			at := pack.offset(field.Type.Pos())
			signature.edits = append(signature.edits, edit{at, at, name + " "})
			all = append(all, name)
		}
		for _, ident := range field.Names {
			name := ident.Name
			if name == "_" {
				name = fmt.Sprint(prefix, len(all))
				at := pack.offset(ident.Pos())
				signature.edits = append(signature.edits, edit{at, at + 1, name})
			}
			all = append(all, name)
		}
	}
	return all
}

// dispatch returns the source text of the switch at the start of a function that has mutants. It calls the
// copy of the function for the selected mutant, with the function's own arguments. -1 selects no mutant,
// and only records that the function, which has that number, was called. mutants are indices from 0; the
// mutant of index i is selected by i+1, because 0 selects the code as it is. The text is one line, so that
// the lines of the rest keep their numbers.
func (signature *signature) dispatch(number int, mutants []int) string {
	var text strings.Builder
	fmt.Fprintf(&text, " if mutantSelected != 0 { switch mutantSelected { case -1: mutantReached(%d)", number)
	for _, i := range mutants {
		call := signature.receiver + copyName(signature.fn, i+1) + signature.typeArguments + "(" + signature.arguments + ")"
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
