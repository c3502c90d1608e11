package kinds

import (
	"context"
	"fmt"

	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/mutatingadmissionpolicybinding"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicy"
	"k8s.io/kubernetes/pkg/registry/admissionregistration/validatingadmissionpolicybinding"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// validatingPolicy is the row of ValidatingAdmissionPolicy.
func validatingPolicy() *Kind {
	strategy := validatingadmissionpolicy.NewStrategy(nil, nil)
	k := row{
		gvk:      gvk("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"),
		resource: "validatingadmissionpolicies", singular: "validatingadmissionpolicy", categories: extensions,
		strategy: resetting{authorizing{strategy: strategy, of: validatingPolicyStrategy}, strategy.GetResetFields},
		status:   validatingadmissionpolicy.NewStatusStrategy(strategy),
	}.kind()
	k.StatusCreates = true
	return k
}

// resetting is authorizing for a strategy that leaves fields alone.
type resetting struct {
	authorizing
	fields func() map[fieldpath.APIVersion]*fieldpath.Set
}

// GetResetFields fulfils rest.ResetFieldsStrategy.
func (s resetting) GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set { return s.fields() }

func validatingPolicyStrategy(ctx context.Context) strategy {
	return validatingadmissionpolicy.NewStrategy(authorizerInContext{}, resolverOf(ctx))
}

func validatingBindingStrategy(ctx context.Context) strategy {
	return validatingadmissionpolicybinding.NewStrategy(authorizerInContext{}, policiesInContext{}, resolverOf(ctx))
}

func mutatingPolicyStrategy(ctx context.Context) strategy {
	return mutatingadmissionpolicy.NewStrategy(authorizerInContext{}, resolverOf(ctx))
}

func mutatingBindingStrategy(ctx context.Context) strategy {
	return mutatingadmissionpolicybinding.NewStrategy(authorizerInContext{}, policiesInContext{}, resolverOf(ctx))
}

// policiesInContext reads the policy of a binding by the request's context: a user who binds it must be allowed to read
// its parameters.
type policiesInContext struct{}

// GetValidatingAdmissionPolicy fulfils validatingadmissionpolicybinding.PolicyGetter.
func (policiesInContext) GetValidatingAdmissionPolicy(ctx context.Context, name string) (*admissionregistration.ValidatingAdmissionPolicy, error) {
	return policyInContext[*admissionregistration.ValidatingAdmissionPolicy](ctx, "validatingadmissionpolicies", name)
}

// GetMutatingAdmissionPolicy fulfils mutatingadmissionpolicybinding.PolicyGetter.
func (policiesInContext) GetMutatingAdmissionPolicy(ctx context.Context, name string) (*admissionregistration.MutatingAdmissionPolicy, error) {
	return policyInContext[*admissionregistration.MutatingAdmissionPolicy](ctx, "mutatingadmissionpolicies", name)
}

func policyInContext[T any](ctx context.Context, resource, name string) (policy T, err error) {
	get := attributesOf(ctx).Get
	if get == nil {
		return policy, fmt.Errorf("get policy %s: the request has no way to it", name)
	}
	obj, err := get(ctx, resource+".admissionregistration.k8s.io", name)
	if err != nil {
		return policy, err
	}
	return obj.(T), nil
}
