package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of one token.
type mutant struct {
	File       string `json:"file"` // from the root of the repository
	Line       int    `json:"line"`
	Column     int    `json:"column"`       // in bytes, from 1
	Type       string `json:"type"`         // as gremlins calls it
	Func       string `json:"func"`         // the function or method; empty at the level of the package
	Text       string `json:"text"`         // the line, without space around it
	TextColumn int    `json:"at"`           // of the token that the mutant changes, in Text, from 1
	Status     string `json:"status"`       // empty if it was not run
	By         string `json:"by,omitempty"` // the test that failed; empty for none
	offset     int
	fn         *ast.FuncDecl
	// leftOut marks a mutant that a sample does not have.
	leftOut bool
}

// States of mutants.
const (
	killed     = "killed"
	timedOut   = "timed out"
	survived   = "survived"
	notCovered = "not covered"
	notViable  = "not viable"
)

// pack is a package with its parsed files.
type pack struct {
	dir     string
	name    string
	testers []string // folders of the packages whose tests test it
	source  string   // sum of its code
	tests   string   // sum of the tests and their data
	fset    *token.FileSet
	files   map[string]*ast.File
	text    map[string][]byte
}

// list returns the path of the file with the mutants of a package, which gremlins has found.
func (config *config) list(dir string) string {
	return filepath.Join(config.dir, "lists", strings.ReplaceAll(dir, "/", "_")+".json")
}

// results returns the path of the file in which the result of a package is stored.
func (config *config) results(dir string) string {
	return filepath.Join(config.dir, "results", strings.ReplaceAll(dir, "/", "_")+".json")
}

// readPackage parses the code of the package in a folder and finds the packages whose tests test it. It
// also computes hashes of the code and of the tests, which tell whether a stored result is still valid.
func readPackage(dir string) (*pack, error) {
	pack := &pack{dir: dir, fset: token.NewFileSet(), files: map[string]*ast.File{}, text: map[string][]byte{}}
	var info struct {
		Name    string
		GoFiles []string
	}
	out, err := exec.Command("go", "list", "-json=Name,GoFiles", "./"+dir).Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list it: %w", err)
	}
	if err := json.Unmarshal(out, &info); err != nil {
		return nil, err
	}
	pack.name = info.Name
	sum := sha256.New()
	for _, name := range info.GoFiles {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		pack.text[path] = text
		if pack.files[path], err = parser.ParseFile(pack.fset, path, text, parser.ParseComments); err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
	}
	pack.source = hex.EncodeToString(sum.Sum(nil)[:8]) // 8 bytes are enough to notice a change
	if pack.testers, err = testersOf(dir); err != nil {
		return nil, err
	}
	pack.tests, err = sumTests(pack.testers)
	return pack, err
}

// testersOf returns the folders of the packages whose tests test the package in dir. That is dir itself if
// it has tests. Otherwise these are the packages with tests that import it directly, or if there are
// none, those that import it through others. The list may be empty.
func testersOf(dir string) ([]string, error) {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(tests) > 0 {
		return []string{dir}, err
	}
	packages, err := listTested()
	if err != nil {
		return nil, err
	}
	var importers, dependents []string
	for _, p := range packages {
		path := p.module + "/" + dir
		if slices.Contains(p.imports, path) {
			importers = append(importers, p.folder)
		}
		if slices.Contains(p.dependencies, path) {
			dependents = append(dependents, p.folder)
		}
	}
	if len(importers) > 0 {
		return importers, nil
	}
	return dependents, nil
}

// testedPackage is a package with tests. imports and dependencies are import paths, and dependencies
// are also those of the packages that it imports.
type testedPackage struct {
	folder, module        string // folder is relative to the repository
	imports, dependencies []string
}

