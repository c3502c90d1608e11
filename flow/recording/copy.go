package recording

import "io"

// A Source gives entries, as a Decoder does.
type Source interface{ Next() (*Entry, error) }

// Copy writes what is left of a recording, entry by entry. edit may change an entry, and says whether it is written; a nil one leaves all
// as they are. Errors: those of Next but for io.EOF, and those of writing.
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
