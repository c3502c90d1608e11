package recording

import "io"

// A Source returns entries, as a Decoder does.
type Source interface{ Next() (*Entry, error) }

// Copy writes the rest of a recording, entry by entry. edit may change an entry, and returns whether to write it; if it
// is nil, all are written as they are. It returns errors of Next, except io.EOF, and errors of writing.
func Copy(to *Encoder, from Source, edit func(*Entry) bool) error {
	for {
		e, err := from.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case edit != nil && !edit(e):
			continue
		}
		if err := to.Entry(e); err != nil {
			return err
		}
	}
}
