package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"plumb/daemon/ask"
	"plumb/daemon/dump"
	"plumb/scoring"
	"plumb/scoring/tangram/assembly"
	"plumb/scoring/tangram/choice"
	"plumb/scoring/tangram/convert"
	"plumb/scoring/tangram/generate"
)

// tangramCmd is `plumb tangram`.
type tangramCmd struct {
	Convert  convertCmd  `cmd:"" help:"Make exact instances from drawings with decimal coordinates; drawings that become none are listed with the reason."`
	Generate generateCmd `cmd:"" help:"Make instances from a seed."`
	Items    itemsCmd    `cmd:"" help:"Make items of Task 1 from instances, each with its four options."`
	Schema   schemaCmd   `cmd:"" help:"Print the JSON Schema of an instance."`
}

// convertCmd is `plumb tangram convert`.
type convertCmd struct {
	Drawings []string `arg:"" help:"Drawings: JSON lines {\"id\",\"polygons\":[{\"points\",\"transform\"?}]} with y down, as in SVG; - is standard input."`
	Output   string   `short:"o" default:"-" placeholder:"FILE" help:"File for the instances, one JSON line each; - is standard output."`
	Rejects  string   `placeholder:"FILE" help:"File for the drawings that become no instance, one line {\"id\",\"error\":{\"code\",\"message\"}} each. Default: none."`
	limitFlags
}

// Run converts drawings of tangram figures into exact TangramPuzzle instances. The instances go to the
// output. Drawings that cannot be converted go to the file of --rejects, with the reasons. It prints how
// many drawings were converted, and how many were not for which reason.
func (cmd *convertCmd) Run(std streams) error {
	out, err := output(cmd.Output, std, cmd.Drawings...)
	if err != nil {
		return err
	}
	rejects, err := secondOutput(cmd.Rejects, cmd.Output, std, cmd.Drawings...)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, path := range cmd.Drawings {
		err := eachLine(path, cmd.lines(), std.in, func(l dump.Line) error {
			line, code := convertLine(l)
			counts[code]++
			sink := rejects
			if code == "converted" {
				sink = out
			}
			_, err := sink.Write(line)
			return err
		})
		if err != nil {
			return finish(err, out, rejects)
		}
	}
	// Print the counts of what became of the drawings.
	mostFirst := func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }
	for _, code := range slices.SortedFunc(maps.Keys(counts), mostFirst) {
		fmt.Fprintf(std.err, "%6d %s\n", counts[code], code)
	}
	if err := finish(nil, out, rejects); err != nil {
		return err
	}
	switch {
	case len(counts) == 0:
		return errors.New("nothing could be converted: the files have no lines; want one drawing on each")
	case counts["converted"] == 0:
		return errors.New("nothing could be converted: no drawing becomes an instance; --rejects FILE has the reasons")
	}
	return nil
}

// eachLine calls give for each line of a file, or of standard input for "-", until give returns an
// error. A line that cannot be read is given too, with its Fault. stdin is nil for commands that want a
// file: then "-" is a usageError.
func eachLine(path string, limits dump.Limits, stdin io.Reader, give func(dump.Line) error) error {
	if path == "-" && stdin == nil {
		return usage("cannot read standard input here: want the name of a file")
	}
	reader, err := openDump(path, limits, stdin)
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = give(line)
		}
		if err != nil {
			return fmt.Errorf("cannot read %s: %w", inputName(path), err)
		}
	}
}

// reasons are the codes of what makes a drawing no instance.
var reasons = []struct {
	err  error
	code string
}{
	{assembly.ErrInventory, "inventory"}, {assembly.ErrOverlap, "overlap"}, {assembly.ErrDisconnected, "not_edge_connected"},
	{assembly.ErrHole, "hole"}, {assembly.ErrPinched, "pinched"}, {convert.ErrAngle, "angle"}, {convert.ErrMisfit, "misfit"},
	{convert.ErrLoose, "loose"}, {convert.ErrMoved, "moved"},
}

// convertLine converts one drawing of a tangram figure. It returns the line of the exact instance and the
// code "converted", or the line of the error and the code of the error.
func convertLine(dumpLine dump.Line) (line []byte, code string) {
	if dumpLine.Fault != "" {
		return errorLine(fmt.Sprintf("line:%d", dumpLine.Number), "bad_line", dumpLine.Fault), "bad_line"
	}
	drawing, err := convert.ReadDrawing(dumpLine.Bytes)
	if err != nil {
		id := fmt.Sprintf("line:%d", dumpLine.Number)
		if drawing != nil {
			id = drawing.ID
		}
		return errorLine(id, "bad_drawing", err.Error()), "bad_drawing"
	}
	result, err := convert.Convert(drawing)
	if err != nil {
		code = "internal" // for an error that is none of the known reasons
		for _, reason := range reasons {
			if errors.Is(err, reason.err) {
				code = reason.code
				break
			}
		}
		return errorLine(drawing.ID, code, err.Error()), code
	}
	instance := assembly.Instance{ID: drawing.ID, Figure: result.Figure}
	instance.Source = append(scoring.AppendFloat([]byte(`{"max_deviation":`), result.Deviation), '}')
	return append(instance.AppendJSON(nil), '\n'), "converted"
}

