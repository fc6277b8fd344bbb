package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"math/rand/v2"
	"strconv"
)

// sampleLines is the number of lines from which a function is drawn: a shorter one
// says nothing about its package.
const sampleLines = 6

// drawn is a function of production Go: its place, FILE:LINE, and its source text.
type drawn struct {
	place, text string
}

// sample draws count functions of production Go at random, of those with at least sampleLines lines. The
// same tree, count and seed give the same functions.
func (tree *tree) sample(seed uint64, count int) ([]drawn, error) {
	var all []drawn
	for _, file := range tree.paths {
		if !production(file) {
			continue
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, tree.text[file], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("cannot sample: %w", err)
		}
		for _, declaration := range f.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || set.Position(function.End()).Line-set.Position(function.Pos()).Line+1 < sampleLines {
				continue
			}
			var buffer bytes.Buffer
			if err := printer.Fprint(&buffer, set, &printer.CommentedNode{Node: function, Comments: f.Comments}); err != nil {
				return nil, fmt.Errorf("cannot sample %s: %w", file, err)
			}
			all = append(all, drawn{fmt.Sprintf("%s:%d", file, set.Position(function.Pos()).Line), buffer.String()})
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(count, len(all))], nil
}

// writeSample draws functions at random and writes their texts to out, each with a number. It writes to key
// at which place each number is, so that readers of out do not see the places. args are the seed and the
// count.
func (tree *tree) writeSample(args []string, out, key io.Writer) error {
	seed, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("cannot sample: seed is %q; want a whole number", args[0])
	}
	count, err := strconv.Atoi(args[1])
	if err != nil || count < 1 {
		return fmt.Errorf("cannot sample: count is %q; want a whole number from 1", args[1])
	}
	functions, err := tree.sample(seed, count)
	if err != nil {
		return err
	}
	for i, f := range functions {
		fmt.Fprintf(out, "// %d\n\n%s\n\n", i+1, f.text)
		fmt.Fprintf(key, "%d %s\n", i+1, f.place)
	}
	return nil
}
