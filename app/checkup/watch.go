package checkup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"kubarium/analysis/doctor"
	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/app/remote"
	"kubarium/flow"
	"kubarium/flow/recording"
)

// A flowReader reads the record of another Kubarium.
type flowReader struct {
	client  *http.Client
	address string
}

// watchServer examines the requests to a running server for a while. Earlier requests only teach the doctor which
// objects there are.
func (d *Checkup) watchServer(ctx context.Context, errs io.Writer) (*doctor.Report, error) {
	client, address, err := d.Server.Dial(remote.Plain)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	r := flowReader{client, address}
	response, err := r.get(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	defer response.Body.Close()
	cli.Printf(errs, "kubarium: watching %s for %s\n", address, d.Watch)
	time.AfterFunc(d.Watch, end)
	who, err := d.follow(response.Body)
	if ctx.Err() == nil {
		return nil, fmt.Errorf("%s: the server ended its record: %w", address, err)
	}
	return who.Report(), nil
}

// follow gives a doctor the run of a server until the stream ends. The error says why it ended.
func (d *Checkup) follow(run io.Reader) (*patient, error) {
	who := d.admit("the server", 0)
	from, err := recording.NewDecoder(run)
	if err != nil {
		return who, err
	}
	defer from.Close()
	var before, missed uint64 // the newest flow that is known, or of before the watch; those missed since
	for {
		e, err := from.Next()
		switch {
		case err != nil:
			return who, err
		case e.Begin != nil && e.Begin.Segment == 1:
			before = e.Begin.Published
			d.read, who = nil, d.admit("the server", before)
		case e.Missed != nil:
			missed += e.Missed.Others + e.Missed.Own
		case e.Flow != nil:
			who.Missed(min(missed, max(before, e.Flow.Seq-1)-before)) // not those of before the watch
			before, missed = max(before, e.Flow.Seq), 0
			who.Add(e.Flow)
		}
	}
}

// get asks for the run, as the log has it and as it goes on.
func (r flowReader) get(ctx context.Context) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.address+debug.RecordingPath+"?follow=true&objects=false", nil)
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
	if response.StatusCode == http.StatusOK && strings.HasPrefix(response.Header.Get("Content-Type"), recording.Type) {
		return response, nil
	}
	response.Body.Close()
	return nil, fmt.Errorf("%s answers %s: it is not Kubarium, or does not show its record", debug.RecordingPath, response.Status)
}

// followLog gives a doctor all that a log in this process holds, and what comes, until done is closed; then the rest.
func followLog(log *flow.Log, who *patient, done <-chan struct{}) {
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
