package admission

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"k8s.io/apiserver/pkg/admission"

	"kubarium/flow"
)

// parts are the opinions of one plugin's webhooks about one request.
type parts struct {
	of    *marked
	flow  *flow.Recorder
	calls int // that the request had made before

	mu       sync.Mutex // webhooks are asked in parallel
	webhooks []*asked
}

// asked is one question to a webhook.
type asked struct {
	name, by, uid string
	length        time.Duration
}

// listen returns a context that records questions to webhooks, and the record; nil for a plugin that asks none.
//
// The dispatchers of webhooks begin a span of a trace for each question, whose attributes name the webhook, and send
// the request with the span's context. So they get a tracer that remembers these attributes and traces nothing.
func (m *marked) listen(ctx context.Context, f *flow.Recorder) (context.Context, *parts) {
	if m.hooks == nil {
		return ctx, nil
	}
	p := &parts{of: m, flow: f, calls: len(f.Calls())}
	return trace.ContextWithSpan(ctx, span{of: p}), p
}

// tracer fulfils trace.TracerProvider and trace.Tracer.
type tracer struct {
	noop.TracerProvider
	of *parts
}

// Tracer fulfils trace.TracerProvider.
func (t tracer) Tracer(string, ...trace.TracerOption) trace.Tracer { return spans{of: t.of} }

type spans struct {
	noop.Tracer
	of *parts
}

// Start fulfils trace.Tracer.
func (s spans) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if name != "Call mutating webhook" && name != "Call validating webhook" {
		return ctx, span{of: s.of}
	}
	q := &asked{}
	config := trace.NewSpanStartConfig(options...)
	for _, a := range config.Attributes() {
		switch a.Key {
		case "webhook":
			q.name = a.Value.AsString()
		case "configuration":
			q.by = a.Value.AsString()
		case "UID":
			q.uid = a.Value.AsString()
		}
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.webhooks = append(s.of.webhooks, q)
	ctx = flow.Calling(ctx, flow.Caller{Kind: flow.WebhookCall, Name: q.name, By: q.by})
	return ctx, span{of: s.of, asked: q, began: s.of.flow.Elapsed()}
}

type span struct {
	noop.Span
	of    *parts
	asked *asked // nil for the span around all
	began time.Duration
}

// TracerProvider fulfils trace.Span.
func (s span) TracerProvider() trace.TracerProvider { return tracer{of: s.of} }

// End fulfils trace.Span.
func (s span) End(...trace.SpanEndOption) {
	if s.asked == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.asked.length = s.of.flow.Elapsed() - s.began
}

// opinions are the answers of all webhooks, in the order of the questions; refusal is the error of the plugin.
func (p *parts) opinions(a admission.Attributes, o admission.ObjectInterfaces, refusal error) []flow.Opinion {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Concat(p.answers(), p.skipped(a, o, refusal))
}
