package main

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// specDir holds the pages of rules. A rule is a heading "### R1", and its anchor
// is then "#r1".
const specDir = "docs/spec/"

// maxColumns is the longest line of a document in characters.
const maxColumns = 120

// exceptions are names of documents that are no files of the repository. A mention
// of name in a file below prefix is taken; without a name, every mention is.
var exceptions = []struct{ prefix, name, reason string }{
	{"scripts/house/", "", "trees that tests make up, and examples of citations"},
	{"daemon/api/", "/docs/none.md", "an address that the daemon does not know, in a test"},
	{"docs/spec/README.md", "docs/spec/PAGE.md", "the form of citations"},
	{"docs/docs.go", "NAME.md", "the form of the names of guides"},
	{"render/chrome/page/package-lock.json", "", "addresses of other packages' licences"},
	{"scripts/fonts/package-lock.json", "", "addresses of other packages' licences"},
}

var (
	urlText  = regexp.MustCompile(`[a-z]+://[^\s)>"'` + "`" + `]+`)
	mention  = regexp.MustCompile(`([A-Za-z0-9_./%*-]*[A-Za-z0-9_%*-]\.md)\b(?:#([A-Za-z0-9_-]+))?(?:,? (?:section )?(?:[A-Z]-?)?([0-9]))?`)
	ownRule  = regexp.MustCompile(`\]\(#(r[0-9]+)\)`)
	anchor   = regexp.MustCompile(`^r([0-9]+)$`)
	heading  = regexp.MustCompile(`^#+\s+[Rr]([0-9]+)\b`)
	goodHead = regexp.MustCompile(`^### R[1-9][0-9]*$`)
)

// place is a line of a file.
type place struct {
	file string
	line int
}

// rule is a rule of a page, such as {"docs/spec/vqa.md", "r4"}.
type rule struct{ page, anchor string }

type citationCheck struct {
	*tree
	rules  map[rule]place
	cited  map[rule]bool // by a file outside of docs
	faults []fault
}

type fault struct {
	place
	text string
}

// citations returns what is wrong with documents and mentions of them, as "FILE:LINE: TEXT"
// in the order of files and lines: mentions of missing documents and rules, rules that
// nothing outside of docs cites or that are not numbered 1 to n, and lines that are too
// long.
func (tree *tree) citations() []string {
	check := &citationCheck{tree: tree, rules: map[rule]place{}, cited: map[rule]bool{}}
	for _, file := range tree.paths {
		if path.Ext(file) == ".md" {
			check.readPage(file)
		}
	}
	for _, file := range tree.paths {
		check.readMentions(file)
	}
	for rule, at := range check.rules {
		if !check.cited[rule] {
			check.add(at, "no file outside of docs cites %s#%s", rule.page, rule.anchor)
		}
	}
	slices.SortFunc(check.faults, func(a, b fault) int {
		return cmp.Or(strings.Compare(a.file, b.file), a.line-b.line, strings.Compare(a.text, b.text))
	})
	out := make([]string, len(check.faults))
	for i, f := range check.faults {
		out[i] = fmt.Sprintf("%s:%d: %s", f.file, f.line, f.text)
	}
	return out
}

func (check *citationCheck) add(at place, format string, args ...any) {
	check.faults = append(check.faults, fault{at, fmt.Sprintf(format, args...)})
}

// readPage checks the length of the lines of a document. In a page of the specification, which is below
// specDir, it also collects the rules and checks that they are numbered 1 to n.
func (check *citationCheck) readPage(file string) {
	rules := 0 // the number of the last rule
	eachText(check.text[file], func(n int, line string) {
		at := place{file, n}
		if n := utf8.RuneCountInString(line); n > maxColumns && !mayBeLong(line) {
			check.add(at, "%d characters; want at most %d", n, maxColumns)
		}
		match := heading.FindStringSubmatch(line)
		if match == nil || !strings.HasPrefix(file, specDir) {
			return
		}
		number := match[1]
		rules++
		if !goodHead.MatchString(line) {
			check.add(at, "a rule's heading is %q; want its number alone, as in %q", line, "### R1")
		}
		if n, err := strconv.Atoi(number); err != nil || n != rules {
			check.add(at, "rule R%s follows R%d; want R%d", number, rules-1, rules)
			if err == nil {
				rules = n // count on from here, so that one gap is one fault
			}
		}
		check.rules[rule{file, "r" + number}] = at
	})
}

