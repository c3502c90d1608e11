package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An event is one event of a watch, or an object of a list, which comes as ADDED.
type event struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
	Listed bool            `json:"-"` // it comes from a list
}

// listed is the type of the event, without object, that ends a list: objects that did not come in it are gone.
const listed = "LISTED"

// follow lists a collection and watches it from that list on, until ctx ends, and hands each event to act. When a watch
// ends it goes on from the last event or bookmark, and lists again only where the server refuses that.
func (c Client) follow(ctx context.Context, log *slog.Logger, path string, act func(context.Context, event)) {
	c.keepWatching(ctx, log, path, func() (string, error) {
		resourceVersion, err := c.list(ctx, path, func(object json.RawMessage) {
			act(ctx, event{Type: "ADDED", Object: object, Listed: true})
		})
		if err == nil {
			act(ctx, event{Type: listed})
		}
		return resourceVersion, err
	}, act)
}

// A failed request is sent again after firstPause, then after twice as long, up to lastPause.
const (
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// keepWatching watches a collection from the resourceVersion that begin returns, for as long as ctx lives. It begins again
// where the server refuses to go on, as with 410 Gone; while that fails, as with a server that is away, more and more seldom.
func (c Client) keepWatching(ctx context.Context, log *slog.Logger, path string, begin func() (string, error), act func(context.Context, event)) {
	watch := c
	watch.Accept = listToObject(c.Accept)
	at := "" // the resourceVersion to go on from; "" begins
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, lastPause) {
		was, err := at, error(nil)
		if at == "" {
			at, err = begin()
		}
		if err == nil {
			at, err = watch.watchFrom(ctx, path, at, act)
		}
		if at != was {
			pause = firstPause
		}
		if refused(err) {
			at = ""
		}
		if ctx.Err() == nil {
			log.Debug("watch ended", "controller", c.Name, "path", path, "error", err)
			sleep(ctx, pause)
		}
	}
}

// insist is do. While the server is away or refuses for now it tries again, more and more seldom: a watch that goes on does not
// bring the same event twice.
func (c Client) insist(ctx context.Context, method, path string, body, out any) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := c.do(ctx, method, path, body, out)
		if err == nil || ctx.Err() != nil || !passes(err) {
			return err
		}
		sleep(ctx, pause)
	}
}

// passes reports whether an error says that the server is away, or refuses a request for now.
func passes(err error) bool {
	var e *StatusError
	if !errors.As(err, &e) {
		var away *url.Error
		return errors.As(err, &away) || errors.Is(err, io.ErrUnexpectedEOF)
	}
	return slices.Contains([]int32{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusInsufficientStorage}, e.Status.Code)
}

// refused reports whether a server has refused a request, other than for now.
func refused(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && e.Status.Code != http.StatusTooManyRequests && e.Status.Code != http.StatusServiceUnavailable
}

// watchFrom watches a collection from a resourceVersion until the watch ends, and returns that of the last event or bookmark.
func (c Client) watchFrom(ctx context.Context, path, from string, act func(context.Context, event)) (next string, err error) {
	resp, err := c.send(ctx, "GET", path+"?watch=true&allowWatchBookmarks=true&resourceVersion="+from, nil)
	if err != nil {
		return from, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxEvent))
		if err != nil {
			return from, err
		}
		return from, newStatusError(resp.StatusCode, body)
	}
	return eachEvent(resp.Body, from, func(e event) { act(ctx, e) })
}

// pageSize is how many objects are listed at a time, as in client-go's informers: whole, 100,000 pods take a gigabyte on
// their way.
const pageSize = 500

// list hands over the objects of a collection, page by page, and returns the resourceVersion that all pages are of.
func (c Client) list(ctx context.Context, path string, act func(json.RawMessage)) (resourceVersion string, err error) {
	for next := ""; ; {
		var page struct {
			metav1.ListMeta `json:"metadata"`
			Items           []json.RawMessage `json:"items"`
		}
		query := url.Values{"limit": {strconv.Itoa(pageSize)}}
		if next != "" {
			query.Set("continue", next)
		}
		if err := c.do(ctx, "GET", path+"?"+query.Encode(), nil, &page); err != nil {
			return "", err
		}
		for _, object := range page.Items {
			act(object)
		}
		if next = page.Continue; next == "" {
			return page.ResourceVersion, nil
		}
	}
}

// maxEvent is the most bytes of an event: it may come from another server.
const maxEvent = 8 << 20

// eachEvent reads a watch stream to its end, and returns the resourceVersion of its last event or bookmark, from if it has none.
func eachEvent(r io.Reader, from string, act func(event)) (next string, err error) {
	limited := &io.LimitedReader{R: r}
	d := json.NewDecoder(limited)
	for next = from; ; {
		var e event
		limited.N = maxEvent
		if err := d.Decode(&e); err != nil {
			return next, err
		}
		if e.Type == "ERROR" {
			refused := &StatusError{}
			if err := json.Unmarshal(e.Object, &refused.Status); err != nil {
				return next, err
			}
			return next, refused
		}
		if e.Type != "BOOKMARK" {
			act(e)
		}
		var object struct {
			Metadata struct{ ResourceVersion string }
		}
		if err := json.Unmarshal(e.Object, &object); err != nil {
			return next, err
		}
		next = object.Metadata.ResourceVersion
	}
}

// present adapts act, which takes objects that exist, to events.
func present(act func(context.Context, json.RawMessage)) func(context.Context, event) {
	return func(ctx context.Context, e event) {
		if e.Type == "ADDED" || e.Type == "MODIFIED" {
			act(ctx, e.Object)
		}
	}
}

// sleep waits, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
