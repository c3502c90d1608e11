package audit

import (
	"context"
	"fmt"
	"net/http"

	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	official "k8s.io/apiserver/pkg/audit"

	"kubarium/server/kinds"
)

// An Event is the entry of one request in the Log, sent there once for each stage that it reaches. All methods may be
// called on a nil Event, which is that of a request that the policy does not want.
type Event struct {
	ctx         context.Context
	official    *official.AuditContext
	longRunning bool // it has a stage of its own for the beginning of the answer
	ended       bool // nothing more is logged except the beginning of the answer, if that has yet to come
	begun       bool // the answer has
}

// Annotate adds an annotation.
func (e *Event) Annotate(key, value string) {
	if e != nil {
		official.AddAuditAnnotation(e.ctx, key, value)
	}
}

// The annotations that every event has of the decision whether its request is allowed.
const (
	decision = "authorization.k8s.io/decision"
	reason   = "authorization.k8s.io/reason"
)

// Decided notes whether a request was allowed, and why. It needs the request's context alone, and does nothing for
// one that is not audited: its flow has that at the station.
func Decided(ctx context.Context, allowed bool, why string) {
	word := "forbid"
	if allowed {
		word = "allow"
	}
	if audited(ctx) {
		official.AddAuditAnnotations(ctx, decision, word, reason, why)
	}
}

// Undecided notes that no authorizer could say whether a request is allowed.
func Undecided(ctx context.Context) {
	if audited(ctx) {
		official.AddAuditAnnotation(ctx, reason, "internal error")
	}
}

func audited(ctx context.Context) bool {
	ac := official.AuditContextFrom(ctx)
	return ac != nil && ac.GetEventLevel() != ""
}

// A Place is where a request's object belongs.
type Place struct {
	schema.GroupVersionResource
	Subresource string
}

// asTheyAre encodes objects in the version that they are in, also those that have no Go type.
var asTheyAre = kinds.Codecs.WithoutConversion()

func encodings(obj runtime.Object) runtime.NegotiatedSerializer {
	if _, ok := obj.(runtime.Unstructured); ok {
		return asTheyAre
	}
	return kinds.Codecs
}

// Request notes the object that the client sent, with its defaults, in this version.
func (e *Event) Request(obj runtime.Object, as schema.GroupVersion, at Place) {
	if e != nil {
		official.LogRequestObject(e.ctx, obj, as, at.GroupVersionResource, at.Subresource, encodings(obj))
	}
}

// Options notes the options that the client sent as the body of a deletion.
func (e *Event) Options(o *metav1.DeleteOptions, as schema.GroupVersion, at Place) {
	if e != nil {
		official.LogRequestObject(e.ctx, o, as, at.GroupVersionResource, at.Subresource, metainternalscheme.Codecs)
	}
}

// Patch notes the patch that the client sent, which makes its JSON.
func (e *Event) Patch(text func() ([]byte, error)) {
	if e == nil || e.official.GetEventLevel().Less(auditinternal.LevelRequest) {
		return
	}
	if patch, err := text(); err == nil { // else it is refused
		e.official.LogRequestPatch(patch)
	}
}

// Response notes the object that the client is answered with, which is made where it is wanted.
func (e *Event) Response(obj func() (runtime.Object, error)) {
	if e == nil || e.official.GetEventLevel().Less(auditinternal.LevelRequestResponse) {
		return
	}
	if obj, err := obj(); err == nil { // else the client is answered with that
		official.LogResponseObject(e.ctx, obj, obj.GetObjectKind().GroupVersionKind().GroupVersion(), asTheyAre)
	}
}

// Status notes the Status that the client is answered with.
func (e *Event) Status(status *metav1.Status) {
	if e != nil {
		official.LogResponseObject(e.ctx, status, schema.GroupVersion{Version: "v1"}, asTheyAre)
	}
}

// Begins notes that the answer begins, with which code. Only the first call counts.
func (e *Event) Begins(code int) {
	if e == nil || e.begun {
		return
	}
	e.begun = true
	e.official.SetEventResponseStatusCode(int32(code))
	if e.longRunning {
		e.official.ProcessEventStage(e.ctx, auditinternal.StageResponseStarted)
	}
}

// Panic ends the event of a request that brought its goroutine down with this value.
func (e *Event) Panic(value any) {
	if e == nil {
		return
	}
	e.begun, e.ended = true, true
	e.official.SetEventResponseStatus(&metav1.Status{
		Code: http.StatusInternalServerError, Status: metav1.StatusFailure, Reason: metav1.StatusReasonInternalError,
		Message: fmt.Sprintf("APIServer panic'd: %v", value),
	})
	e.official.ProcessEventStage(e.ctx, auditinternal.StagePanic)
}

// Complete ends the event.
func (e *Event) Complete() {
	if e == nil || e.ended {
		return
	}
	if e.official.GetEventResponseStatus() == nil { // nothing was written
		e.official.SetEventResponseStatus(&metav1.Status{Code: http.StatusOK, Status: metav1.StatusSuccess, Message: "Connection closed early"})
		if e.longRunning {
			e.official.ProcessEventStage(e.ctx, auditinternal.StageResponseStarted)
		}
	}
	e.official.ProcessEventStage(e.ctx, auditinternal.StageResponseComplete)
}
