package shown

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"kubarium/app/cli"
	"kubarium/app/debug"
	"kubarium/flow"
	"kubarium/flow/recording"
	"kubarium/tui"
	"kubarium/tui/label"
)

// An attachment is the run of a server elsewhere: a log that fills while the server sends it. When the server is gone,
// the log keeps its flows. It goes on when the same run answers again; of another run it only says that it began.
type attachment struct {
	client  *http.Client
	address string

	log     *flow.Log
	begun   recording.Begin
	changed chan struct{}
	stream  *stream // that is read next; nil for none

	mu   sync.Mutex // guards what follows
	note string
	news []string
	anew bool
}

// A stream is a connection on which the server sends its run.
type stream struct {
	body io.Closer
	from *recording.Decoder
}

func (s *stream) close() {
	s.body.Close()
	s.from.Close()
}

// Attach connects to a server for the first time. Errors are for a person.
func Attach(ctx context.Context, client *http.Client, address string, limits flow.Limits) (*attachment, error) {
	a := &attachment{client: client, address: address, log: flow.NewLog(limits), changed: make(chan struct{}, 1)}
	s, begun, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	a.stream, a.begun = s, *begun
	return a, nil
}

// connect asks for what comes after the newest flow of the log.
func (a *attachment) connect(ctx context.Context) (*stream, *recording.Begin, error) {
	q := url.Values{"follow": {"true"}, "objects": {"false"}, "secrets": {"true"}, "after": {strconv.FormatUint(a.log.Stats().Newest, 10)}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, a.address+debug.RecordingPath+"?"+q.Encode(), nil)
	if err != nil {
		return nil, nil, cli.Misuse(err)
	}
	r.Header.Set("User-Agent", flow.UIAgent+"/attach")
	resp, err := a.client.Do(r)
	if err != nil {
		return nil, nil, fmt.Errorf("no server answers at %s: %w", a.address, err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != recording.Type {
		defer resp.Body.Close()
		return nil, nil, a.refused(resp)
	}
	d, err := recording.NewDecoder(resp.Body)
	if err != nil {
		resp.Body.Close()
		return nil, nil, err
	}
	s := &stream{resp.Body, d}
	e, err := d.Next()
	if err == nil && e.Begin == nil {
		err = recording.ErrForeign
	}
	if err != nil {
		s.close()
		return nil, nil, fmt.Errorf("attach to %s: %w", a.address, err)
	}
	return s, e.Begin, nil
}

// refused says why the server does not send its run.
func (a *attachment) refused(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s does not show its run to you (%s); say --kubeconfig FILE of an administrator", a.address, resp.Status)
	case http.StatusOK, http.StatusNotFound:
		return fmt.Errorf("%s is not a Kubarium that can be attached to", a.address)
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return fmt.Errorf("%s answered %s: %s", a.address, resp.Status, cli.FirstLine(errors.New(strings.TrimSpace(string(text)))))
}

// The times between two looks for a server that is gone, at first and later.
const (
	soonAgain = 200 * time.Millisecond
	lateAgain = 2 * time.Second
)

// Follow fills the log until ctx ends, or until the server begins another run.
func (a *attachment) Follow(ctx context.Context) {
	recording.Fill(a.log, &recording.Entry{Begin: &a.begun})
	for {
		err := a.read()
		if ctx.Err() != nil {
			return
		}
		a.say("GONE", fmt.Sprintf("the server is gone (%s); what it did stays here", cli.FirstLine(err)))
		begun := a.reconnect(ctx)
		switch {
		case begun == nil:
			return
		case begun.Run != a.begun.Run:
			a.stream.close()
			a.mu.Lock()
			a.anew = true
			a.mu.Unlock()
			a.say("EARLIER RUN", "the server has started again; what is here is of its earlier run")
			return
		}
		a.say("", "connected to the server again")
	}
}

// read takes the entries of the stream until it ends. The error says why it did.
func (a *attachment) read() error {
	defer a.stream.close()
	for {
		e, err := a.stream.from.Next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, recording.ErrCut):
			return errors.New("it has ended")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errors.New("the connection broke")
		case err != nil:
			return err
		}
		recording.Fill(a.log, e)
	}
}

// reconnect waits for the server and returns the begin of its run, or nil when ctx ends first.
func (a *attachment) reconnect(ctx context.Context) *recording.Begin {
	for wait := soonAgain; ; wait = min(2*wait, lateAgain) {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
		s, begun, err := a.connect(ctx)
		if err == nil {
			a.stream = s
			return begun
		}
	}
}

// say notes how the connection is now, and what has happened to it.
func (a *attachment) say(note, news string) {
	a.mu.Lock()
	a.note, a.news = note, append(a.news, news)
	a.mu.Unlock()
	select {
	case a.changed <- struct{}{}:
	default: // a value waits already
	}
}

// Note is a word for the state of the connection, "" while it is open.
func (a *attachment) Note() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.note
}

// News is what has happened to the connection since the last call.
func (a *attachment) News() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	news := a.news
	a.news = nil
	return news
}

// Anew reports whether the server has begun another run.
func (a *attachment) Anew() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.anew
}

// Glass reports whether it is a glass in front of another server, which plays no lessons.
func (a *attachment) Glass() bool { return strings.HasPrefix(a.begun.DB, label.GlassScheme) }

// Options are what the UI shows of the run.
func (a *attachment) Options() tui.Options {
	context, _ := strings.CutPrefix(a.begun.DB, label.GlassScheme)
	if !a.Glass() {
		context = ""
	}
	return tui.Options{
		Log: a.log, URL: a.address, DB: a.begun.DB, Transport: a.client.Transport,
		Source: tui.Source{Kind: tui.Attached, Through: a.Glass(), Context: context, Before: a.begun.Published, Note: a.Note, Changed: a.changed, News: a.News, Anew: a.Anew},
	}
}
