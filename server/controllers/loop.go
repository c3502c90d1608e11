package controllers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
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
// error, and when a watch ends, it lists again.
func (c Client) follow(ctx context.Context, log *slog.Logger, path string, act func(context.Context, event)) {
	for ctx.Err() == nil {
		if err := c.listAndWatch(ctx, path, act); err != nil && ctx.Err() == nil {
			log.Debug("watch ended", "controller", c.Name, "path", path, "error", err)
			sleep(ctx, 200*time.Millisecond)
		}
	}
}

func (c Client) listAndWatch(ctx context.Context, path string, act func(context.Context, event)) error {
	var list struct {
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if err := c.do(ctx, "GET", path, nil, &list); err != nil {
		return err
	}
	for _, object := range list.Items {
		act(ctx, event{Type: "ADDED", Object: object, Listed: true})
	}
	act(ctx, event{Type: listed})
	watch := c
	watch.Accept = listToObject(c.Accept)
	resp, err := watch.send(ctx, "GET", path+"?watch=true&allowWatchBookmarks=true&resourceVersion="+list.ResourceVersion, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		return newStatusError(resp.StatusCode, body)
	}
	return eachEvent(resp.Body, func(e event) { act(ctx, e) })
}

// eachEvent reads a watch stream to its end.
func eachEvent(r io.Reader, act func(event)) error {
	d := json.NewDecoder(r)
	for {
		var e event
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
