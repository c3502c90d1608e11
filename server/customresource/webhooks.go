package customresource

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/webhook"

	"kubarium/flow"
	"kubarium/server/budget"
	"kubarium/server/calls"
)

// webhooks are official clients of a definition's conversion webhook: they ask with a ConversionReview and check the
// answer. Such a client takes no context, so each converts one object at a time, and knows for which request. There are
// as many as were ever needed at once.
type webhooks struct {
	crd *apiextensionsv1.CustomResourceDefinition
	way calls.Way

	mu   sync.Mutex
	free []*converter
}

// A converter is one client, and the request that it works for now.
type converter struct {
	way      calls.Way
	official runtime.ObjectConvertor
	ctx      context.Context
}

// convert asks the webhook for an object in another version.
func (w *webhooks) convert(ctx context.Context, obj runtime.Object, to schema.GroupVersion) (runtime.Object, error) {
	c, err := w.take()
	if err != nil {
		return nil, err
	}
	defer w.giveBack(c)
	c.ctx = flow.Calling(ctx, flow.Caller{Kind: flow.ConversionCall, Name: w.crd.Name})
	err = budget.Away(ctx, func() error {
		obj, err = c.official.ConvertToVersion(obj, to)
		return err
	})
	return obj, err
}

// take returns an unused converter.
func (w *webhooks) take() (*converter, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.free); n > 0 {
		c := w.free[n-1]
		w.free = w.free[:n-1]
		return c, nil
	}
	return newConverter(w.crd, w.way)
}

func (w *webhooks) giveBack(c *converter) {
	c.ctx = nil
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, c)
}

func newConverter(crd *apiextensionsv1.CustomResourceDefinition, way calls.Way) (*converter, error) {
	c := &converter{way: way}
	factory, err := conversion.NewCRConverterFactory(way.Services, c.record)
	if err != nil {
		return nil, fmt.Errorf("make a client of the conversion webhook of %s: %w", crd.Name, err)
	}
	if _, c.official, err = factory.NewConverter(crd); err != nil {
		return nil, fmt.Errorf("make a client of the conversion webhook of %s: %w", crd.Name, err)
	}
	return c, nil
}

// record notes the client's requests as calls of the flow that it works for, and bounds the answers.
func (c *converter) record(next webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	return c.way.Through(next, func(next http.RoundTripper) http.RoundTripper {
		return working{c, calls.Whole{Next: next}}
	})
}

// working is a transport that sends requests on behalf of the request that its converter works for.
type working struct {
	of   *converter
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper. It returns once the answer is read, or when the request that it is for ends.
func (w working) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(flow.Beside(r.Context(), w.of.ctx))
	defer cancel()
	defer context.AfterFunc(w.of.ctx, cancel)()
	return flow.Transport{Next: w.next}.RoundTrip(r.WithContext(ctx))
}

// WrappedRoundTripper fulfils net.RoundTripperWrapper of k8s.io/apimachinery.
func (w working) WrappedRoundTripper() http.RoundTripper { return w.next }
