package registry

import (
	"context"
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/authn"
	"kubarium/server/kinds"
	"kubarium/server/objects"
)

var tokenRequestKind = authenticationv1.SchemeGroupVersion.WithKind("TokenRequest")

// TokenRequests is the row of TokenRequest, which is created through the subresource token of a ServiceAccount.
var TokenRequests = kinds.Unstored(tokenRequestKind, "serviceaccounts", "serviceaccount", true)

// RequestToken makes a token for the ServiceAccount that the question's target names. A dry run makes one too: it
// changes nothing.
func (r *Registry) RequestToken(ctx context.Context, q Question) (runtime.Object, error) {
	uid := objects.Meta(q.Object).GetUID() // one that is sent must be the account's
	if err := r.receive(&q); err != nil {
		return nil, err
	}
	asked := Target{Kind: r.Catalogue.Stored("serviceaccounts"), Subresource: "token", Namespace: q.Namespace, Name: q.Name}
	admit, err := r.mutateAction(ctx, asked, q.Object, q.WriteOptions)
	if err != nil {
		return nil, err
	}
	request := q.Object.(*authenticationv1.TokenRequest)
	if request.Name != "" && request.Name != q.Name {
		return nil, apierrors.NewInvalid(tokenRequestKind.GroupKind(), q.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "name"), request.Name, "must match the service account name if specified"),
		})
	}
	account, err := r.lookUp(ctx, "serviceaccounts", q.Namespace, q.Name)
	if err != nil {
		return nil, err
	}
	if uid != "" && uid != account.GetUID() {
		return nil, apierrors.NewConflict(schema.GroupResource{Group: tokenRequestKind.Group, Resource: tokenRequestKind.Kind}, q.Name, fmt.Errorf(
			"the UID in the token request (%s) does not match the UID of the service account (%s)", uid, account.GetUID()))
	}
	now := r.Now().UTC()
	request.Name, request.Namespace, request.UID = account.GetName(), account.GetNamespace(), account.GetUID()
	request.CreationTimestamp = metav1.NewTime(now)
	tokens := q.Authn.Tokens()
	if err := tokens.Check(request); err != nil {
		return nil, err
	}
	if err := admit(); err != nil {
		return nil, err
	}
	bound, err := r.bound(ctx, q, request.Spec.BoundObjectRef)
	if err != nil {
		return nil, err
	}
	bound.Account = account
	if text := tokens.Shorten(request); text != "" && q.Warn != nil {
		q.Warn(text)
	}
	return request, tokens.Sign(ctx, request, bound, now)
}

// bound looks up the object that a token is to live with.
func (r *Registry) bound(ctx context.Context, q Question, ref *authenticationv1.BoundObjectReference) (authn.Bound, error) {
	var b authn.Bound
	if ref == nil {
		return b, nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	find := map[schema.GroupKind]func(context.Context, Question, string, *authn.Bound) (metav1.Object, error){
		{Kind: "Pod"}: r.boundPod, {Kind: "Secret"}: r.boundSecret, {Kind: "Node"}: r.boundNode,
	}[gvk.GroupKind()]
	if find == nil {
		why := ""
		if gvk.GroupVersion() == admissionregistrationv1.SchemeGroupVersion && strings.HasSuffix(gvk.Kind, "WebhookConfiguration") {
			why = " (feature gate APIServerWebhookAuthenticationToken is disabled)"
		}
		return b, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token to object of type %s%s", gvk.String(), why))
	}
	obj, err := find(ctx, q, ref.Name, &b)
	if err != nil {
		return b, err
	}
	if ref.UID != "" && ref.UID != obj.GetUID() {
		return b, apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, ref.Name, fmt.Errorf(
			"the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	return b, nil
}

// boundPod binds to a pod, and to the node that it runs on.
func (r *Registry) boundPod(ctx context.Context, q Question, name string, b *authn.Bound) (metav1.Object, error) {
	obj, err := r.lookUp(ctx, "pods", q.Namespace, name)
	if err != nil {
		return nil, err
	}
	pod := obj.(*corev1.Pod)
	if pod.Spec.ServiceAccountName != q.Name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", q.Name))
	}
	b.Pod = pod
	if pod.Spec.NodeName == "" {
		return pod, nil
	}
	node, err := r.lookUp(ctx, "nodes", "", pod.Spec.NodeName)
	switch {
	case apierrors.IsNotFound(err):
		b.Node = &metav1.ObjectMeta{Name: pod.Spec.NodeName}
	case err != nil:
		return nil, apierrors.NewInternalError(err)
	default:
		b.Node = node
	}
	return pod, nil
}

func (r *Registry) boundSecret(ctx context.Context, q Question, name string, b *authn.Bound) (metav1.Object, error) {
	secret, err := r.lookUp(ctx, "secrets", q.Namespace, name)
	if err == nil {
		b.Secret = secret
	}
	return secret, err
}

func (r *Registry) boundNode(ctx context.Context, _ Question, name string, b *authn.Bound) (metav1.Object, error) {
	node, err := r.lookUp(ctx, "nodes", "", name)
	if err == nil {
		b.Node = node
	}
	return node, err
}
