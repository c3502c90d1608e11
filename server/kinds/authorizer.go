package kinds

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/resolver"
)

// authorizerInContext asks the authorizer in the request's context. Strategies get it where their rules need a further
// right: to sign for a signer, to bind a claim, to read the parameters of a policy.
type authorizerInContext struct{}

// Authorize fulfils authorizer.UnconditionalAuthorizer.
func (authorizerInContext) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	if asked := attributesOf(ctx).Authorizer; asked != nil {
		return asked.Authorize(ctx, a)
	}
	return authorizer.DecisionAllow, "", nil
}

// strategy is what all built-in kinds have that ask for rights.
type strategy interface {
	Strategy
	rest.DeclarativeValidationStrategy
}

// authorizing is a strategy that is made for the checks of each request, since official code has no other way to pass
// it the kinds that are served.
type authorizing struct {
	strategy
	of func(ctx context.Context) strategy
}

// Validate fulfils rest.RESTCreateStrategy.
func (s authorizing) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	return s.of(ctx).Validate(ctx, obj)
}

// ValidateUpdate fulfils rest.RESTUpdateStrategy.
func (s authorizing) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	return s.of(ctx).ValidateUpdate(ctx, obj, old)
}

// resolverOf finds the resource of a kind by the request's context.
func resolverOf(ctx context.Context) resolver.ResourceResolver {
	return resolver.ResourceResolverFunc(func(of schema.GroupVersionKind) (schema.GroupVersionResource, error) {
		if find := attributesOf(ctx).Resource; find != nil {
			return find(of)
		}
		return schema.GroupVersionResource{}, &meta.NoKindMatchError{GroupKind: of.GroupKind(), SearchedVersions: []string{of.Version}}
	})
}
