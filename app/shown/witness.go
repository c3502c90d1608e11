package shown

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/flow"
	"kubarium/scenarios"
	"kubarium/scenarios/play"
)

// Witness reports to a lesson the requests in a log: those that others send to its server.
func Witness(log *flow.Log) play.Witness { return logWitness{log} }

// A logWitness reports to a lesson the requests in a log of flows.
type logWitness struct{ log *flow.Log }

// fewSeen is how many flows a witness reads at once.
const fewSeen = 256

// Follow reports the flows that are published from now on, and changes by plain SQL.
func (w logWitness) Follow(ctx context.Context) <-chan play.Seen {
	out := make(chan play.Seen)
	at := w.log.Stats().Newest
	_, commits := w.log.Commits(0)
	wake, end := w.log.Subscribe()
	go func() {
		defer close(out)
		defer end()
		for {
			var batch []play.Seen
			batch, at = w.since(at)
			var outside []play.Seen
			outside, commits = w.outside(commits)
			for _, s := range append(batch, outside...) {
				select {
				case out <- s:
				case <-ctx.Done():
					return
				}
			}
			if len(batch) > 0 {
				continue
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// since returns what came after a flow, and the last one that was looked at.
func (w logWitness) since(at uint64) ([]play.Seen, uint64) {
	var out []play.Seen
	for {
		flows, _ := w.log.Since(at, fewSeen)
		for _, f := range flows {
			at = f.Seq
			if f.Phase != flow.WatchClosed && !f.Client.Own() {
				out = append(out, seen(f))
			}
		}
		if len(flows) < fewSeen {
			return out, at
		}
	}
}

// outside returns the changes that another process made with plain SQL, and how many changes there are now.
func (w logWitness) outside(at uint64) ([]play.Seen, uint64) {
	commits, now := w.log.Commits(at)
	var out []play.Seen
	for _, c := range commits {
		if c.Outside {
			out = append(out, play.Seen{Who: "plain SQL", Written: []scenarios.Ref{written(c)}})
		}
	}
	return out, now
}

// seen is a flow as a lesson sees it.
func seen(f *flow.Flow) play.Seen {
	s := play.Seen{
		ID: f.Seq, Who: f.Client.Tag, UserAgent: f.Client.UserAgent, Command: f.Client.Command,
		Own: f.Client.Own(), Lesson: strings.HasPrefix(f.Client.UserAgent, flow.LessonAgent),
		Method: f.Method, Path: f.Path, Query: f.Query, ContentType: f.RequestHeader.Get("Content-Type"),
		Status: f.Status, Header: f.ResponseHeader, Body: f.ResponseBody.Kept, Cut: f.ResponseBody.Cut,
		Watch: f.Phase == flow.WatchOpened,
	}
	if !s.Lesson && !s.Cut {
		s.Body = readable(s.Body, f.ResponseHeader.Get("Content-Type"))
	}
	for _, e := range f.Effects {
		if r := written(e.Commit); !slices.Contains(s.Written, r) {
			s.Written = append(s.Written, r)
		}
	}
	return s
}

// readable is a body in JSON; what is JSON already, or cannot be read, stays as it is. kubectl asks for Protobuf now
// and then.
func readable(body []byte, contentType string) []byte {
	for word, c := range map[string]*codecs.Codec{"protobuf": codecs.Protobuf, "cbor": codecs.CBOR, "yaml": codecs.YAML} {
		if !strings.Contains(contentType, word) {
			continue
		}
		obj, _, _, err := c.Decode(body, schema.GroupVersionKind{}, nil, codecs.Ignore)
		var out bytes.Buffer
		if err == nil && codecs.JSON.Encode(&out, obj, false) == nil {
			return out.Bytes()
		}
	}
	return body
}

// written names the object of a commit.
func written(c flow.Commit) scenarios.Ref {
	resource, group, _ := strings.Cut(c.Resource, ".")
	return scenarios.Ref{Group: group, Resource: resource, Namespace: c.Namespace, Name: c.Name}
}