// eachText calls f for each line of a Markdown document that is not in a code block, with the line's
// number from 1. A code block stands between fences (``` or ~~~), or is indented by four blanks after a
// blank line.
func eachText(text string, f func(n int, line string)) {
	fenced, indented, blank := false, false, true
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		indented = strings.HasPrefix(line, "    ") && (blank || indented)
		blank = trimmed == ""
		switch {
		case !indented && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")):
			fenced = !fenced
		case !fenced && !indented:
			f(i+1, line)
		}
	}
}

// mayBeLong reports whether a line of Markdown may be longer than others because it cannot be broken: a
// row of a table, or a line that holds nothing but one link, one address or one command.
func mayBeLong(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|") {
		return true
	}
	line = strings.TrimRight(strings.TrimLeft(line, "-*!> "), ".,;: ")                           // without marks of lists and quotes, and punctuation
	isCode := len(line) > 1 && line[0] == '`' && strings.IndexByte(line[1:], '`') == len(line)-2 // its only other ` ends it
	isLink := strings.HasPrefix(line, "[") && strings.HasSuffix(line, ")") && strings.Count(line, "](") == 1
	isWord := !strings.ContainsAny(line, " \t")
	return isCode || isLink || isWord
}

// readMentions checks that every document (NAME.md) and every rule (NAME.md#rN) that a file mentions
// exists, and notes which rules are mentioned. Addresses of other sites, lists of exceptions and patterns
// such as *.md are ignored.
func (check *citationCheck) readMentions(file string) {
	for i, line := range strings.Split(check.text[file], "\n") {
		at := place{file, i + 1}
		if strings.HasPrefix(file, specDir) {
			for _, match := range ownRule.FindAllStringSubmatch(line, -1) {
				check.checkRule(at, rule{file, match[1]}, match[0])
			}
		}
		if !strings.Contains(line, ".md") {
			continue
		}
		line = urlText.ReplaceAllString(line, " ")
		for _, match := range mention.FindAllStringSubmatch(line, -1) {
			whole, document, inPage, section := match[0], match[1], match[2], match[3]
			if strings.ContainsAny(document, "*%") || excepted(file, document) {
				continue
			}
			page := check.resolve(file, document)
			if page == "" {
				check.add(at, "no document %s", document)
				continue
			}
			if section != "" {
				check.add(at, "%q cites a section; want a rule, as in docs/spec/vqa.md#r1", whole)
			}
			if strings.HasPrefix(page, specDir) && anchor.MatchString(inPage) {
				check.checkRule(at, rule{page, inPage}, whole)
			}
		}
	}
}

// checkRule checks that a rule exists which a place mentions by the text written. It notes that the rule is
// cited, unless the place is in a document: a rule must be cited by code or tests.
func (check *citationCheck) checkRule(place place, rule rule, written string) {
	if _, ok := check.rules[rule]; !ok {
		check.add(place, "no rule %s", written)
		return
	}
	if !strings.HasPrefix(place.file, "docs/") {
		check.cited[rule] = true
	}
}

// resolve returns the path of the document that a file mentions by name, or "" if there is
// none. The name may be relative to the root, to the file's folder or to docs. The daemon
// serves documents as /docs/NAME.md, so a leading slash means the root.
func (check *citationCheck) resolve(file, name string) string {
	for _, folder := range []string{"", path.Dir(file), "docs"} {
		full := strings.TrimPrefix(path.Join(folder, name), "/")
		if _, ok := check.text[full]; ok {
			return full
		}
	}
	return ""
}

// excepted reports whether the list of exceptions allows a file to mention a document, name, that does not
// exist.
func excepted(file, name string) bool {
	for _, allowed := range exceptions { // a name "" allows all
		if strings.HasPrefix(file, allowed.prefix) && (allowed.name == "" || allowed.name == name) {
			return true
		}
	}
	return false
}
