package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// revisions is how many old revisions there are to remove when the history is compacted.
const revisions = 20_000

// compaction updates one ConfigMap after the other, and compacts the history in the middle of it.
func (r *trial) compaction(ctx context.Context) error {
	before, err := r.updates(ctx, nil)
	if err != nil {
		return err
	}
	behind, err := r.updates(ctx, func() error {
		_, err := r.send(ctx, "POST", "/debug/compact", "")
		return err
	})
	if err != nil {
		return err
	}
	r.note(stops, "without", 0, ms(slices.Max(before)))
	r.note(stops, "with a compaction", 0, ms(slices.Max(behind)))
	r.note(stops, "99 of 100 without", 0, ms(percentile(before, 99)))
	r.note(stops, "99 of 100 with", 0, ms(percentile(behind, 99)))
	return nil
}

// updates updates an object as often as there are revisions to be, and calls fn when it has begun; it returns how long each took.
func (r *trial) updates(ctx context.Context, fn func() error) (took []time.Duration, err error) {
	if err := r.createOnce(ctx); err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	done <- nil
	for i := range revisions {
		if i == revisions/10 && fn != nil {
			<-done
			go func() { done <- fn() }()
		}
		begun := time.Now()
		body := fmt.Sprintf(`{"data":{"settings":"%0850d"}}`, time.Now().UnixNano())
		if _, err := r.send(ctx, "PATCH", fmt.Sprintf("/api/v1/namespaces/default/configmaps/busy-%02d", i%busy), body); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
	return took, <-done
}

// busy is how many objects are updated in turn.
const busy = 50

// createOnce creates the objects that are updated, unless they are there.
func (r *trial) createOnce(ctx context.Context) error {
	for i := range busy {
		name := fmt.Sprintf("busy-%02d", i)
		if _, err := r.get(ctx, "/api/v1/namespaces/default/configmaps/"+name); err == nil {
			continue
		}
		body := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s","labels":{"app":"m"}}}`, name)
		if _, err := r.send(ctx, "POST", "/api/v1/namespaces/default/configmaps", body); err != nil {
			return err
		}
	}
	return nil
}

func percentile(d []time.Duration, p int) time.Duration {
	return slices.Sorted(slices.Values(d))[len(d)*p/100]
}

// continueToken is a token by which a list at a revision goes on after a key, as kube-apiserver makes them.
func continueToken(revision, after string) string {
	rv := json.RawMessage(revision)
	text, err := json.Marshal(map[string]any{"v": "meta.k8s.io/v1", "rv": rv, "start": after + "\x00"})
	if err != nil {
		panic(err) // a number and two texts
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
