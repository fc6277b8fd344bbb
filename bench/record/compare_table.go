package record

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Table writes the comparison of two programs as text.
func (c *Comparison) Table(w io.Writer) error {
	fmt.Fprintf(w, "old: %s\nnew: %s\n%g %% intervals of new/old: %s\n", c.Old, c.New, 100*c.Confidence, c.Method)
	for _, s := range c.Warnings {
		fmt.Fprintf(w, "warning: %s\n", s)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tfigure\told\tnew\tnew/old\tfrom\tto\t\t")
	for _, ch := range c.Changes {
		fmt.Fprintf(t, "%s\t%s\t%.1f\t%.1f\t%.3f\t%.3f\t%.3f\t%s\t\n", ch.What, ch.Figure, ch.Old, ch.New, ch.Ratio.Value, ch.Ratio.Low, ch.Ratio.High, ch.Verdict)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, s := range c.Results {
		word := "not comparable: other scenes"
		if s.Known {
			word = "DIFFERENT"
			if s.Equal {
				word = "equal, bit for bit"
			}
		}
		fmt.Fprintf(w, "results of %s: %s\n", s.Class, word)
	}
	return nil
}
