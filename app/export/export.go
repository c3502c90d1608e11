// Package export writes the run of a server, or of a file, as a recording, as JSON Lines, as an HTTP Archive or as a
// page for a browser.
package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kubarium/app/cli"
	"kubarium/app/html"
	"kubarium/app/record"
	"kubarium/app/remote"
	"kubarium/app/runs"
	"kubarium/app/version"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/har"
	"kubarium/flow/recording"
	"kubarium/flow/redact"
)

// An Export is what "kubarium export" is asked for.
type Export struct {
	Server  remote.Server
	File    string // "" for a running server
	Other   string // a second run, which the page of a browser compares; "" for none
	Format  string
	Filter  string
	Out     string
	URL     string
	Own     bool
	Secrets bool

	match *filter.Filter // of what a file has; a server filters by itself
	Errs  io.Writer
}

const (
	formatRecording = "recording"
	formatLines     = "jsonl"
	formatHAR       = "har"
	formatPage      = "html"
)

// Formats are what --format can be; write knows each.
func (e *Export) Formats() []string {
	return []string{formatRecording, formatLines, formatHAR, formatPage}
}

// formatOf is the format of a file by its name.
func formatOf(out string) string {
	switch filepath.Ext(out) {
	case record.Extension:
		return formatRecording
	case ".har":
		return formatHAR
	case ".html":
		return formatPage
	}
	return formatLines
}

func (e *Export) Run(cmd *cobra.Command) error {
	match, err := filter.Parse(e.Filter)
	e.Format = cmp.Or(e.Format, formatOf(e.Out))
	switch {
	case err != nil:
		return cli.Misuse(fmt.Errorf("--filter: %w", err))
	case e.File != "" && e.Server.Named():
		return cli.Misuse(errors.New("name a file or a server, not both"))
	case e.Format == formatRecording && e.Out == "" && isScreen(cmd.OutOrStdout()):
		return cli.Misuse(errors.New("a recording is not for the screen; say --out FILE"))
	case e.Other != "" && e.Format != formatPage:
		return cli.Misuse(errors.New("two runs are written as a page only: say --format html"))
	case e.URL != "" && !absolute(e.URL):
		return cli.Misuse(fmt.Errorf("--url %s: must be an address such as %s", e.URL, remote.Plain))
	}
	if e.match = match; e.File != "" {
		e.URL = cmp.Or(e.URL, remote.Plain)
	}
	if e.Format == formatPage {
		return e.page(cmd)
	}
	if e.Format == formatRecording && e.Filter == "" && (e.File == "" || isRecording(e.File)) {
		return e.whole(cmd)
	}
	source, err := e.source(cmd)
	if err != nil {
		return err
	}
	return runs.WriteTo(e.Out, cmd.OutOrStdout(), func(w io.Writer) error { return e.write(w, source) })
}

// source is where the requests come from.
func (e *Export) source(cmd *cobra.Command) (iter.Seq2[*flow.Flow, error], error) {
	if e.File == "" {
		return e.fromServer(cmd.Context())
	}
	if names := e.match.Moments(); len(names) > 0 {
		return nil, cli.Misuse(fmt.Errorf("--filter: since:%s needs a running server, since a file has no moments; since:10s counts from the end of the file", names[0]))
	}
	if err := e.bind(); err != nil {
		return nil, err
	}
	return runs.Read(e.File, nil), nil
}

// bind gives the filter what it may ask of a file: when it ends, and which run of kubectl is the last one.
func (e *Export) bind() error {
	if !strings.Contains(e.Filter, "last") && !strings.Contains(e.Filter, "since") {
		return nil
	}
	var env filter.Env
	for f, err := range runs.Read(e.File, nil) {
		switch {
		case err != nil:
			continue // it is said when the requests are written
		case f.Client.Session != "":
			env.LastRun = f.Client.Session
		}
		if end := f.Start.Add(f.Duration); end.After(env.Now) {
			env.Now = end
		}
	}
	e.match = e.match.Bind(env)
	return nil
}

// write writes what is to be written of the source, in the format that was asked for.
func (e *Export) write(w io.Writer, source iter.Seq2[*flow.Flow, error]) error {
	out := &picked{Export: e, source: source}
	var err error
	switch e.Format {
	case formatRecording:
		err = out.recording(w)
	case formatHAR:
		err = har.Write(w, out.flows, har.Options{Version: version.String(), URL: e.URL, Comment: out.comment})
	default:
		err = out.lines(recording.NewWriter(w))
	}
	return errors.Join(err, out.failed)
}

// A picked is the part of a source that is to be written.
type picked struct {
	*Export
	source iter.Seq2[*flow.Flow, error]
	onMiss func(runs.Missed) // nil if nothing is to be done
	missed uint64
	failed error // why the source ended early
}

// flows are the requests, without secrets. Missing ones are reported on stderr.
func (p *picked) flows(yield func(*flow.Flow) bool) {
	defer p.say()
	for f, err := range p.source {
		var missed runs.Missed
		var partial runs.Partial
		switch {
		case errors.As(err, &missed):
			p.missed += missed.N
			if p.onMiss != nil {
				p.onMiss(missed)
			}
			continue
		case errors.As(err, &partial):
			cli.Printf(p.Errs, "kubarium: %v\n", err)
			continue
		case err != nil:
			p.failed = err
			return
		case !p.wants(f), !p.match.Match(f):
			continue
		}
		if !p.Secrets && p.Format != formatRecording { // an Encoder masks by itself
			f = redact.Flow(f)
		}
		if !yield(f) {
			return
		}
	}
}

// wants reports whether a request is of those clients that are written.
func (p *picked) wants(f *flow.Flow) bool {
	if p.Format == formatPage {
		return html.Shows(f, p.Own)
	}
	return p.Own || !f.Client.Own()
}

func (p *picked) comment() string {
	if p.missed == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests were no longer kept when they could be recorded.", p.missed)
}

func (p *picked) say() {
	if text := p.comment(); text != "" {
		cli.Printf(p.Errs, "kubarium: %s\n", strings.TrimSuffix(text, "."))
	}
}

// lines writes JSON Lines, with a line where requests are missing.
func (p *picked) lines(w *recording.Writer) (err error) {
	p.onMiss = func(m runs.Missed) { err = errors.Join(err, w.Missed(m.N, m.Upto)) }
	for f := range p.flows {
		if err = errors.Join(err, w.Flow(f)); err != nil {
			return err
		}
	}
	return err
}
