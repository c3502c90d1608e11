package registry

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
	"kubarium/server/tokens"
)

var tokenRequestKind = authenticationv1.SchemeGroupVersion.WithKind("TokenRequest")

// TokenRequests is the row of TokenRequest, which is created through the subresource token of a ServiceAccount.
var TokenRequests = kinds.Unstored(tokenRequestKind, "serviceaccounts", "serviceaccount", true)

// RequestToken makes a token for the ServiceAccount that the question's target names. A dry run makes one too: it
// changes nothing.
func (r *Registry) RequestToken(ctx context.Context, q Question) (runtime.Object, error) {
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
	request.Name = account.GetName()
	now := r.Now().UTC()
	request.CreationTimestamp = metav1.NewTime(now)
	request.Status = authenticationv1.TokenRequestStatus{}
	if len(request.Spec.Audiences) == 0 {
		request.Spec.Audiences = []string{tokens.URL}
	}
	if errs := validateTokenRequest(request.Spec); len(errs) > 0 {
		return nil, apierrors.NewInvalid(tokenRequestKind.GroupKind(), "", errs)
	}
	if err := admit(); err != nil {
		return nil, err
	}
	bound, err := r.bound(ctx, q, request.Spec.BoundObjectRef)
	if err != nil {
		return nil, err
	}
	bound.ServiceAccount = tokens.Reference{Name: q.Name, UID: string(account.GetUID())}
	token, err := q.Tokens.Sign(claimsOf(request.Spec, bound, now))
	if err != nil {
		return nil, err
	}
	request.Status.Token = token
	request.Status.ExpirationTimestamp = metav1.NewTime(now.Add(lifetime(request.Spec)))
	return request, nil
}

// lifetime is how long a token is asked to live; the defaults have set it.
func lifetime(s authenticationv1.TokenRequestSpec) time.Duration {
	return time.Duration(*s.ExpirationSeconds) * time.Second
}

func claimsOf(s authenticationv1.TokenRequestSpec, bound tokens.Kubernetes, now time.Time) tokens.Claims {
	return tokens.Claims{
		Audience: s.Audiences, Expiry: now.Add(lifetime(s)).Unix(), IssuedAt: now.Unix(), NotBefore: now.Unix(),
		ID: string(uuid.NewUUID()), Kubernetes: bound, Subject: accountName(bound.Namespace, bound.ServiceAccount.Name),
	}
}

// The shortest and the longest life that a token may ask for, in seconds.
const (
	minTokenSeconds = 10 * 60
	maxTokenSeconds = 1 << 32
)

var specPath = field.NewPath("spec")

func validateTokenRequest(s authenticationv1.TokenRequestSpec) field.ErrorList {
	path := specPath.Child("expirationSeconds")
	switch seconds := *s.ExpirationSeconds; {
	case seconds < minTokenSeconds:
		return field.ErrorList{field.Invalid(path, seconds, "may not specify a duration less than 10 minutes")}
	case seconds > maxTokenSeconds:
		return field.ErrorList{field.Invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")}
	case len(s.Attestations) > 0: // only tokens for webhooks say more, and those are bound to none of our kinds
		return field.ErrorList{field.Invalid(specPath.Child("attestations"), s.Attestations, "attestations may only be specified with a webhook bound object reference")}
	}
	return nil
}

// bound looks up the object that a token is to live with.
func (r *Registry) bound(ctx context.Context, q Question, ref *authenticationv1.BoundObjectReference) (tokens.Kubernetes, error) {
	k := tokens.Kubernetes{Namespace: q.Namespace}
	if ref == nil {
		return k, nil
	}
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	find := map[schema.GroupKind]func(context.Context, Question, string, *tokens.Kubernetes) (metav1.Object, error){
		{Kind: "Pod"}: r.boundPod, {Kind: "Secret"}: r.boundSecret, {Kind: "Node"}: r.boundNode,
	}[gvk.GroupKind()]
	if find == nil {
		return k, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token to object of type %s", gvk.String()))
	}
	obj, err := find(ctx, q, ref.Name, &k)
	if err != nil {
		return k, err
	}
	if ref.UID != "" && ref.UID != obj.GetUID() {
		return k, apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, ref.Name, fmt.Errorf(
			"the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID))
	}
	return k, nil
}

// boundPod binds to a pod, and tells the node that it runs on.
func (r *Registry) boundPod(ctx context.Context, q Question, name string, k *tokens.Kubernetes) (metav1.Object, error) {
	obj, err := r.lookUp(ctx, "pods", q.Namespace, name)
	if err != nil {
		return nil, err
	}
	pod := obj.(*corev1.Pod)
	if pod.Spec.ServiceAccountName != q.Name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", q.Name))
	}
	k.Pod = reference(pod)
	if pod.Spec.NodeName == "" {
		return pod, nil
	}
	node, err := r.lookUp(ctx, "nodes", "", pod.Spec.NodeName)
	switch {
	case apierrors.IsNotFound(err):
		k.Node = &tokens.Reference{Name: pod.Spec.NodeName}
	case err != nil:
		return nil, apierrors.NewInternalError(err)
	default:
		k.Node = reference(node)
	}
	return pod, nil
}

func (r *Registry) boundSecret(ctx context.Context, q Question, name string, k *tokens.Kubernetes) (metav1.Object, error) {
	secret, err := r.lookUp(ctx, "secrets", q.Namespace, name)
	if err == nil {
		k.Secret = reference(secret)
	}
	return secret, err
}

func (r *Registry) boundNode(ctx context.Context, _ Question, name string, k *tokens.Kubernetes) (metav1.Object, error) {
	node, err := r.lookUp(ctx, "nodes", "", name)
	if err == nil {
		k.Node = reference(node)
	}
	return node, err
}

func reference(m metav1.Object) *tokens.Reference {
	return &tokens.Reference{Name: m.GetName(), UID: string(m.GetUID())}
}
