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

// An event is one event of a watch, or an object of a list.
type event struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// follow lists a collection and watches it from there, for as long as ctx lives, and hands each object that is there or
// changes to act. After an error, and when a watch ends, it lists again.
func (c Client) follow(ctx context.Context, log *slog.Logger, path string, act func(ctx context.Context, object json.RawMessage)) {
	for ctx.Err() == nil {
		if err := c.listAndWatch(ctx, path, act); err != nil && ctx.Err() == nil {
			log.Debug("watch ended", "controller", c.Name, "path", path, "error", err)
			sleep(ctx, 200*time.Millisecond)
		}
	}
}

func (c Client) listAndWatch(ctx context.Context, path string, act func(context.Context, json.RawMessage)) error {
	var list struct {
		metav1.ListMeta `json:"metadata"`
		Items           []json.RawMessage `json:"items"`
	}
	if err := c.do(ctx, "GET", path, nil, &list); err != nil {
		return err
	}
	for _, object := range list.Items {
		act(ctx, object)
	}
	resp, err := c.send(ctx, "GET", path+"?watch=true&allowWatchBookmarks=true&resourceVersion="+list.ResourceVersion, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		body, _ := io.ReadAll(resp.Body)
		return newStatusError(resp.StatusCode, body)
	}
	return eachEvent(resp.Body, func(e event) { act(ctx, e.Object) })
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
		case "ADDED", "MODIFIED":
			act(e)
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
