package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/recording"
)

// A Whole is a whole run, with the objects of its store: that of a server, which tells it, or that of a recording.
type Whole struct {
	File      string            // the recording; "" asks the server
	URL       string            // of the server
	Transport http.RoundTripper // nil is http.DefaultTransport
	Unmasked  bool              // what is secret is written as it is; of a recording, as far as it has it
}

// Write writes the run to a file, which must not be there yet, and returns its size and the number of requests in it.
func (r *Whole) Write(path string) (size int64, requests int, err error) {
	size, err = create(path, func(w io.Writer) error {
		if r.File == "" {
			requests, err = r.ask(w)
		} else {
			requests, err = r.copy(w)
		}
		return err
	})
	return size, requests, err
}

// ask writes what the server tells of its run.
func (r *Whole) ask(w io.Writer) (int, error) {
	address := r.URL + "/debug/recording?" + url.Values{"secrets": {strconv.FormatBool(r.Unmasked)}}.Encode()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("User-Agent", flow.UIAgent+"/export")
	resp, err := (&http.Client{Transport: r.Transport}).Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return 0, fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	return count(resp.Body, w)
}

// copy writes a recording as it is, or masked where it is not.
func (r *Whole) copy(w io.Writer) (int, error) {
	f, err := os.Open(r.File)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	secrets, err := hasSecrets(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, err
	}
	n := 0
	if secrets && !r.Unmasked {
		n, err = mask(f, w)
	} else {
		n, err = count(f, w)
	}
	if errors.Is(err, recording.ErrCut) {
		err = nil // as the recording is, or is by now
	}
	return n, err
}

// hasSecrets reports whether what is secret is in a recording.
func hasSecrets(f io.Reader) (bool, error) {
	d, err := recording.NewDecoder(f)
	if err != nil {
		return false, err
	}
	defer d.Close()
	e, err := d.Next()
	if err != nil {
		return false, err
	}
	return e.Begin != nil && e.Begin.Secrets, nil
}

// count copies a recording, and counts its requests.
func count(from io.Reader, w io.Writer) (n int, err error) {
	d, err := recording.NewDecoder(io.TeeReader(from, w))
	if err != nil {
		return 0, err
	}
	defer d.Close()
	for {
		e, err := d.Next()
		if err != nil {
			_, failed := io.Copy(w, from)
			if err == io.EOF {
				err = nil
			}
			return n, errors.Join(err, failed)
		}
		if e.Flow != nil {
			n++
		}
	}
}

// mask writes a recording anew, with what is secret masked.
func mask(from io.Reader, w io.Writer) (n int, err error) {
	d, err := recording.NewDecoder(from)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	to, err := recording.NewEncoder(w)
	if err != nil {
		return 0, err
	}
	for {
		e, err := d.Next()
		if err != nil {
			if err != io.EOF {
				return n, errors.Join(err, to.EndSegment())
			}
			return n, nil
		}
		if e.Flow != nil {
			n++
		}
		if err := again(to, e); err != nil {
			return n, err
		}
	}
}

// again writes an entry of another recording.
func again(to *recording.Encoder, e *recording.Entry) error {
	switch {
	case e.Begin != nil:
		b := *e.Begin
		b.Secrets = false
		return to.Begin(b)
	case e.State != nil:
		return to.State(e.State)
	case e.Change != nil:
		return to.Change(e.Change)
	case e.Flow != nil:
		return to.Flow(e.Flow)
	case e.Frames != nil:
		return to.Frames(e.Frames.Watch)
	case e.Missed != nil:
		return to.Missed(*e.Missed)
	case e.Moment != nil:
		return to.Moment(*e.Moment)
	case e.Head != nil:
		return to.Head(*e.Head)
	case e.End != nil:
		return to.Close(*e.End)
	}
	return nil
}
