package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/remote"
	"kubarium/app/runs"
	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/recording"
)

// fromServer returns the requests that a running server has, page by page to the end. The server filters them.
func (e *Export) fromServer(ctx context.Context) (iter.Seq2[*flow.Flow, error], error) {
	client, address, err := e.Server.Dial(remote.Plain)
	if err != nil {
		return nil, err
	}
	if e.URL == "" {
		e.URL = address
	}
	e.match = &filter.Filter{}
	p := pager{client: client, address: address, query: url.Values{"limit": {strconv.Itoa(debug.MostFlows)}}}
	if e.Filter != "" {
		p.query.Set("filter", e.Filter)
	}
	p.query.Set("own", strconv.FormatBool(e.Own))
	p.query.Set("secrets", strconv.FormatBool(e.Secrets))
	first, err := p.get(ctx) // so that a server which is not there is said before a file is touched
	if err != nil {
		return nil, err
	}
	return func(yield func(*flow.Flow, error) bool) {
		for page := first; ; {
			more, err := p.read(page, yield)
			if err == nil && more {
				page, err = p.get(ctx)
			}
			switch {
			case err != nil:
				yield(nil, err)
				return
			case !more:
				return
			}
		}
	}, nil
}

// A pager reads pages of /debug/flows.
type pager struct {
	client  *http.Client
	address string
	query   url.Values
	after   uint64 // what was read last
}

// get asks for the next page.
func (p *pager) get(ctx context.Context) (io.ReadCloser, error) {
	p.query.Set("after", strconv.FormatUint(p.after, 10))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.address+debug.FlowsPath+"?"+p.query.Encode(), nil)
	if err != nil {
		return nil, cli.Misuse(err)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("no server answers at %s: %w", p.address, err)
	}
	if resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), recording.MediaType) {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	return nil, remote.Refused(p.address, resp, text)
}

// read reads a page, and reports whether there may be another one.
func (p *pager) read(page io.ReadCloser, yield func(*flow.Flow, error) bool) (more bool, err error) {
	defer page.Close()
	lines := bufio.NewReaderSize(page, 1<<16)
	for told := 0; ; {
		text, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(text) == 0 {
			return told == debug.MostFlows, nil
		}
		if err != nil {
			return false, fmt.Errorf("the answer of %s was broken off: %w", p.address, err)
		}
		l, err := recording.Read(text)
		if err != nil {
			return false, err
		}
		if l.Flow == nil {
			p.after = l.Upto
			if !yield(nil, runs.Missed{N: l.Missed, Upto: l.Upto}) {
				return false, nil
			}
			continue
		}
		p.after = l.Seq
		told++
		if !yield(l.Flow, nil) {
			return false, nil
		}
	}
}

// absolute reports whether a text is the address of a server.
func absolute(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}
