package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"kubarium/flow"
	"kubarium/flow/filter"
	"kubarium/flow/object"
	"kubarium/scenarios"
	"kubarium/tui/feed"
	"kubarium/tui/label"
	"kubarium/tui/term"
)

// A replay is a request that is to be sent again. It goes over HTTP like any client's, under flow.ReplayAgent, and so
// it is listed as the reader's own ("you") with ↻ and the number of the request that it repeats.
type replay struct {
	of     uint64
	method string
	url    url.URL
	header http.Header
	body   []byte
	fresh  bool // read the object first and name its resourceVersion in the body
}

// replayLimit is how long an answer to a replay may take.
const replayLimit = 15 * time.Second

// notReplayed are headers that belong to the connection, to the kubectl run or to the lesson that sent the request.
var notReplayed = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Kubectl-Command", "Kubectl-Session", "Transfer-Encoding", "User-Agent", filter.LessonHeader, scenarios.MarkHeader}

// NeedsReplayable says why the selected request cannot be sent again, "" if it can.
func (e *Env) NeedsReplayable() string {
	switch {
	case e.ReadOnly != "":
		return e.ReadOnly
	case e.Sel == nil:
		return "no request is selected"
	}
	return replayable(e.Sel)
}

// replayable says why a request cannot be sent again, "" if it can.
func replayable(f *flow.Flow) string {
	switch {
	case f.Watch != nil || f.Target.Verb == "watch":
		return "a watch is not sent again: its answer would not end"
	case f.RequestBody.Cut:
		return "its body was too long to be kept whole"
	case f.Method == "":
		return "it has no request line"
	}
	return ""
}

// AskReplay offers the ways to send the selected request again.
func (e *Env) AskReplay() {
	f := e.Sel
	base, err := url.Parse(e.URL)
	if err != nil {
		e.Say("replay: %s", err)
		return
	}
	e.Over = &term.Menu{
		Title: e.F("Send #%d again: %s %s", f.Seq, f.Method, label.Target(f)),
		Text:  e.NowText(),
		Items: []term.Item{
			{Key: "s", Label: "the same", Do: func() { e.replay(f, newReplay(f, base), "the same") }},
			{Key: "f", Label: "with a fresh rv, read just before", Off: CannotFresh(f), Do: func() {
				r := newReplay(f, base)
				r.fresh = true
				e.replay(f, r, "with a fresh rv")
			}},
			{Key: "w", Label: "without rv", Off: cannotStrip(f), Do: func() {
				r := newReplay(f, base)
				r.strip()
				e.replay(f, r, "without rv")
			}},
			{Key: "e", Label: "with an edited body, in $EDITOR", Off: cannotEdit(f), Do: func() { e.editReplay(f, newReplay(f, base)) }},
		},
	}
}

// newReplay is the request of f to the server at base.
func newReplay(f *flow.Flow, base *url.URL) *replay {
	r := &replay{of: f.Seq, method: f.Method, url: *base, header: f.RequestHeader.Clone(), body: f.RequestBody.Kept}
	r.url.Path, r.url.RawQuery = f.Path, f.Query
	if r.header == nil {
		r.header = http.Header{}
	}
	for _, name := range notReplayed {
		r.header.Del(name)
	}
	r.header.Set("User-Agent", fmt.Sprintf("%s (#%d)", flow.ReplayAgent, f.Seq))
	return r
}

// CannotFresh says why no fresh resourceVersion can be put into a request, "" if it can.
func CannotFresh(f *flow.Flow) string {
	switch v := f.Target.Verb; {
	case v != "update" && v != "patch" && v != "apply":
		return "only for writes of an object that is there"
	case object.MetadataOf(f.RequestBody.Kept) == nil:
		return "the body is not a JSON object with metadata"
	}
	return ""
}

// cannotStrip says why no resourceVersion can be taken out of a request, "" if it can.
func cannotStrip(f *flow.Flow) string {
	if q, err := url.ParseQuery(f.Query); err == nil && q.Has("resourceVersion") {
		return ""
	}
	if m := object.MetadataOf(f.RequestBody.Kept); m["resourceVersion"] != nil {
		return ""
	}
	return "it names none"
}

// strip takes the resourceVersion out of query and body.
func (r *replay) strip() {
	if q := r.url.Query(); q.Has("resourceVersion") {
		q.Del("resourceVersion")
		q.Del("resourceVersionMatch") // means nothing without
		r.url.RawQuery = q.Encode()
	}
	r.body = withRevision(r.body, "")
}

// withRevision is a JSON object with another metadata.resourceVersion, or with "" without one.
func withRevision(body []byte, rv string) []byte {
	return object.WithMetadata(body, func(meta map[string]json.RawMessage) {
		delete(meta, "resourceVersion")
		if rv != "" {
			meta["resourceVersion"], _ = json.Marshal(rv) // a string always marshals
		}
	})
}

// replay sends r; a write only after asking.
func (e *Env) replay(f *flow.Flow, r *replay, how string) {
	send := func() {
		e.Say("sending #%d again, %s …", r.of, how)
		e.Do(Work{func() func() {
			told, err := r.send(e.Reach)
			return func() {
				if err != nil {
					e.Say("replay of #%d: %s", r.of, err)
					return
				}
				e.Say("#%d again, %s: %s", r.of, how, told)
			}
		}})
	}
	if !feed.Writes(f.Target.Verb) && (f.Method == http.MethodGet || f.Method == http.MethodHead) {
		send()
		return
	}
	e.Over = &term.Menu{
		Title: e.F("%s %s, %s?", f.Method, term.Fit(label.Target(f), 40), how),
		Text:  append([]string{"This is a write: it changes what the server stores."}, e.NowText()...),
		Items: []term.Item{{Key: "r", Label: "send it", Do: func() { e.AskWrite(send) }}},
	}
}

// send sends the replay and returns its answer in a few words.
func (r *replay) send(to http.RoundTripper) (string, error) {
	client := &http.Client{Transport: to, Timeout: replayLimit}
	body := r.body
	rv := ""
	if r.fresh {
		var err error
		if rv, err = r.currentRevision(client); err != nil {
			return "", err
		}
		body = withRevision(r.body, rv)
	}
	req, err := http.NewRequest(r.method, r.url.String(), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header = r.header
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if rv != "" {
		return fmt.Sprintf("rv %s, %s", rv, resp.Status), nil
	}
	return resp.Status, nil
}

// currentRevision reads the object that the replay is to write.
func (r *replay) currentRevision(client *http.Client) (string, error) {
	u := r.url
	u.RawQuery = ""
	req, err := http.NewRequest(http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("User-Agent", r.header.Get("User-Agent"))
	req.Header.Set("Accept", "application/json")
	if identity := r.header.Values("Authorization"); len(identity) > 0 {
		req.Header["Authorization"] = identity
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("read the object first: %s", resp.Status)
	}
	var o struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&o); err != nil {
		return "", fmt.Errorf("read the object first: %w", err)
	}
	if o.Metadata.ResourceVersion == "" {
		return "", errors.New("read the object first: it has no resourceVersion")
	}
	return o.Metadata.ResourceVersion, nil
}
