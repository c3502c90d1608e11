package comparison

import (
	"encoding/json"
	"io"
	"time"

	"kubarium/analysis/compare"
	"kubarium/flow"
)

// What "kubarium diff --format json" prints.
type (
	diffJSON struct {
		First  diffRun              `json:"first"`
		Second diffRun              `json:"second"`
		Also   []string             `json:"also,omitempty"` // files of more runs that passed
		Counts map[string]int       `json:"counts"`         // of rows: same, first, second, different
		Timing map[compare.Soft]int `json:"timing"`         // of rows that differ by timing alone, or also in a passing run, by the reason
		Parted *diffParting         `json:"parted"`         // null if the runs do not part
		Names  map[string]string    `json:"names"`          // random names of the first run, and the corresponding ones of the second
		Rows   []diffRow            `json:"rows"`
	}
	diffRun struct {
		File     string `json:"file"`
		Requests int    `json:"requests"`
	}
	diffParting struct {
		Row int    `json:"row"`
		Why string `json:"why"`
	}
	diffRow struct {
		Row     int          `json:"row"` // from 1 on
		Kind    string       `json:"kind"`
		Timing  compare.Soft `json:"timing,omitempty"`
		Client  string       `json:"client"`
		Request string       `json:"request"`
		First   *diffSide    `json:"first,omitempty"`
		Second  *diffSide    `json:"second,omitempty"`
		Differs string       `json:"differs,omitempty"`
	}
	diffSide struct {
		Seq    uint64  `json:"seq"`
		At     float64 `json:"at"` // seconds since the run began
		Status int     `json:"status"`
		Reason string  `json:"reason,omitempty"`
	}
)

// kindsJSON are the kinds of rows, by the names that the command has for the runs.
var kindsJSON = map[compare.Kind]string{compare.Same: "same", compare.OnlyLeft: "first", compare.OnlyRight: "second", compare.Different: "different"}

func (d *Diff) writeJSON(out io.Writer, c *compare.Comparison) error {
	kinds, soft := c.Count()
	j := diffJSON{
		First: diffRun{d.Files[0], c.Left}, Second: diffRun{d.Files[1], c.Right}, Also: d.Also, Counts: map[string]int{}, Timing: soft, Names: c.Names, Rows: []diffRow{},
	}
	for kind, name := range kindsJSON {
		j.Counts[name] = kinds[kind]
	}
	if c.Parted != nil {
		j.Parted = &diffParting{c.Parted.Row + 1, c.Parted.Why}
	}
	for i, to := d.shown(c); i < to; i++ {
		r := &c.Rows[i]
		j.Rows = append(j.Rows, diffRow{
			Row: i + 1, Kind: kindsJSON[r.Kind], Timing: r.Soft, Client: r.Client, Request: compare.Request(either(r)),
			First: sideJSON(r.Left, r.LeftAt), Second: sideJSON(r.Right, r.RightAt), Differs: r.Differs,
		})
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(j)
}

func sideJSON(f *flow.Flow, at time.Duration) *diffSide {
	if f == nil {
		return nil
	}
	return &diffSide{f.Seq, at.Round(time.Microsecond).Seconds(), f.Status, f.Reason}
}
