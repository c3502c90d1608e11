package comparison

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"kubarium/analysis/compare"
	"kubarium/app/cli"
	"kubarium/flow"
	"kubarium/flow/object"
)

// The marks of rows.
var rowMarks = map[compare.Kind]string{compare.Same: "=", compare.OnlyLeft: "<", compare.OnlyRight: ">", compare.Different: "!"}

func (d *Diff) writeText(out io.Writer, c *compare.Comparison) error {
	kinds, soft := c.Count()
	cli.Printf(out, "first run:   %s, %d requests\nsecond run:  %s, %d requests\n", d.Files[0], c.Left, d.Files[1], c.Right)
	for _, file := range d.Also {
		cli.Printf(out, "passing run: %s\n", file)
	}
	aside := ""
	if n := soft[compare.Also]; n > 0 {
		aside = fmt.Sprintf("; %s: %d", compare.Also, n)
		delete(soft, compare.Also)
	}
	fmt.Fprintf(out, "the same in both: %d%s%s\n", kinds[compare.Same], timingText(soft), aside)
	if c.Parted == nil {
		fmt.Fprintln(out, "the runs do not part")
	} else {
		fmt.Fprintf(out, "they part at row %d: %s\n", c.Parted.Row+1, object.OneLine(c.Parted.Why))
	}
	from, to := d.shown(c)
	if from == to {
		return nil
	}
	legend := "by timing alone ~"
	if d.Also != nil {
		legend = "by timing alone or also so in a passing run ~"
	}
	fmt.Fprintf(out, "\nonly first <, only second >, different !, %s\n\n", legend)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, " \t#\tCLIENT\tREQUEST\tFIRST\t\tSECOND\t\tNOTE")
	for i := from; i < to; i++ {
		r := &c.Rows[i]
		mark := rowMarks[r.Kind]
		if r.Soft != "" {
			mark = "~"
		}
		note := string(r.Soft)
		if c.Parted != nil && i == c.Parted.Row {
			note = "they part here"
		}
		line := fmt.Sprintf("%s\t%d\t%s\t%s\t%s\t%s\t%s", mark, i+1, object.OneLine(r.Client), object.OneLine(compare.Request(either(r))), sideText(r.Left, r.LeftAt), sideText(r.Right, r.RightAt), note)
		fmt.Fprintln(w, strings.TrimRight(line, "\t"))
	}
	return w.Flush()
}

func either(r *compare.Row) *flow.Flow {
	if r.Left != nil {
		return r.Left
	}
	return r.Right
}

// sideText is a request in one of the runs: when, and with what answer.
func sideText(f *flow.Flow, at time.Duration) string {
	if f == nil {
		return "\t"
	}
	return fmt.Sprintf("+%s\t%s", at.Round(time.Millisecond), object.OneLine(compare.Answer(f)))
}

// timingText counts the differences that timing alone explains.
func timingText(soft map[compare.Soft]int) string {
	all := 0
	var each []string
	for _, s := range slices.Sorted(maps.Keys(soft)) {
		all += soft[s]
		each = append(each, fmt.Sprintf("%d %s", soft[s], s))
	}
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("; different by timing alone: %d (%s)", all, strings.Join(each, ", "))
}
