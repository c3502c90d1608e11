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
	"time"

	"kubarium/flow"
	"kubarium/flow/recording"
)

// A Whole is a whole run, with the objects of its store: that of a server, which tells it, or that of a recording.
type Whole struct {
	File      string            // the recording; "" asks the server
	URL       string            // of the server
	Transport http.RoundTripper // nil is http.DefaultTransport
	Unmasked  bool              // what is secret is written as it is; of a recording, as far as it has it
}

// Write writes the run to a file, which must not be there yet, and returns its size and the number of requests in it. A server is asked
// until ctx ends.
func (r *Whole) Write(ctx context.Context, path string) (size int64, requests int, err error) {
	size, err = create(path, func(w io.Writer) error {
		if r.File == "" {
			requests, err = r.ask(ctx, w)
		} else {
			requests, err = r.copy(w)
		}
		return err
	})
	return size, requests, err
}

// longestAsk is how long a server may take for its run: a file that does not grow must not be waited for without end.
const longestAsk = 5 * time.Minute

// ask writes what the server tells of its run.
func (r *Whole) ask(ctx context.Context, w io.Writer) (int, error) {
	address := r.URL + "/debug/recording?" + url.Values{"secrets": {strconv.FormatBool(r.Unmasked)}}.Encode()
	ctx, cancel := context.WithTimeout(ctx, longestAsk)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
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
	secrets, err := hasSecrets(r.File)
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

// hasSecrets reports whether what is secret is in a recording. It opens the file for itself: a Decoder reads ahead of what is asked of it.
func hasSecrets(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
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

// count copies a recording byte by byte, and counts its requests. What cannot be decoded is copied all the same.
func count(from io.Reader, w io.Writer) (n int, err error) {
	decoded, copied := io.Pipe()
	done := make(chan error)
	go func() {
		var err error
		n, err = requests(decoded)
		_, _ = io.Copy(io.Discard, decoded) // so that nobody waits for who has stopped
		done <- err
	}()
	_, failed := io.Copy(io.MultiWriter(w, copied), from)
	copied.Close()
	return n, errors.Join(<-done, failed)
}

// requests counts those of a recording.
func requests(from io.Reader) (n int, err error) {
	d, err := recording.NewDecoder(from)
	if err != nil {
		return 0, err
	}
	defer d.Close()
	for {
		e, err := d.Next()
		switch {
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		case e.Flow != nil:
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
	err = recording.Copy(to, d, func(e *recording.Entry) bool {
		if e.Begin != nil {
			e.Begin.Secrets = false
		}
		if e.Flow != nil {
			n++
		}
		return true
	})
	if err != nil {
		err = errors.Join(err, to.EndSegment())
	}
	return n, err
}
