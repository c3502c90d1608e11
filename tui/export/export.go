// Package export writes requests to a new file: as a recording, as JSON Lines, or as an HTTP Archive. It does I/O, and
// is called off the UI's loop.
package export

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"kubarium/flow"
	"kubarium/flow/har"
	"kubarium/flow/recording"
	"kubarium/flow/redact"
)

// A Form is a format of the file.
type Form int

// The formats.
const (
	Recording Form = iota
	JSONLines
	HAR
)

// Extension returns the extension of the format's files.
func (f Form) Extension() string {
	return [...]string{".kubarium", ".jsonl", ".har"}[f]
}

// String returns the name of the format.
func (f Form) String() string {
	return [...]string{"recording", "JSON Lines", "HTTP Archive"}[f]
}

// A Choice is a selection of requests to write.
type Choice struct {
	Form     Form
	Words    string       // the selection in words: "requests 12 and 14"
	Flows    []*flow.Flow // in any order
	Unmasked bool         // secrets are not masked
	Head     recording.Head

	Version, URL, DB string // of the run
}

// Write writes the choice to a file, which must not exist, and returns its size. A file that could not be written
// completely is removed.
func (c *Choice) Write(path string) (int64, error) {
	return create(path, func(w io.Writer) error {
		flows := slices.SortedFunc(slices.Values(c.Flows),
			func(a, b *flow.Flow) int { return cmp.Compare(a.Seq, b.Seq) })
		switch c.Form {
		case JSONLines:
			return c.lines(w, flows)
		case HAR:
			return c.archive(w, flows)
		}
		return c.recording(w, flows)
	})
}

// create writes a new file.
func create(path string, write func(w io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return 0, fmt.Errorf("%s exists already, and is not changed", path)
	}
	if err != nil {
		return 0, err
	}
	b := bufio.NewWriter(f)
	if err = write(b); err == nil {
		err = b.Flush()
	}
	if s, failed := f.Stat(); failed == nil {
		size = s.Size()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return 0, err
	}
	return size, nil
}

// masked masks a flow if needed.
func (c *Choice) masked(f *flow.Flow) *flow.Flow {
	if c.Unmasked {
		return f
	}
	return redact.Flow(f)
}

func (c *Choice) lines(w io.Writer, flows []*flow.Flow) error {
	to := recording.NewWriter(w)
	for _, f := range flows {
		if err := to.Flow(c.masked(f)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Choice) archive(w io.Writer, flows []*flow.Flow) error {
	each := func(yield func(*flow.Flow) bool) {
		for _, f := range flows {
			if !yield(c.masked(f)) {
				return
			}
		}
	}
	return har.Write(w, each, har.Options{Version: c.Version, URL: c.URL,
		Comment: func() string { return "These are " + c.Words + "." }})
}

// recording writes the flows and their commits. Of the stored objects it contains only those in the flows.
func (c *Choice) recording(w io.Writer, flows []*flow.Flow) error {
	to, err := recording.NewEncoder(w)
	if err != nil {
		return err
	}
	begin := recording.Begin{
		MadeBy: c.Version, At: c.Head.At, URL: c.URL, DB: c.DB, Secrets: c.Unmasked, Selection: c.Words,
	}
	if len(flows) > 0 {
		begin.At = flows[0].Start
	}
	err = to.Begin(begin)
	for _, commit := range commits(flows) {
		err = errors.Join(err, to.Change(&recording.Change{Commit: commit}))
	}
	for _, f := range flows {
		if err = errors.Join(err, to.Flow(f)); err != nil {
			return err
		}
	}
	return errors.Join(err, to.Head(c.Head), to.Close(recording.End{At: time.Now()}))
}

// commits returns the commits of the flows, in the order of their revisions.
func commits(flows []*flow.Flow) []flow.Commit {
	var out []flow.Commit
	for _, f := range flows {
		for i := range f.Effects {
			out = append(out, f.Effects[i].Commit)
		}
	}
	slices.SortFunc(out, func(a, b flow.Commit) int { return cmp.Compare(a.Revision, b.Revision) })
	return slices.CompactFunc(out, func(a, b flow.Commit) bool { return a.Revision == b.Revision })
}
