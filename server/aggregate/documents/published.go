package documents

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	v2 "k8s.io/kube-aggregator/pkg/controllers/openapi/aggregator"
	v3 "k8s.io/kube-aggregator/pkg/controllers/openapiv3/aggregator"
	"k8s.io/kube-openapi/pkg/aggregator"
	"k8s.io/kube-openapi/pkg/openapiconv"

	"kubarium/server/aggregate"
	"kubarium/server/openapi"
)

// published is what one server publishes of OpenAPI. What it said last stays while it is away, or says nothing more, as in
// kube-apiserver.
type published struct {
	logger  *slog.Logger
	stop    context.CancelFunc
	service atomic.Pointer[aggregate.Service]
	changed chan struct{} // has an element when service has changed
	now     atomic.Pointer[openapi.Remote]

	// The rest is run's alone.
	etag   string // of the swagger that is kept; "" for none
	legacy bool   // the server does not know of OpenAPI v3
	failed string // what was logged last
}

// fetched counts what was ever new, so that no two documents are taken for one.
var fetched atomic.Int64

func newPublished(logger *slog.Logger, stop context.CancelFunc) *published {
	return &published{logger: logger, stop: stop, changed: make(chan struct{}, 1)}
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

// fetch asks for the list of documents of OpenAPI v3 and for the swagger, unless nobody would answer.
func (p *published) fetch(ctx context.Context, s *aggregate.Service) {
	if !s.Available {
		return
	}
	was := openapi.Remote{Name: s.Name}
	if now := p.now.Load(); now != nil {
		was = *now
	}
	next := was
	to := until(ctx, s)
	err := p.fetchIndex(to, &next)
	if err == nil {
		err = p.fetchSwagger(to, s, &next)
	}
	p.tell(ctx, s.Name, err)
	if !reflect.DeepEqual(was, next) {
		next.Version = strconv.FormatInt(fetched.Add(1), 10)
		p.now.Store(&next)
	}
}

// fetchIndex asks where the documents of OpenAPI v3 are.
func (p *published) fetchIndex(to http.Handler, next *openapi.Remote) error {
	downloader := v3.NewDownloader()
	index, status, err := downloader.OpenAPIV3Root(to)
	if err != nil {
		return err
	}
	if legacy := status == http.StatusNotFound; legacy != p.legacy {
		p.legacy, p.etag = legacy, "" // of the swagger another form is needed
	}
	if index != nil {
		next.V3, next.Converted = map[string]string{}, nil
		for path, at := range index.Paths {
			next.V3[path] = at.ServerRelativeURL
		}
	}
	return nil
}

// fetchSwagger asks for the swagger if there is another one than before. Of a server that does not know of OpenAPI v3 it becomes the
// document of its group version, too.
func (p *published) fetchSwagger(to http.Handler, s *aggregate.Service, next *openapi.Remote) error {
	downloader := v2.NewDownloader()
	swagger, etag, status, err := downloader.Download(to, p.etag)
	if err != nil || status != http.StatusOK {
		return err
	}
	next.ConvertedPath = "apis/" + s.GroupVersion.String()
	text, err := textOf(aggregator.FilterSpecByPathsWithoutSideEffects(swagger, []string{"/" + next.ConvertedPath + "/"}), openapi_v2.ParseDocument)
	if err != nil {
		return err
	}
	var converted []byte
	if p.legacy {
		if converted, err = textOf(openapiconv.ConvertV2ToV3(swagger), openapi_v3.ParseDocument); err != nil {
			return err
		}
	}
	p.etag, next.V2, next.Converted = etag, text, converted
	if p.legacy {
		next.V3 = nil
	}
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

// tell logs why documents are not there, once for a reason.
func (p *published) tell(ctx context.Context, service string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != p.failed && ctx.Err() == nil {
		p.logger.Warn("the OpenAPI documents of an aggregated server cannot be read", "apiservice", service, "error", text)
	}
	p.failed = text
}
