package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/remote"
	"kubarium/app/runs"
	"kubarium/app/version"
	"kubarium/flow/recording"
)

// isScreen reports whether a writer is a terminal.
func isScreen(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// isRecording reports whether a file is a recording; one of JSON Lines is none.
func isRecording(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return recording.IsRecording(bufio.NewReader(f))
}

// whole writes the recording of a run: the answer of a server, or a copy of a file.
func (e *Export) whole(cmd *cobra.Command) error {
	if e.File == "" {
		return e.wholeServer(cmd)
	}
	f, err := os.Open(e.File)
	if err != nil {
		return err
	}
	defer f.Close()
	return runs.WriteTo(e.Out, cmd.OutOrStdout(), func(w io.Writer) error { return e.copyRecording(w, f) })
}

// copyRecording copies a recording entry by entry, without what is not to be written.
func (e *Export) copyRecording(w io.Writer, from io.Reader) error {
	d, err := runs.NewReader(from)
	if err != nil {
		return err
	}
	defer d.Close()
	to, err := recording.NewEncoder(w)
	if err != nil {
		return err
	}
	err = recording.Copy(to, d, func(x *recording.Entry) bool {
		if x.Begin != nil {
			x.Begin.Secrets = x.Begin.Secrets && e.Secrets
		}
		own := x.Flow != nil && x.Flow.Client.Own() || x.Frames != nil && x.Frames.Info.Client.Own()
		return e.Own || !own
	})
	switch {
	case recording.Partial(err):
		cli.Printf(e.Errs, "kubarium: %s: %v; what comes before is written\n", e.File, err)
		return to.Close(recording.End{At: time.Now()})
	case err != nil:
		return fmt.Errorf("%s: %w", e.File, err)
	}
	return nil // its End is written
}

// wholeServer writes the recording that a server gives of its run, with its history.
func (e *Export) wholeServer(cmd *cobra.Command) error {
	client, address, err := e.Server.Dial(remote.Plain)
	if err != nil {
		return err
	}
	query := url.Values{"own": {strconv.FormatBool(e.Own)}, "secrets": {strconv.FormatBool(e.Secrets)}}
	req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, address+debug.RecordingPath+"?"+query.Encode(), nil)
	if err != nil {
		return cli.Misuse(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", address, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), recording.Type) {
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		return cmp.Or(err, remote.Refused(address, resp, text))
	}
	return runs.WriteTo(e.Out, cmd.OutOrStdout(), func(w io.Writer) error {
		if _, err := io.Copy(w, resp.Body); err != nil {
			return fmt.Errorf("the answer of %s was broken off: %w", address, err)
		}
		return nil
	})
}

// recording writes the requests that were chosen as a recording, without the objects of others.
func (p *picked) recording(w io.Writer) error {
	to, err := recording.NewEncoder(w)
	if err != nil {
		return err
	}
	if err := to.Begin(recording.Begin{MadeBy: version.String(), Segment: 1, At: time.Now(), URL: p.URL, Secrets: p.Secrets, Selection: p.Filter}); err != nil {
		return err
	}
	p.onMiss = func(m runs.Missed) { err = errors.Join(err, to.Missed(recording.Missed{Others: m.N, Upto: m.Upto})) }
	for f := range p.flows {
		if err = errors.Join(err, to.Flow(f)); err != nil {
			return err
		}
	}
	return errors.Join(err, to.Close(recording.End{At: time.Now()}))
}
