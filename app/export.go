package app

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
	"kubarium/app/record"
	"kubarium/app/version"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/har"
	"kubarium/flow/recording"
	"kubarium/flow/redact"
)

// An export is what "kubarium export" is asked for.
type export struct {
	server  remote
	file    string // "" for a running server
	format  string
	filter  string
	out     string
	url     string
	own     bool
	secrets bool

	match *filter.Filter // of what a file has; a server filters by itself
	errs  io.Writer
}

func newExport() *cobra.Command {
	var e export
	cmd := &cobra.Command{
		Use:        "export [FILE]",
		SuggestFor: []string{"dump", "har", "flows"},
		Short:      "Write the run of a server, or of a recording, to a file",
		Long: `Write the run of a running server, or of a recording, to stdout or to a file: as a recording, which "kubarium open" shows; as JSON
Lines, a request a line; or as an HTTP Archive (HAR 1.2), which the developer tools of browsers open. A recording of a whole run has its
objects and their history, too; one of the requests that match a filter has these alone. What is secret is masked: credentials, and what
Secrets and tokens hold.`,
		Example: `  kubarium export --out run.kubarium
  kubarium export run.kubarium --out run.jsonl
  kubarium export --format har --filter 'verb:update code:409' --out conflicts.har
  kubarium export run.jsonl --format har --out run.har`,
		Args: arguments(0, 1),

		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				e.file = args[0]
			}
			e.errs = cmd.ErrOrStderr()
			return e.run(cmd)
		},
	}
	f := cmd.Flags()
	f.Var(cli.NewChoice(&e.format, "", e.formats()...), "format", "recording, jsonl or har (default: by the name of the file: .kubarium, .har, or else JSON Lines)")
	f.StringVar(&e.filter, "filter", "", "write the requests that match, by the same language as in the UI: 'verb:update code:409'")
	f.StringVar(&e.out, "out", "", "file to write (default stdout)")
	f.StringVar(&e.url, "url", "", "address of the server in the entries of an HTTP Archive (default that of the server, or "+plainServer+")")
	f.BoolVar(&e.own, "own", false, "write Kubarium's own requests, too")
	f.BoolVar(&e.secrets, "secrets", false, "write credentials, Secrets and tokens as they are")
	e.server.flags(f, runningServer)
	return cmd
}

const (
	formatRecording = "recording"
	formatLines     = "jsonl"
	formatHAR       = "har"
)

// formats are what --format can be; write knows each.
func (e *export) formats() []string { return []string{formatRecording, formatLines, formatHAR} }

// formatOf is the format of a file by its name.
func formatOf(out string) string {
	switch filepath.Ext(out) {
	case record.Extension:
		return formatRecording
	case ".har":
		return formatHAR
	}
	return formatLines
}

func (e *export) run(cmd *cobra.Command) error {
	match, err := filter.Parse(e.filter)
	e.format = cmp.Or(e.format, formatOf(e.out))
	switch {
	case err != nil:
		return cli.Misuse(fmt.Errorf("--filter: %w", err))
	case e.file != "" && e.server.named():
		return cli.Misuse(errors.New("name a file or a server, not both"))
	case e.format == formatRecording && e.out == "" && isScreen(cmd.OutOrStdout()):
		return cli.Misuse(errors.New("a recording is not for the screen; say --out FILE"))
	case e.url != "" && !absolute(e.url):
		return cli.Misuse(fmt.Errorf("--url %s: must be an address such as %s", e.url, plainServer))
	}
	if e.match = match; e.file != "" {
		e.url = cmp.Or(e.url, plainServer)
	}
	if e.format == formatRecording && e.filter == "" && (e.file == "" || isRecording(e.file)) {
		return e.whole(cmd)
	}
	source, err := e.source(cmd)
	if err != nil {
		return err
	}
	return writeTo(e.out, cmd.OutOrStdout(), func(w io.Writer) error { return e.write(w, source) })
}

// source is where the requests come from.
func (e *export) source(cmd *cobra.Command) (iter.Seq2[*flow.Flow, error], error) {
	if e.file == "" {
		return e.fromServer(cmd.Context())
	}
	if names := e.match.Moments(); len(names) > 0 {
		return nil, cli.Misuse(fmt.Errorf("--filter: since:%s needs a running server, since a file has no moments; since:10s counts from the end of the file", names[0]))
	}
	if err := e.bind(); err != nil {
		return nil, err
	}
	return readRun(e.file, nil), nil
}

// bind tells the filter what it may ask of a file: when it ends, and which run of kubectl is the last one.
func (e *export) bind() error {
	if !strings.Contains(e.filter, "last") && !strings.Contains(e.filter, "since") {
		return nil
	}
	var env filter.Env
	for f, err := range readRun(e.file, nil) {
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
func (e *export) write(w io.Writer, source iter.Seq2[*flow.Flow, error]) error {
	out := &picked{export: e, source: source}
	var err error
	switch e.format {
	case formatRecording:
		err = out.recording(w)
	case formatHAR:
		err = har.Write(w, out.flows, har.Options{Version: version.String(), URL: e.url, Comment: out.comment})
	default:
		err = out.lines(recording.NewWriter(w))
	}
	return errors.Join(err, out.failed)
}

// A picked is the part of a source that is to be written.
type picked struct {
	*export
	source iter.Seq2[*flow.Flow, error]
	onMiss func(missedFlows) // nil if nothing is to be done
	missed uint64
	failed error // why the source ended early
}

// flows are the requests, without what is secret. What is missing of them is said on stderr.
func (p *picked) flows(yield func(*flow.Flow) bool) {
	defer p.say()
	for f, err := range p.source {
		var missed missedFlows
		var partial partialRun
		switch {
		case errors.As(err, &missed):
			p.missed += missed.n
			if p.onMiss != nil {
				p.onMiss(missed)
			}
			continue
		case errors.As(err, &partial):
			cli.Printf(p.errs, "kubarium: %v\n", err)
			continue
		case err != nil:
			p.failed = err
			return
		case f.Client.Own() && !p.own, !p.match.Match(f):
			continue
		}
		if !p.secrets && p.format != formatRecording { // an Encoder masks by itself
			f = redact.Flow(f)
		}
		if !yield(f) {
			return
		}
	}
}

func (p *picked) comment() string {
	if p.missed == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests were gone before they could be recorded.", p.missed)
}

func (p *picked) say() {
	if text := p.comment(); text != "" {
		cli.Printf(p.errs, "kubarium: %s\n", strings.TrimSuffix(text, "."))
	}
}

// lines writes JSON Lines, with a line where requests are missing.
func (p *picked) lines(w *recording.Writer) (err error) {
	p.onMiss = func(m missedFlows) { err = errors.Join(err, w.Missed(m.n, m.upto)) }
	for f := range p.flows {
		if err = errors.Join(err, w.Flow(f)); err != nil {
			return err
		}
	}
	return err
}
