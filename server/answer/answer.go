package answer

import (
	"encoding/json"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/codecs"
	"kubarium/server/cache"
	"kubarium/server/kinds"
	"kubarium/server/registry"
	"kubarium/server/storage"
)

// An Answer is what a handler found: one of Record, List, Object, Raw and Stream.
type Answer struct {
	Status int         // 0 means 200
	Kind   *kinds.Kind // of Record or List
	Record *storage.Record
	Cached *cache.Object // where Record comes from, if from the cache
	List   *registry.List
	Object runtime.Object // typed, with kind and apiVersion set

	Raw         []byte // bytes as they are
	ContentType string // of Raw, "" for none; or of Object if it is not the one negotiated
	Header      http.Header

	Stream func(out *Response) // writes the answer itself
	Stop   func()              // gives back what Stream would, if that is not called; nil if there is nothing
}

// Abandon ends an answer that is not going to be sent. It may be nil.
func (a *Answer) Abandon() {
	if a != nil && a.Stop != nil {
		a.Stop()
	}
}

// Code sets the status.
func (a *Answer) Code(status int) *Answer {
	a.Status = status
	return a
}

// Indented answers with a plain value in JSON, whatever the client accepts, as kube-apiserver does.
func Indented(v any) (*Answer, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return &Answer{Raw: text, ContentType: codecs.JSON.MediaType}, err
}

// Text answers with a text, which browsers must not take for anything else.
func Text(status int, body string) *Answer {
	return &Answer{Status: status, Raw: []byte(body), ContentType: "text/plain; charset=utf-8", Header: http.Header{"X-Content-Type-Options": {"nosniff"}}}
}
