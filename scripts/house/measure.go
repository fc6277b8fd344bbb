package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// The largest sizes that the code may have. A change may lower them.
const (
	maxLines             = 150_000 // of production Go in all
	maxFileLines         = 600
	maxFuncLines         = 100
	maxLongPercent       = 0.5 // share of functions over longFunc lines
	maxShaderLines       = 200
	maxPageLines         = 4000 // of the explorer's pages in all: TypeScript, styles, HTML and their build
	minDocumentedPercent = 97.0
)

// pagesDir holds the sources of the explorer's pages. Its JSON files are lists of versions.
const pagesDir = "daemon/explorer/pages/"

// longFunc is the number of lines from which a function counts as long.
const longFunc = 60

// sized is a file or function with its lines.
type sized struct {
	name  string
	lines int
}

// sizes are the measures of a tree.
type sizes struct {
	total                int            // lines of production Go
	folder               map[string]int // of these, by top-level folder
	packages             map[string]bool
	files, funcs, shader []sized
	long                 int // functions over longFunc lines
	exported, documented int // names
	pages                int // lines of the explorer's pages
	document             int // characters of the longest line outside of tables and code
}

// production reports whether a file is Go code of the product: neither a test, nor test data, nor in a
// package that serves tests alone, whose name ends in "test".
func production(file string) bool {
	if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
		return false
	}
	for _, folder := range strings.Split(path.Dir(file), "/") {
		if folder == "testdata" || strings.HasSuffix(folder, "test") {
			return false
		}
	}
	return true
}

// measure returns the sizes of a tree: of production Go files and their functions, shaders,
// the explorer's pages, and the longest line of documents. A Go file that cannot be parsed
// is an error.
func (tree *tree) measure() (*sizes, error) {
	sizes := &sizes{folder: map[string]int{}, packages: map[string]bool{}}
	for _, file := range tree.paths {
		lines := strings.Count(tree.text[file], "\n")
		switch {
		case production(file):
			top, _, _ := strings.Cut(file, "/")
			sizes.total += lines
			sizes.folder[top] += lines
			sizes.packages[path.Dir(file)] = true
			sizes.files = append(sizes.files, sized{file, lines})
			if err := sizes.addSource(file, tree.text[file]); err != nil {
				return nil, err
			}
		case strings.HasPrefix(file, "shaders/") && path.Ext(file) != ".go":
			sizes.shader = append(sizes.shader, sized{file, lines})
		case strings.HasPrefix(file, pagesDir) && path.Ext(file) != ".json":
			sizes.pages += lines
		case path.Ext(file) == ".md":
			eachText(tree.text[file], func(_ int, line string) {
				if !mayBeLong(line) {
					sizes.document = max(sizes.document, utf8.RuneCountInString(line))
				}
			})
		}
	}
	for _, list := range [][]sized{sizes.files, sizes.funcs, sizes.shader} {
		slices.SortFunc(list, func(a, b sized) int { return cmp.Or(a.lines-b.lines, strings.Compare(a.name, b.name)) })
	}
	return sizes, nil
}

// addSource adds the functions of a Go file, with their lengths, and its exported names, with or
// without a comment, to the sizes. Methods and the names of commands do not count as exported.
func (sizes *sizes) addSource(file, text string) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("cannot measure: %w", err)
	}
	countName := func(name *ast.Ident, docs ...*ast.CommentGroup) { // each of docs may document the name, or is nil
		if !name.IsExported() || f.Name.Name == "main" {
			return
		}
		sizes.exported++
		if slices.ContainsFunc(docs, func(c *ast.CommentGroup) bool { return c != nil }) {
			sizes.documented++
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			lines := set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1
			sizes.funcs = append(sizes.funcs, sized{file + " " + d.Name.Name, lines})
			if lines > longFunc {
				sizes.long++
			}
			if d.Recv == nil {
				countName(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					countName(spec.Name, d.Doc, spec.Doc, spec.Comment)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						countName(name, d.Doc, spec.Doc, spec.Comment)
					}
				}
			}
		}
	}
	return nil
}

// quantile returns a quantile of the numbers of lines in a sorted list: with a share of 0.5 the median, with
// 0.9 the number that 90 % of the entries do not exceed. It returns 0 for an empty list.
func quantile(list []sized, share float64) int {
	if len(list) == 0 {
		return 0
	}
	return list[int(share*float64(len(list)-1))].lines
}

// largest returns the last entry of a list that is sorted by lines, or an empty entry.
func largest(list []sized) sized {
	if len(list) == 0 {
		return sized{}
	}
	return list[len(list)-1]
}

func percent(part, all int) float64 { return 100 * float64(part) / float64(max(all, 1)) }

// write prints the table of the repository's sizes, one row for each measure with its limit, and returns a
// text for each limit that does not hold.
func (sizes *sizes) write(w io.Writer) (faults []string) {
	writer := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	const noLimit = ""
	row := func(ok bool, limit, measure, format string, args ...any) { // prints a row; ok says that the limit holds
		value := fmt.Sprintf(format, args...)
		fmt.Fprintf(writer, "%s\t%s\t%s\n", measure, value, limit)
		if !ok {
			faults = append(faults, fmt.Sprintf("%s: %s; want %s", measure, value, limit))
		}
	}
	atMost := func(n int) string { return fmt.Sprintf("at most %d", n) }
	file, function, shader := largest(sizes.files), largest(sizes.funcs), largest(sizes.shader)
	row(sizes.total <= maxLines, atMost(maxLines), "production Go lines", "%d", sizes.total)
	for _, top := range slices.Sorted(maps.Keys(sizes.folder)) {
		row(true, noLimit, "  "+top, "%d", sizes.folder[top])
	}
	row(true, noLimit, "packages", "%d", len(sizes.packages))
	row(true, noLimit, "lines of a file, median and 90 %", "%d, %d", quantile(sizes.files, 0.5), quantile(sizes.files, 0.9))
	row(file.lines <= maxFileLines, atMost(maxFileLines), "longest file", "%d %s", file.lines, file.name)
	row(true, noLimit, "lines of a function, median and 90 %", "%d, %d", quantile(sizes.funcs, 0.5), quantile(sizes.funcs, 0.9))
	row(function.lines <= maxFuncLines, atMost(maxFuncLines), "longest function", "%d %s", function.lines, function.name)
	share := percent(sizes.long, len(sizes.funcs))
	row(share <= maxLongPercent, fmt.Sprintf("at most %g %%", maxLongPercent),
		fmt.Sprintf("functions over %d lines", longFunc),
		"%d of %d, %.2f %%", sizes.long, len(sizes.funcs), share)
	row(shader.lines <= maxShaderLines, atMost(maxShaderLines), "longest shader", "%d %s", shader.lines, shader.name)
	row(sizes.pages < maxPageLines, fmt.Sprintf("fewer than %d", maxPageLines), "lines of the explorer's pages", "%d",
		sizes.pages)
	documented := percent(sizes.documented, sizes.exported)
	row(documented >= minDocumentedPercent || sizes.exported == 0, fmt.Sprintf("at least %g %%", minDocumentedPercent),
		"exported names with a comment",
		"%d of %d, %.1f %%", sizes.documented, sizes.exported, documented)
	row(sizes.document <= maxColumns, atMost(maxColumns), "longest line of a document", "%d", sizes.document)
	writer.Flush()
	return faults
}
