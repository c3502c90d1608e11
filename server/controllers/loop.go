package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An event is one event of a watch, or an object of a list, which comes as ADDED.
type event struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
	Listed bool            `json:"-"` // it is of a list
}

// listed is the type of the event, without object, that ends a list: what was there before and did not come is gone.
const listed = "LISTED"

// follow lists a collection and watches it from there, for as long as ctx lives, and hands each event to act. After an
// error, and when a watch ends, it lists again; while lists fail, as those of a server that is away, more and more seldom.
func (c Client) follow(ctx context.Context, log *slog.Logger, path string, act func(context.Context, event)) {
	const first, last = 200 * time.Millisecond, 10 * time.Second
	for pause := first; ctx.Err() == nil; pause = min(2*pause, last) {
		err := c.listAndWatch(ctx, path, func(ctx context.Context, e event) {
			if e.Type == listed {
				pause = first / 2
			}
			act(ctx, e)
		})
		if err != nil && ctx.Err() == nil {
			log.Debug("watch ended", "controller", c.Name, "path", path, "error", err)
			sleep(ctx, max(pause, first))
		}
	}
}

func (c Client) listAndWatch(ctx context.Context, path string, act func(context.Context, event)) error {
	resourceVersion, err := c.list(ctx, path, func(object json.RawMessage) {
		act(ctx, event{Type: "ADDED", Object: object, Listed: true})
	})
	if err != nil {
		return err
	}
	act(ctx, event{Type: listed})
	watch := c
	watch.Accept = listToObject(c.Accept)
	return watch.watchFrom(ctx, path, resourceVersion, act)
}

// watchFrom watches a collection behind a revision until the watch ends.
func (c Client) watchFrom(ctx context.Context, path, resourceVersion string, act func(context.Context, event)) error {
	resp, err := c.send(ctx, "GET", path+"?watch=true&allowWatchBookmarks=true&resourceVersion="+resourceVersion, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxEvent))
		return newStatusError(resp.StatusCode, body)
	}
	return eachEvent(resp.Body, func(e event) { act(ctx, e) })
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

// eachEvent reads a watch stream to its end.
func eachEvent(r io.Reader, act func(event)) error {
	limited := &io.LimitedReader{R: r}
	d := json.NewDecoder(limited)
	for {
		var e event
		limited.N = maxEvent
		if err := d.Decode(&e); err != nil {
			return err
		}
		switch e.Type {
		case "ERROR":
			return errors.New("watch expired")
		case "ADDED", "MODIFIED", "DELETED":
			act(e)
		}
	}
}

// present makes of act, which wants objects that are there, one that takes events.
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
