package server

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"

	"kubarium/codecs"
	"kubarium/server/answer"
	"kubarium/server/features"
)

// serveDelete answers with a Status, or with the object where it is not gone yet or its kind has it returned.
func (s *Server) serveDelete(q *Request) (*answer.Answer, error) {
	if err := q.Negotiate(q.objects()); err != nil {
		return nil, err
	}
	o, err := s.deleteOptions(q)
	if err != nil {
		return nil, err
	}
	if unsafe(o) {
		q.out.Audit.Annotate("apiserver.k8s.io/unsafe-delete-ignore-read-error", "")
		if err := s.authorizeUnsafe(q); err != nil {
			return nil, err
		}
	}
	q.warnOrphans(o)
	d, err := s.o.Registry.Delete(q.Context(), q.Target, o, q.asker())
	if err != nil {
		return nil, err
	}
	if d.Damaged {
		return q.damagedDeleted(), nil
	}
	status := http.StatusOK
	if !d.Deleted && o.OrphanDependents != nil && !*o.OrphanDependents {
		status = http.StatusAccepted
	}
	if !d.Deleted || q.Target.Kind.ReturnDeletedObject && d.Record.Value != nil {
		return q.record(d.Record).Code(status), nil
	}
	return &answer.Answer{Status: status, Object: &metav1.Status{
		TypeMeta: answer.StatusType, Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{Name: q.Target.Name, Group: q.Target.Kind.Group, Kind: q.Target.Kind.Resource, UID: d.UID},
	}}, nil
}

// warnOrphans warns a client that does not mention dependents, where these are orphaned by default.
func (q *Request) warnOrphans(o metav1.DeleteOptions) {
	if text := q.Target.Kind.OrphansWarning; text != "" && o.PropagationPolicy == nil && o.OrphanDependents == nil {
		q.Warn(text)
	}
}

// deleteOptions reads the options of a deletion, from the body if there is one, else from the query.
func (s *Server) deleteOptions(q *Request) (metav1.DeleteOptions, error) {
	var o metav1.DeleteOptions
	body, err := q.readBody()
	if err != nil {
		return o, err
	}
	if len(body) == 0 {
		err = q.Parameters(&o)
	} else {
		err = decodeDeleteOptions(q, body, &o)
	}
	if err != nil {
		return o, err
	}
	if !q.Features.Enabled(features.AllowUnsafeMalformedObjectDeletion) {
		o.IgnoreStoreReadErrorWithClusterBreakingPotential = nil
	}
	return o, invalidOptions("DeleteOptions", validation.ValidateDeleteOptions(&o))
}

func decodeDeleteOptions(q *Request, body []byte, o *metav1.DeleteOptions) error {
	c, err := codecs.ContentType(q.Header.Get("Content-Type"), q.Offer(codecs.Offer{}))
	if err != nil {
		return err
	}
	if err := c.Bound(body, o); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	info, _ := runtime.SerializerInfoForMediaType(metaCodecs.SupportedMediaTypes(), c.MediaType)
	want := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	_, gvk, err := metaCodecs.DecoderToVersion(info.Serializer, want.GroupVersion()).Decode(body, &want, o)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	q.out.Audit.Options(o, gvk.GroupVersion(), q.place())
	return nil
}

// metaCodecs read options in every encoding. Whatever group version a body names, its DeleteOptions are those of
// meta.k8s.io/v1.
var metaCodecs = serializer.NewCodecFactory(
	metainternalscheme.Scheme, serializer.WithSerializer(cbor.NewSerializerInfo),
)
