// Package html writes runs as one page for a browser: a file that needs nothing else and sends no request.
//
// Stories, decisions, comparisons and findings are made here, by the packages that the terminal uses, and are put into
// the page as data (Data), compressed. The page's own program, page/*.ts, only shows them; go generate makes page.js
// of it. Everything from a run is put into the page as text.
package html

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"strings"

	"kubarium/analysis/compare"
	"kubarium/analysis/doctor"
	"kubarium/app/policy"
	"kubarium/flow"
)

//go:generate go tool -modfile=../../tools/esbuild.mod esbuild page/main.ts --bundle --format=iife --target=es2022 --charset=utf8 --outfile=page.js --log-level=warning

// pageText is the page without what Write fills in. That is done without html/template, for which the linker would keep
// every method of every type.
//
//go:embed page/page.html
var pageText string

//go:embed page/page.css
var style string

//go:embed page.js
var script string

// A Source is a run that was read.
type Source struct {
	Name   string         // of its file, or the address of its server
	Flows  []*flow.Flow   // without secrets, in the order of their numbers
	Missed uint64         // requests that are not among them
	Report *doctor.Report // what was found in it; nil to look
}

// Shows reports whether a page has a request: those of Kubarium's own clients only if they are steps of a workload, or
// if own says so.
func Shows(f *flow.Flow, own bool) bool { return own || !f.Client.Own() || f.Works() }

// Options say how the page is.
type Options struct {
	Title   string
	About   string // a text at its head, such as what a finding is
	Version string // of Kubarium
	Open    string // the place at which it opens, "doctor" or "seq=260"; "" for the requests
	Compare bool   // compare the first two runs
	Own     bool   // compare Kubarium's own requests as well
}

// Write writes the page of some runs.
func Write(w io.Writer, o Options, sources ...Source) error {
	v := NewValues()
	d := Data{Title: o.Title, About: o.About, Version: o.Version, Open: o.Open, Rules: doctor.Rules()}
	for _, s := range sources {
		d.Runs = append(d.Runs, v.build(s))
	}
	if o.Compare {
		d.Compare = compared(compare.Runs(sources[0].Flows, sources[1].Flows, compare.Options{Own: o.Own}))
	}
	d.Scalars, d.Nodes = v.Scalars, v.Nodes
	data, err := packed(&d)
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer("{title}", html.EscapeString(d.Title), "{policy}", html.EscapeString(policy.Of(style, script)),
		"{style}", style, "{data}", data, "{script}", script).WriteString(w, pageText)
	return err
}

// packed is data as the page has it: JSON, compressed, in base64.
func packed(d *Data) (string, error) {
	var out bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &out)
	zip, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	e := json.NewEncoder(zip)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return "", err
	}
	if err := zip.Close(); err != nil {
		return "", err
	}
	err = to.Close()
	return out.String(), err
}

// compared is a comparison as the page has it.
func compared(c *compare.Comparison) *Comparison {
	out := &Comparison{Parted: -1, Rows: []CompareRow{}}
	if c.Parted != nil {
		out.Parted, out.Why = c.Parted.Row, c.Parted.Why
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		row := CompareRow{Kind: string(r.Kind), Soft: string(r.Soft), Client: r.Client, Differs: r.Differs}
		if r.Right != nil {
			row.Right, row.Request = r.Right.Seq, compare.Request(r.Right)
		}
		if r.Left != nil {
			row.Left, row.Request = r.Left.Seq, compare.Request(r.Left)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
