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

// A Whole is a whole run with its stored objects: from a server, or from a recording.
type Whole struct {
	File      string            // the recording; "" means the server
	URL       string            // of the server
	Transport http.RoundTripper // nil is http.DefaultTransport
	Unmasked  bool              // secrets are not masked, as far as the recording has them
}

// Write writes the run to a file, which must not exist, and returns its size and number of requests. Reading from a
// server ends with ctx.
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

// longestAsk is the time limit for reading a run from a server.
const longestAsk = 5 * time.Minute

// ask writes the run of the server.
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

// copy writes a recording as it is, or masked if it should be and is not.
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
		err = nil // the recording is cut itself
	}
	return n, err
}

// hasSecrets reports whether a recording contains secrets. It opens the file separately, since a Decoder reads ahead.
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

// count copies a recording byte by byte, and counts its requests. Parts that cannot be decoded are copied too.
func count(from io.Reader, w io.Writer) (n int, err error) {
	decoded, copied := io.Pipe()
	done := make(chan error)
	go func() {
		var err error
		n, err = requests(decoded)
		_, _ = io.Copy(io.Discard, decoded) // otherwise the writer would block after an error
		done <- err
	}()
	_, failed := io.Copy(io.MultiWriter(w, copied), from)
	copied.Close()
	return n, errors.Join(<-done, failed)
}

// requests counts the requests in a recording.
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

// mask writes a recording with secrets masked.
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
