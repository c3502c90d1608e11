package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"kubarium/server/storage"
	"kubarium/server/tokens"
)

// identityReviews are the rows of authentication.k8s.io.
func identityReviews() []*Virtual {
	group := authenticationv1.SchemeGroupVersion
	self := review(group.WithKind("SelfSubjectReview"), false)
	self.answer = reviewIdentity
	token := review(group.WithKind("TokenReview"), false)
	token.answer = reviewToken
	return []*Virtual{self, token}
}

// pathNames are plural and singular of a kind whose plural is regular.
func pathNames(gvk schema.GroupVersionKind) (plural, singular string) {
	singular = strings.ToLower(gvk.Kind)
	return singular + "s", singular
}

// reviewIdentity tells who asks.
func reviewIdentity(_ context.Context, r *Registry, q Question) (runtime.Object, error) {
	review := &authenticationv1.SelfSubjectReview{Status: authenticationv1.SelfSubjectReviewStatus{UserInfo: q.User}}
	review.CreationTimestamp = metav1.NewTime(r.Now().UTC())
	review.SetGroupVersionKind(q.Target.Kind.GroupVersionKind)
	return review, nil
}

// reviewToken tells whose a token is.
func reviewToken(ctx context.Context, r *Registry, q Question) (runtime.Object, error) {
	review := q.Object.(*authenticationv1.TokenReview)
	if review.Spec.Token == "" {
		return nil, apierrors.NewBadRequest("token is required for TokenReview in authentication")
	}
	review.Status = authenticationv1.TokenReviewStatus{}
	user, audiences, err := r.authenticate(ctx, q.Tokens, review.Spec)
	switch {
	case errors.Is(err, tokens.ErrForeign):
		review.Status.Error = "invalid bearer token"
	case err != nil:
		review.Status.Error = fmt.Sprintf("[invalid bearer token, %v]", err)
	default:
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: user, Audiences: audiences}
	}
	return review, nil
}

// authenticate finds the ServiceAccount that a token stands for, if it and what the token is bound to still exist.
func (r *Registry) authenticate(ctx context.Context, issuer *tokens.Issuer, spec authenticationv1.TokenReviewSpec) (authenticationv1.UserInfo, []string, error) {
	claims, err := issuer.Read(spec.Token, r.Now())
	if err != nil {
		return authenticationv1.UserInfo{}, nil, err
	}
	wanted := spec.Audiences
	if len(wanted) == 0 {
		wanted = []string{tokens.URL}
	}
	both := slices.DeleteFunc(slices.Clone(claims.Audience), func(a string) bool { return !slices.Contains(wanted, a) })
	if len(both) == 0 {
		return authenticationv1.UserInfo{}, nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", claims.Audience, wanted)
	}
	if err := r.checkBound(ctx, claims.Kubernetes); err != nil {
		return authenticationv1.UserInfo{}, nil, err
	}
	return userOf(claims), both, nil
}

// errInvalidated says that what a token was bound to is gone.
var errInvalidated = errors.New("service account token has been invalidated")

// checkBound looks up what a token depends on.
func (r *Registry) checkBound(ctx context.Context, k tokens.Kubernetes) error {
	account, err := r.lookUp(ctx, "serviceaccounts", k.Namespace, k.ServiceAccount.Name)
	if err != nil {
		return err
	}
	if uid := string(account.GetUID()); uid != k.ServiceAccount.UID {
		return fmt.Errorf("service account UID (%s) does not match claim (%s)", uid, k.ServiceAccount.UID)
	}
	if err := r.checkReference(ctx, "secrets", k.Namespace, k.Secret); err != nil {
		return err
	}
	if k.Pod != nil {
		return r.checkReference(ctx, "pods", k.Namespace, k.Pod) // its node is told, and may be gone
	}
	return r.checkReference(ctx, "nodes", "", k.Node)
}

func (r *Registry) checkReference(ctx context.Context, resource, namespace string, ref *tokens.Reference) error {
	if ref == nil {
		return nil
	}
	obj, err := r.lookUp(ctx, resource, namespace, ref.Name)
	if err != nil {
		return errInvalidated
	}
	if uid := string(obj.GetUID()); uid != ref.UID {
		kind := strings.TrimSuffix(resource, "s")
		return fmt.Errorf("%s UID (%s) does not match service account %s ref claim (%s)", kind, uid, kind, ref.UID)
	}
	return nil
}

// lookUp reads an object of a built-in kind as it is now, in its served form.
func (r *Registry) lookUp(ctx context.Context, resource, namespace, name string) (metav1.Object, error) {
	t := Target{Kind: r.Catalogue.Stored(resource), Namespace: namespace, Name: name}
	found, _, err := r.Cache.Get(ctx, t.key(), 0)
	if err != nil {
		return nil, interpret(err, t)
	}
	obj, err := DecodeServed(t.Kind, storage.Record{Key: found.Key, Revision: found.Revision, Value: found.Value})
	if err != nil {
		return nil, err
	}
	return access(obj), nil
}

// The keys under which an identity tells what its token is bound to.
const (
	extraCredential = "authentication.kubernetes.io/credential-id"
	extraNodeName   = "authentication.kubernetes.io/node-name"
	extraNodeUID    = "authentication.kubernetes.io/node-uid"
	extraPodName    = "authentication.kubernetes.io/pod-name"
	extraPodUID     = "authentication.kubernetes.io/pod-uid"
)

// userOf is the identity that a token gives.
func userOf(c tokens.Claims) authenticationv1.UserInfo {
	k := c.Kubernetes
	user := authenticationv1.UserInfo{
		Username: accountName(k.Namespace, k.ServiceAccount.Name), UID: k.ServiceAccount.UID,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + k.Namespace, "system:authenticated"},
		Extra:  map[string]authenticationv1.ExtraValue{extraCredential: {"JTI=" + c.ID}},
	}
	tell := func(key, value string) {
		if value != "" {
			user.Extra[key] = authenticationv1.ExtraValue{value}
		}
	}
	if k.Pod != nil {
		tell(extraPodName, k.Pod.Name)
		tell(extraPodUID, k.Pod.UID)
	}
	if k.Node != nil {
		tell(extraNodeName, k.Node.Name)
		tell(extraNodeUID, k.Node.UID)
	}
	return user
}

// accountName is what a ServiceAccount is called as a user.
func accountName(namespace, name string) string {
	return "system:serviceaccount:" + namespace + ":" + name
}
