package scenarios

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"kubarium/scenarios/expr"
)

// patchTypes are the Content-Types of patches.
var patchTypes = map[string]string{
	"json": "application/json-patch+json", "merge": "application/merge-patch+json",
	"strategic": "application/strategic-merge-patch+json", "apply": "application/apply-patch+yaml",
}

// An answer is an HTTP answer with its body read.
type answer struct {
	Status int
	Body   []byte
	header http.Header
	object map[string]any // the body, unpacked, if it is a JSON object
}

// brief is the answer in a line: the status, and the message if it is a Status.
func (a *answer) brief() string {
	s := fmt.Sprintf("%d %s", a.Status, http.StatusText(a.Status))
	if m, ok := expr.Lookup(a.object, "message"); ok {
		s += " (" + expr.Text(m) + ")"
	}
	return s
}

// send sends a request of an actor and reads the answer.
func (p *Player) send(ctx context.Context, actor string, r *Request) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	response, err := p.do(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return readAnswer(response)
}

// maxAnswer bounds the answers that a lesson reads, in bytes.
const maxAnswer = 16 << 20

func readAnswer(response *http.Response) (*answer, error) {
	b, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	a := &answer{Status: response.StatusCode, Body: b, header: response.Header}
	var body io.Reader = bytes.NewReader(b)
	if response.Header.Get("Content-Encoding") == "gzip" { // the step asked for it, so the client has left it packed
		if body, err = gzip.NewReader(body); err != nil {
			return nil, fmt.Errorf("unpack the answer: %w", err)
		}
	}
	d := json.NewDecoder(io.LimitReader(body, maxAnswer))
	d.UseNumber()
	if d.Decode(&a.object) != nil {
		a.object = nil // not a JSON object: there are no fields to look at
	}
	return a, nil
}

// Headers by which a server that wants to know recognises a lesson.
const (
	agentPrefix  = "kubarium-lesson/" // opens the User-Agent; the actor's name follows
	lessonHeader = "Kubarium-Lesson"  // the lesson's name
	// MarkHeader tells the requests of one step from all others, see Sent.
	MarkHeader = "Kubarium-Lesson-Step"
)

func (p *Player) do(ctx context.Context, actor string, r *Request) (*http.Response, error) {
	request, err := p.newRequest(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	return p.clientOf(actor).Do(request)
}

// clientOf is what sends the requests of an actor.
func (p *Player) clientOf(actor string) *http.Client {
	if p.options.Bare != nil && p.Lesson.Actors.of(actor).Token != "" {
		return p.options.Bare
	}
	return p.client
}

// reviews are the groups whose objects are questions, which are answered and not stored.
var reviews = []string{"authentication.k8s.io", "authorization.k8s.io"}

// writesNothing tells whether a request can be repeated without harm.
func (r *Request) writesNothing() bool {
	_, query, _ := strings.Cut(r.Path, "?")
	ref, _ := refOf(r.Path)
	return r.Method == http.MethodGet || dry(query) || r.Method == http.MethodPost && slices.Contains(reviews, ref.Group)
}

func (p *Player) newRequest(ctx context.Context, actor string, r *Request) (*http.Request, error) {
	var body io.Reader
	if text := r.sent(); text != "" {
		body = strings.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, strings.TrimSuffix(p.Server, "/")+r.Path, body)
	if err != nil {
		return nil, err
	}
	h := request.Header
	h.Set("User-Agent", agentPrefix+actor)
	h.Set(lessonHeader, p.Lesson.Name)
	if st := p.stage; st != nil && actor != manager {
		h.Set(MarkHeader, st.mark)
	}
	if st := p.stage; st != nil {
		p.Lesson.Actors.of(actor).identify(h, st.values)
	}
	h.Set("Accept", "application/json")
	if body != nil {
		h.Set("Content-Type", "application/json")
	}
	if t := patchTypes[r.Patch]; t != "" {
		h.Set("Content-Type", t)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		h.Set(name, r.Headers[name])
	}
	return request, nil
}

// sent is the body as it is sent; "" if there is none.
func (r *Request) sent() string {
	if r.Body != nil {
		return expr.JSON(r.Body)
	}
	return r.Text
}
