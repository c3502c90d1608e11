package tui

import (
	"fmt"

	"kubarium/tui/label"
)

func (x *conflicts) sentences() []string {
	var out []string
	for _, c := range x.list {
		f := c.Flow
		out = append(out, fmt.Sprintf("%d. %s: %s %s %s, %s. conflicts %d tells more.", f.Seq, c.Kind, f.Client.Tag, f.Target.Verb, label.Target(f), versionsText(c), f.Seq))
	}
	return out
}

func (x *conflicts) about(number uint64) []sheetLine {
	for i, c := range x.list {
		if c.Flow.Seq == number {
			x.follow, x.cursor, x.seq = false, i, number
			x.build(plainWidth)
			return x.sheet.lines
		}
	}
	return nil
}
