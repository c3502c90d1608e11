package server

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/codecs"
	"kubarium/server/kinds"
	"kubarium/server/objects"
)

// readWrite reads what a create or an update is made of: the form of its answer, its options, its object.
func (q *Request) readWrite(options func() (writing, error), decode func(codecs.Validation) (runtime.Object, error)) (runtime.Object, writing, error) {
	if err := q.Negotiate(q.objects()); err != nil {
		return nil, writing{}, err
	}
	if q.Method == http.MethodPost { // the type of a new object is looked at before the options, that of a changed one after them
		if _, err := q.bodyCodec(); err != nil {
			return nil, writing{}, err
		}
	}
	o, err := options()
	if err != nil {
		return nil, o, err
	}
	obj, err := decode(o.validation)
	if err == nil {
		q.auditObject(obj)
	}
	return obj, o, err
}

// decode reads the body as an object of the target's kind, in whichever form it came, with its defaults.
func (q *Request) decode(v codecs.Validation) (runtime.Object, error) {
	k := q.Target.Kind
	obj, err := q.decodeCoerced(k.New(), k.GroupVersionKind, v, k.Coerce)
	if err != nil {
		return nil, err
	}
	q.Flow.Enter("default")
	k.Default(obj)
	q.Flow.Leave("", nil)
	return obj, nil
}

// decodeInternal reads the body likewise, and makes its internal form, in which the registry takes it.
func (q *Request) decodeInternal(v codecs.Validation) (runtime.Object, error) {
	obj, err := q.decode(v)
	if err != nil {
		return nil, err
	}
	return q.Target.Kind.Internal(obj)
}

// bodyCodec is the one in which the body is by its Content-Type.
func (q *Request) bodyCodec() (*codecs.Codec, error) {
	return codecs.ContentType(q.Header.Get("Content-Type"), q.Offer(codecs.Offer{}))
}

// decodeKind reads the body as an object of a kind that has a Go type.
func (q *Request) decodeKind(into runtime.Object, want schema.GroupVersionKind, v codecs.Validation) (runtime.Object, error) {
	return q.decodeCoerced(into, want, v, nil)
}

// decodeCoerced reads the body as an object of one kind.
func (q *Request) decodeCoerced(into runtime.Object, want schema.GroupVersionKind, v codecs.Validation, coerce codecs.Coercion) (obj runtime.Object, err error) {
	if err := q.Flow.Before(q.Context(), "decode"); err != nil {
		return nil, err
	}
	q.Flow.Enter("decode")
	defer func() { q.Flow.Leave(fmt.Sprintf("%d B", q.Flow.Flow.RequestBody.Total), err) }()
	codec, err := q.bodyCodec()
	if err != nil {
		return nil, err
	}
	body, err := q.readBody()
	if err != nil {
		return nil, err
	}
	obj, gvk, warnings, err := codec.DecodeCoerced(body, want, into, v, coerce)
	var refused apierrors.APIStatus
	if errors.As(err, &refused) {
		return nil, err // the object was read, and is too much work to complete
	}
	if other := (*codecs.UnconvertibleError)(nil); errors.As(err, &other) {
		err = otherKind(want, other)
		for _, w := range warnings {
			if err == nil {
				q.Warn(w)
			}
		}
	}
	if err != nil {
		return nil, codecs.DecodeError(err, gvk, want.Kind, body)
	}
	if gvk.GroupVersion() != want.GroupVersion() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", gvk.GroupVersion(), want.GroupVersion()))
	}
	for _, w := range warnings {
		q.Warn(w)
	}
	q.sent(obj)
	return obj, nil
}

// otherKind is why a body of another kind is refused: it does not become the internal form of this one. nil says that
// it does, as another version of the kind; then its version is refused.
func otherKind(want schema.GroupVersionKind, e *codecs.UnconvertibleError) error {
	internal, err := kinds.Internal(want)
	switch {
	case err != nil:
		return e // of a custom resource, or a kind that has no internal form
	case kinds.SameInternal(e.From, internal):
		return nil
	}
	return &codecs.UnconvertibleError{From: e.From, To: internal}
}

// sent notes which version the client's object names.
func (q *Request) sent(obj runtime.Object) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	if rev, err := objects.ParseRevision(m.GetResourceVersion()); err == nil {
		q.Flow.Flow.SentRevision = int64(rev)
	}
}
