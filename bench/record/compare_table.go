package record

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// bound returns a bound of a ratio as text, "-" where there is none.
func bound(b *float64) string {
	if b == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *b)
}

// Table writes the comparison of two programs as text: a row for each figure with the ratio of new to
// old and its confidence interval, if it has a verdict, then for each class of scenes whether both give equal results.
func (comparison *Comparison) Table(w io.Writer) error {
	fmt.Fprintf(w, "old: %s\nnew: %s\n%g %% intervals of new/old: %s\n", comparison.Old, comparison.New, 100*comparison.Confidence, comparison.Method)
	for _, warning := range comparison.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tfigure\told\tnew\tnew/old\tfrom\tto\t\t")
	for _, change := range comparison.Changes {
		fmt.Fprintf(table, "%s\t%s\t%.1f\t%.1f\t%.3f\t%s\t%s\t%s\t\n", change.What, change.Figure, change.Old, change.New,
			change.Ratio.Value, bound(change.Ratio.Low), bound(change.Ratio.High), change.Verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, same := range comparison.Results {
		word := "not comparable: other scenes"
		if same.Known {
			word = "DIFFERENT"
			if same.Equal {
				word = "equal, bit for bit"
			}
		}
		fmt.Fprintf(w, "results of %s: %s\n", same.Class, word)
	}
	return nil
}
