package main

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// architecture is the document that says of every package what it does.
const architecture = "ARCHITECTURE.md"

// tableHead begins a table of packages in the document architecture. The names of folders in
// code style in the last line of text before it say whose packages the table has.
const tableHead = "| package | what it does |"

var (
	codeName   = regexp.MustCompile("`([a-z]+)`")
	parenCited = regexp.MustCompile(` \([^()]*docs/spec/[^()]*\)`)
	docOpening = regexp.MustCompile(`^(?:Package|Command) \S+ `)
)

// packages returns the faults of the tables of packages in the document architecture: the first line
// that writePackages would change, or if the tables cannot be made, why. A tree without the document has
// no faults.
func (tree *tree) packages() (faults []string) {
	text, there := tree.text[architecture]
	if !there {
		return nil
	}
	want, faults := tree.withTables(text)
	if len(faults) == 0 && want != text {
		gotLines, wantLines := strings.Split(text, "\n"), strings.Split(want, "\n")
		first := 0 // the first line that differs
		for first < min(len(gotLines), len(wantLines))-1 && gotLines[first] == wantLines[first] {
			first++
		}
		return []string{fmt.Sprintf("%s:%d: want %q here: run `make packages`", architecture, first+1, wantLines[first])}
	}
	return faults
}

// writePackages writes the tables of packages into the document architecture of the tree at root,
// from the first sentences of the packages' comments.
func (tree *tree) writePackages(root string) []string {
	text, faults := tree.withTables(tree.text[architecture])
	if len(faults) > 0 {
		return faults
	}
	if err := os.WriteFile(filepath.Join(root, architecture), []byte(text), 0o644); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// withTables returns the text of the document architecture with its tables of packages made anew, and a
// fault for each package that belongs to no table or has no comment. The last line before a table that
// names folders as `NAME` says which packages it holds: those below these folders.
func (tree *tree) withTables(text string) (out string, faults []string) {
	summary, faults := tree.summaries()
	var lines []string   // of the new text
	var folders []string // of the table that follows
	inTable := false
	for line := range strings.SplitSeq(text, "\n") {
		if inTable && strings.HasPrefix(line, "|") {
			continue // an old row
		}
		inTable = line == tableHead
		if names := codeName.FindAllStringSubmatch(line, -1); names != nil {
			folders = nil
			for _, name := range names {
				folders = append(folders, name[1])
			}
		}
		lines = append(lines, line)
		if !inTable {
			continue
		}
		lines = append(lines, "| --- | --- |")
		for _, folder := range slices.Sorted(maps.Keys(summary)) {
			top, _, _ := strings.Cut(folder, "/")
			if slices.Contains(folders, top) {
				lines = append(lines, fmt.Sprintf("| `%s` | %s |", folder, summary[folder]))
				delete(summary, folder)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(summary)) {
		faults = append(faults, fmt.Sprintf("%s: no table for the package %s; want its folder named above one", architecture, folder))
	}
	return strings.Join(lines, "\n"), faults
}

// summaries returns what each package of production Go does, by its folder: the first sentence of its
// comment, without "Package NAME" at the beginning, citations of rules, and the full stop at the end. A
// package without a comment is a fault.
func (tree *tree) summaries() (summary map[string]string, faults []string) {
	summary = map[string]string{}
	for _, file := range tree.paths {
		folder := path.Dir(file)
		if !production(file) || summary[folder] != "" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, tree.text[file], parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		comment := f.Doc.Text()
		if sentence := new(doc.Package).Synopsis(comment); docOpening.MatchString(sentence) {
			sentence = parenCited.ReplaceAllString(docOpening.ReplaceAllString(sentence, ""), "")
			summary[folder] = strings.TrimRight(sentence, ".:")
		} else {
			summary[folder] = "" // the loop below reports it, unless another file has the comment
		}
	}
	for folder, sentence := range summary {
		if sentence == "" {
			faults = append(faults, fmt.Sprintf("%s: the package has no comment; want one that begins with what it does", folder))
			delete(summary, folder)
		}
	}
	slices.Sort(faults)
	return summary, faults
}
