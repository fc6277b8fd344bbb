// Command house checks that the documents, rules and commits which files of the repository mention exist,
// writes the tables of packages in ARCHITECTURE.md, and measures packages, files and functions.
//
//	house citations [FOLDER]   are the documents that files mention there, and the commits of results?
//	                           are the tables of ARCHITECTURE.md what the packages' comments say?
//	house packages [FOLDER]    writes these tables
//	house measure [FOLDER]     how large are its packages, files and functions?
//	house sample SEED COUNT    functions without their places, for a reader who is to
//	                           name their packages; the places go to stderr
//
// In: the files of the repository at FOLDER, by default the working folder. Out:
// faults as "FILE:LINE: TEXT", or a table, on stdout. It exits 1 when something is
// wrong, and 2 on wrong use.
package main

import (
	"fmt"
	"os"
)

const usage = "usage: house citations|packages|measure [FOLDER]\n       house sample SEED COUNT"

// main runs the check of the repository that the first argument names, prints the faults that it finds,
// and ends with exit code 1 if there is one. With "packages" it writes tables into a document instead.
// With "sample" it prints functions that people read to judge how clear the code is.
func main() {
	isSample := len(os.Args) == 4 && os.Args[1] == "sample"  // with a seed and a count
	if !isSample && (len(os.Args) < 2 || len(os.Args) > 3) { // a check, and perhaps a folder
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	root := "."
	if len(os.Args) == 3 {
		root = os.Args[2]
	}
	tree, err := readTree(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var faults []string
	switch {
	case isSample:
		if err := tree.writeSample(os.Args[2:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case os.Args[1] == "citations":
		faults = append(tree.citations(), tree.packages()...)
		if known, why := history(root); known != nil {
			faults = append(faults, tree.results(known)...)
		} else {
			fmt.Fprintf(os.Stderr, "house: the commits of %s were not looked up: %s\n", resultsDir, why)
		}
	case os.Args[1] == "packages":
		faults = tree.writePackages(root)
	case os.Args[1] == "measure":
		sizes, err := tree.measure()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		faults = sizes.write(os.Stdout)
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	if len(faults) > 0 {
		fmt.Fprintf(os.Stderr, "%d faults\n", len(faults))
		os.Exit(1)
	}
}
