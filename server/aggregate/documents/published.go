package documents

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/kube-openapi/pkg/aggregator"
	"k8s.io/kube-openapi/pkg/handler3"
	"k8s.io/kube-openapi/pkg/openapiconv"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"kubarium/server/aggregate"
	"kubarium/server/openapi"
)

// published is what one server publishes of OpenAPI. The last answer stays while it is away, or publishes nothing
// more, as in kube-apiserver.
type published struct {
	parsing *sync.Mutex
	stop    context.CancelFunc
	service atomic.Pointer[aggregate.Service]
	changed chan struct{} // has an element when service has changed
	now     atomic.Pointer[openapi.Remote]

	// The rest is run's alone.
	etag   string            // of the swagger that is kept; "" for none
	sum    [sha256.Size]byte // of its text
	legacy bool              // the server does not know of OpenAPI v3
	failed complaint
}

// fetched counts what was ever new, so that no two documents are taken for one.
var fetched atomic.Int64

func newPublished(d *Documents, service string, stop context.CancelFunc) *published {
	return &published{
		parsing: &d.parsing, stop: stop, changed: make(chan struct{}, 1),
		failed: complaint{logger: d.logger, what: "OpenAPI documents", service: service},
	}
}

// take says how the server is reached now.
func (p *published) take(s *aggregate.Service) {
	p.service.Store(s)
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// run asks when the way to the server has changed, and each minute.
func (p *published) run(ctx context.Context) {
	again := time.NewTicker(every)
	defer again.Stop()
	for {
		select {
		case <-p.changed:
		case <-again.C:
		case <-ctx.Done():
			return
		}
		p.fetch(ctx, p.service.Load())
	}
}

// fetch asks for the list of documents of OpenAPI v3 and for the swagger, unless the service is not available.
func (p *published) fetch(ctx context.Context, s *aggregate.Service) {
	if !s.Available {
		return
	}
	was := openapi.Remote{Name: s.Name}
	if now := p.now.Load(); now != nil {
		was = *now
	}
	next := was
	err := p.fetchIndex(ctx, s, &next)
	if err == nil {
		err = p.fetchSwagger(ctx, s, &next)
	}
	if ctx.Err() != nil {
		return
	}
	p.failed.log(err)
	if !reflect.DeepEqual(was, next) {
		next.Version = strconv.FormatInt(fetched.Add(1), 10)
		p.now.Store(&next)
	}
}

// asker is the user as whom kube-apiserver asks for OpenAPI documents.
var asker user.Info = &user.DefaultInfo{Name: "system:aggregator"}

// get asks for a document. It returns the status, and the text and the ETag of a 200.
func get(ctx context.Context, s *aggregate.Service, path, had string) (status int, text []byte, etag string, err error) {
	h := http.Header{"Accept": {"application/json"}}
	if had != "" {
		h.Set("If-None-Match", had)
	}
	resp, err := s.Get(ctx, asker, path, h)
	if err != nil {
		return 0, nil, "", fmt.Errorf("get %s: %w", path, err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
		text, err = io.ReadAll(resp.Body)
	case http.StatusNotFound, http.StatusNotModified:
	default:
		err = fmt.Errorf("get %s: %s", path, resp.Status)
	}
	return resp.StatusCode, text, resp.Header.Get("Etag"), err
}

// fetchIndex asks where the documents of OpenAPI v3 are.
func (p *published) fetchIndex(ctx context.Context, s *aggregate.Service, next *openapi.Remote) error {
	status, text, _, err := get(ctx, s, "/openapi/v3", "")
	if err != nil {
		return err
	}
	if legacy := status == http.StatusNotFound; legacy != p.legacy {
		p.legacy, p.etag, p.sum = legacy, "", [sha256.Size]byte{} // of the swagger another form is needed
	}
	if status != http.StatusOK {
		return nil
	}
	var index handler3.OpenAPIV3Discovery
	if err := json.Unmarshal(text, &index); err != nil {
		return fmt.Errorf("read /openapi/v3: %w", err)
	}
	next.V3, next.Converted = map[string]string{}, nil
	for path, at := range index.Paths {
		next.V3[path] = at.ServerRelativeURL
	}
	return nil
}

// fetchSwagger asks for the swagger if there is another one than before.
func (p *published) fetchSwagger(ctx context.Context, s *aggregate.Service, next *openapi.Remote) error {
	status, text, etag, err := get(ctx, s, "/openapi/v2", p.etag)
	if err != nil || status != http.StatusOK {
		return err
	}
	sum := sha256.Sum256(text)
	if sum != p.sum {
		err = p.parse(text, s, next)
	}
	if err == nil {
		p.etag, p.sum = etag, sum
	}
	return err
}

// parse takes a swagger. Of a server that does not know of OpenAPI v3 it becomes the document of its group version,
// too. Official code panics at some that Kubernetes' generators do not write.
func (p *published) parse(text []byte, s *aggregate.Service, next *openapi.Remote) (err error) {
	p.parsing.Lock()
	defer p.parsing.Unlock()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("read /openapi/v2: %v", v)
		}
	}()
	swagger := &spec.Swagger{}
	if err := swagger.UnmarshalJSON(text); err != nil {
		return fmt.Errorf("read /openapi/v2: %w", err)
	}
	path := "apis/" + s.GroupVersion.String()
	own := aggregator.FilterSpecByPathsWithoutSideEffects(swagger, []string{"/" + path + "/"})
	v2, err := textOf(own, openapi_v2.ParseDocument)
	if err != nil {
		return err
	}
	var converted []byte
	if p.legacy {
		if converted, err = textOf(openapiconv.ConvertV2ToV3(swagger), openapi_v3.ParseDocument); err != nil {
			return err
		}
		next.V3 = nil
	}
	next.V2, next.Converted, next.ConvertedPath = v2, converted, path
	return nil
}

// textOf writes a document, which must be one that can be read again in the form that Protobuf has.
func textOf[T any](document any, parse func([]byte) (T, error)) ([]byte, error) {
	text, err := json.Marshal(document)
	if err == nil {
		_, err = parse(text)
	}
	return text, err
}