// generateCmd is `plumb tangram generate`.
type generateCmd struct {
	Seed    int64  `default:"0" placeholder:"N" help:"Seed. Instance k of a seed is the same on every machine."`
	Count   count  `default:"1" placeholder:"N" help:"Number of instances to make."`
	Output  string `short:"o" default:"-" placeholder:"FILE" help:"File for the instances, one JSON line each; - is standard output."`
	Answers string `placeholder:"FILE" help:"File for made-up answers of different quality, three for each instance, as dump lines to try scoring with. Default: none."`
}

// Run writes generated TangramPuzzle instances. To the file of --answers it writes three made-up answers
// of different quality to each instance.
func (cmd *generateCmd) Run(std streams) error {
	out, err := output(cmd.Output, std)
	if err != nil {
		return err
	}
	answers, err := secondOutput(cmd.Answers, cmd.Output, std)
	if err != nil {
		return err
	}
	for index := 0; index < int(cmd.Count) && err == nil; index++ {
		instance := generate.Instance(cmd.Seed, index)
		_, err = out.Write(append(instance.AppendJSON(nil), '\n'))
		for n := 0; n < 3 && err == nil; n++ {
			// The second argument is the number of the answer's quality. Steps of 5 give an instance three
			// different ones, and over all instances every quality occurs.
			_, err = answers.Write(append(generate.Line(instance, index+5*n), '\n'))
		}
	}
	if err != nil {
		err = fmt.Errorf("cannot write instances: %w", err)
	}
	return finish(err, out, answers)
}

// itemsCmd is `plumb tangram items`.
type itemsCmd struct {
	Instances string `arg:"" help:"Instances: JSON lines; - is standard input."`
	Seed      int64  `default:"0" placeholder:"N" help:"Seed of the options."`
	Output    string `short:"o" default:"-" placeholder:"FILE" help:"File for the items, one line {\"id\",\"suite\",\"test\",\"instance_id\",\"options\",\"answer\"} each; - is standard output."`
	Answers   bool   `help:"Put a made-up response into each item, right, wrong or invalid in turn, to try scoring with."`
	limitFlags
}

// Run writes the items of Task 1 of TangramPuzzle, Outline Prediction, one for each instance. Each has four
// options, which are drawn at random with --seed from the figures of all instances. So a bad instance ends
// the run. With --answers each item gets a made-up answer.
func (cmd *itemsCmd) Run(std streams) error {
	out, err := output(cmd.Output, std, cmd.Instances)
	if err != nil {
		return err
	}
	set, err := readInstances(cmd.Instances, cmd.lines(), std.in)
	if err != nil {
		return err
	}
	items, err := choice.Items(ask.Candidates(set), cmd.Seed)
	if err != nil {
		return err
	}
	for i := range items {
		line := ask.AppendOptions([]byte{'{'}, &items[i])
		if cmd.Answers {
			text, _, _ := generate.Choice(items[i].Answer, i) // i chooses the form of the answer; whether it is right is not needed
			line = scoring.AppendString(append(line, `,"response":`...), text)
		}
		if _, err = out.Write(append(line, "}\n"...)); err != nil {
			err = fmt.Errorf("cannot write items: %w", err)
			break
		}
	}
	return out.finish(err)
}

// readInstances reads the TangramPuzzle instances of a file, one on each line, and sorts them by id. A line
// that is no instance, or an id that occurs twice, is an error.
func readInstances(path string, limits dump.Limits, stdin io.Reader) (set []*assembly.Instance, err error) {
	err = eachLine(path, limits, stdin, func(line dump.Line) error {
		if line.Fault != "" {
			return fmt.Errorf("line %d: %s", line.Number, line.Fault)
		}
		instance, err := assembly.Read(line.Bytes)
		if err != nil {
			return fmt.Errorf("line %d: %w", line.Number, err)
		}
		set = append(set, instance)
		return nil
	})
	slices.SortStableFunc(set, func(a, b *assembly.Instance) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(set) && err == nil; i++ {
		if set[i].ID == set[i-1].ID {
			err = fmt.Errorf("cannot read %s: two instances have the id %q; want each once", path, set[i].ID)
		}
	}
	return set, err
}

// schemaCmd is `plumb tangram schema`.
type schemaCmd struct{}

// Run prints the schema.
func (*schemaCmd) Run(std streams) error {
	_, err := std.out.Write(assembly.Schema)
	return err
}