// listTested returns the packages of the module in the working folder that have tests.
func listTested() (list []testedPackage, err error) {
	const format = "{{.Dir}}\t{{.ImportPath}}\t{{len .TestGoFiles}}{{len .XTestGoFiles}}\t{{join .Deps \",\"}}\t{{join .Imports \",\"}}"
	out, err := exec.Command("go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot list packages: %w", err)
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		column := strings.Split(strings.TrimSuffix(line, "\n"), "\t") // as in format
		folder, err := filepath.Rel(root, column[0])
		if err != nil || column[2] == "00" { // no test files, neither inside nor outside of the package
			continue
		}
		list = append(list, testedPackage{folder: folder, module: strings.TrimSuffix(column[1], "/"+folder),
			dependencies: strings.Split(column[3], ","), imports: strings.Split(column[4], ",")})
	}
	return list, nil
}

// sumTests returns a hash of the test files in the folders and of everything in their testdata, by
// which a later run sees whether the tests have changed.
func sumTests(dirs []string) (string, error) {
	sum := sha256.New()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(dir, path)
			isData := strings.HasPrefix(rel, "testdata")
			if entry.IsDir() {
				if rel != "." && !isData { // another package
					return filepath.SkipDir
				}
				return nil
			}
			if !isData && !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil // 8 bytes are enough to notice a change
}

// readList reads the mutants of the package in dir from a file that a dry run of the tool gremlins has
// written, and sorts them by file and place. The status that gremlins gives is ignored.
func readList(file, dir string) ([]*mutant, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the list of mutants: %w", err)
	}
	var in struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []struct {
				Type, Status string
				Line, Column int
			}
		}
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("cannot read the list of mutants %s: %w", file, err)
	}
	var all []*mutant
	for _, f := range in.Files {
		for _, m := range f.Mutations {
			// Its status "not covered" is not used: gremlins gives it to every mutant outside of a function.
			// What no test covers is found out again later.
			all = append(all, &mutant{File: filepath.Join(dir, f.Name), Line: m.Line, Column: m.Column, Type: m.Type})
		}
	}
	slices.SortFunc(all, func(a, b *mutant) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Type, b.Type))
	})
	return all, nil
}

// locate sets for each mutant its offset in the file, the text of its line without the space around it, its
// column in that text, and the function in whose body it is, if any. It fails if the place of a mutant does
// not have the token that the mutant changes: the list then belongs to other code.
func (pack *pack) locate(mutants []*mutant) error {
	for _, mutant := range mutants {
		file := pack.files[mutant.File]
		if file == nil {
			return fmt.Errorf("the list of mutants names %s, which is no file of the package", mutant.File)
		}
		positions := pack.fset.File(file.Pos())
		if mutant.Line > positions.LineCount() {
			return fmt.Errorf("the list of mutants names line %d of %s, which has %d", mutant.Line, mutant.File, positions.LineCount())
		}
		start := positions.Offset(positions.LineStart(mutant.Line))
		mutant.offset = start + mutant.Column - 1
		line, _, _ := strings.Cut(string(pack.text[mutant.File][start:]), "\n")
		mutant.Text = strings.TrimSpace(line)
		mutant.TextColumn = mutant.Column - strings.Index(line, mutant.Text)
		if _, ok := replacement(pack.text[mutant.File][mutant.offset:], mutant.Type); !ok {
			return fmt.Errorf("%s:%d:%d has no token that %s changes", mutant.File, mutant.Line, mutant.Column, mutant.Type)
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil || positions.Offset(function.Body.Pos()) > mutant.offset || positions.Offset(function.End()) <= mutant.offset {
				continue
			}
			mutant.fn, mutant.Func = function, function.Name.Name
			if function.Recv != nil {
				mutant.Func = receiver(function) + "." + mutant.Func
			}
		}
	}
	return nil
}

// receiver returns the name of the type that a method belongs to, without the * of a pointer and without
// type parameters.
func receiver(method *ast.FuncDecl) string {
	expression := method.Recv.List[0].Type
	for {
		switch e := expression.(type) {
		case *ast.StarExpr: // *T
			expression = e.X
		case *ast.IndexExpr: // T[A]
			expression = e.X
		case *ast.IndexListExpr: // T[A, B]
			expression = e.X
		case *ast.Ident:
			return e.Name
		default:
			return "?"
		}
	}
}
