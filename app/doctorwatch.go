package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"kubarium/server/flow"
	"kubarium/server/flow/doctor"
	"kubarium/server/flow/recording"
)

// A flowReader reads the record of another Kubarium.
type flowReader struct {
	client  *http.Client
	address string
}

// watchServer examines what a running server is asked for a while. What was before it teaches what there is, and is not reported.
func (d *doctorCommand) watchServer(ctx context.Context, errs io.Writer) (*doctor.Report, error) {
	client, address, err := d.server.dial(plainServer)
	if err != nil {
		return nil, err
	}
	r := flowReader{client, address}
	history, err := r.history(ctx)
	if err != nil {
		return nil, err
	}
	var since uint64
	for _, l := range history {
		if l.Flow != nil {
			since = l.Seq
		}
	}
	who := doctor.New(d.options(since))
	for _, l := range history {
		tell(who, l)
	}
	fmt.Fprintf(errs, "kubarium: watching %s for %s\n", address, d.watch)
	ctx, end := context.WithTimeout(ctx, d.watch)
	defer end()
	for l, err := range r.lines(ctx, url.Values{"own": {"true"}, "follow": {"true"}, "after": {strconv.FormatUint(since, 10)}}) {
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		tell(who, l)
	}
	if ctx.Err() == nil {
		return nil, fmt.Errorf("%s: the server ended its record", address)
	}
	return who.Report(), nil
}

func tell(who *doctor.Doctor, l recording.Line) {
	if l.Flow == nil {
		who.Missed(l.Missed)
	} else {
		who.Add(l.Flow)
	}
}

// history is all that the server's log holds now, a page at a time.
func (r flowReader) history(ctx context.Context) (all []recording.Line, err error) {
	for after := uint64(0); ; {
		last := after
		for l, err := range r.lines(ctx, url.Values{"own": {"true"}, "limit": {strconv.Itoa(mostFlows)}, "after": {strconv.FormatUint(after, 10)}}) {
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.address, err)
			}
			all = append(all, l)
			if l.Flow != nil {
				last = l.Seq
			}
		}
		if last < after+1 || ctx.Err() != nil {
			return all, ctx.Err()
		}
		after = last
	}
}

// lines are what a request for the record answers. The last may be an error.
func (r flowReader) lines(ctx context.Context, q url.Values) iter.Seq2[recording.Line, error] {
	return func(yield func(recording.Line, error) bool) {
		response, err := r.get(ctx, q)
		if err != nil {
			yield(recording.Line{}, err)
			return
		}
		defer response.Body.Close()
		readLines(response.Body, yield)
	}
}

func (r flowReader) get(ctx context.Context, q url.Values) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.address+flowsPath+"?"+q.Encode(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", flow.UIAgent+"/doctor")
	response, err := r.client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, err
	}
	if response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), recording.MediaType) {
		return response, nil
	}
	response.Body.Close()
	return nil, fmt.Errorf("%s answers %s: it is not Kubarium, or does not tell its record", flowsPath, response.Status)
}

// followLog gives a doctor all that a log in this process holds, and what comes, until done is closed; then the rest.
func followLog(log *flow.Log, who *doctor.Doctor, done <-chan struct{}) {
	wake, end := log.Subscribe()
	defer end()
	at := uint64(0)
	read := func() {
		for {
			flows, missed := log.Since(at, 256)
			if len(flows) == 0 {
				return
			}
			who.Missed(missed.All())
			for _, f := range flows {
				who.Add(f)
			}
			at = flows[len(flows)-1].Seq
		}
	}
	for {
		read()
		select {
		case <-wake:
		case <-done:
			read()
			return
		}
	}
}
