package registry

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/kinds"
)

// An Authorizer says who may do what.
type Authorizer interface {
	// Decide tells whether somebody may do what a review asks about, and why.
	Decide(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus
	// Rules lists what one user may do in a namespace.
	Rules(user, namespace string) authorizationv1.SubjectRulesReviewStatus
}

// AlwaysAllow is the authorization mode of that name: everybody may do everything.
type AlwaysAllow struct{}

// Decide fulfils Authorizer.
func (AlwaysAllow) Decide(authorizationv1.SubjectAccessReviewSpec) authorizationv1.SubjectAccessReviewStatus {
	return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
}

// Rules fulfils Authorizer.
func (AlwaysAllow) Rules(string, string) authorizationv1.SubjectRulesReviewStatus {
	all := []string{"*"}
	return authorizationv1.SubjectRulesReviewStatus{
		ResourceRules:    []authorizationv1.ResourceRule{{Verbs: all, APIGroups: all, Resources: all}},
		NonResourceRules: []authorizationv1.NonResourceRule{{Verbs: all, NonResourceURLs: all}},
	}
}

// accessReviews are the rows of authorization.k8s.io.
func accessReviews() []*Virtual {
	return []*Virtual{
		accessReview("LocalSubjectAccessReview", true, reviewLocally),
		accessReview("SelfSubjectAccessReview", false, reviewSelf),
		accessReview("SelfSubjectRulesReview", false, reviewRules),
		accessReview("SubjectAccessReview", false, reviewSubject),
	}
}

// accessReview is one such row. A rule of its answer says what is wrong with a question, for one 422.
func accessReview(kind string, namespaced bool, answer func(Authorizer, Question) (runtime.Object, field.ErrorList, error)) *Virtual {
	row := review(authorizationv1.SchemeGroupVersion.WithKind(kind), namespaced)
	row.answer = func(_ context.Context, r *Registry, q Question) (runtime.Object, error) {
		obj, errs, err := answer(r.authorizer(), q)
		if len(errs) > 0 {
			// The official answer names no kind: its internal objects have none.
			return nil, apierrors.NewInvalid(schema.GroupKind{Group: authorizationv1.GroupName}, "", errs)
		}
		return obj, err
	}
	return row
}

// review is a row that has names and types, and no answer yet.
func review(gvk schema.GroupVersionKind, namespaced bool) *Virtual {
	plural, singular := pathNames(gvk)
	return &Virtual{Kind: kinds.Unstored(gvk, plural, singular, namespaced)}
}

func (r *Registry) authorizer() Authorizer {
	if r.Authorizer == nil {
		return AlwaysAllow{}
	}
	return r.Authorizer
}

func reviewSubject(a Authorizer, q Question) (runtime.Object, field.ErrorList, error) {
	review := q.Object.(*authorizationv1.SubjectAccessReview)
	errs := append(validateSubject(review.Spec), validateNoMetadata(review.ObjectMeta)...)
	if len(errs) == 0 {
		review.Status = a.Decide(review.Spec)
	}
	return review, errs, nil
}

func reviewLocally(a Authorizer, q Question) (runtime.Object, field.ErrorList, error) {
	review := q.Object.(*authorizationv1.LocalSubjectAccessReview)
	errs := append(validateSubject(review.Spec), validateLocality(review)...)
	if len(errs) == 0 {
		review.Status = a.Decide(review.Spec)
	}
	return review, errs, nil
}

func reviewSelf(a Authorizer, q Question) (runtime.Object, field.ErrorList, error) {
	review := q.Object.(*authorizationv1.SelfSubjectAccessReview)
	spec := authorizationv1.SubjectAccessReviewSpec{
		ResourceAttributes: review.Spec.ResourceAttributes, NonResourceAttributes: review.Spec.NonResourceAttributes,
		User: q.User.Username, Groups: q.User.Groups, UID: q.User.UID,
	}
	errs := append(validateAttributes(spec), validateSelectors(spec.ResourceAttributes)...)
	errs = append(errs, validateNoMetadata(review.ObjectMeta)...)
	if len(errs) == 0 {
		review.Status = a.Decide(spec)
	}
	return review, errs, nil
}

// reviewRules answers with the rules alone: the question is not repeated.
func reviewRules(a Authorizer, q Question) (runtime.Object, field.ErrorList, error) {
	namespace := q.Object.(*authorizationv1.SelfSubjectRulesReview).Spec.Namespace
	if namespace == "" {
		return nil, nil, apierrors.NewBadRequest("no namespace on request")
	}
	review := &authorizationv1.SelfSubjectRulesReview{Status: a.Rules(q.User.Username, namespace)}
	review.SetGroupVersionKind(q.Target.Kind.GroupVersionKind)
	return review, nil, nil
}

var specPath = field.NewPath("spec")

// validateSubject checks who and what a review asks about.
func validateSubject(s authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	errs := validateAttributes(s)
	if s.User == "" && len(s.Groups) == 0 {
		errs = append(errs, field.Invalid(specPath.Child("user"), s.User, "at least one of user or group must be specified"))
	}
	return append(errs, validateSelectors(s.ResourceAttributes)...)
}

// nonResource is how kube-apiserver shows attributes that are none of a resource.
type nonResource struct{ Path, Verb string }

func validateAttributes(s authorizationv1.SubjectAccessReviewSpec) field.ErrorList {
	other := s.NonResourceAttributes
	if (s.ResourceAttributes == nil) != (other == nil) {
		return nil
	}
	var shown any = (*nonResource)(nil)
	if other != nil {
		shown = nonResource{other.Path, other.Verb}
	}
	return field.ErrorList{field.Invalid(specPath, shown, "exactly one of nonResourceAttributes or resourceAttributes must be specified")}
}

// validateSelectors checks the selectors by which a list is to be narrowed. An operator that is not known passes: it
// may come from a newer client.
func validateSelectors(a *authorizationv1.ResourceAttributes) field.ErrorList {
	if a == nil {
		return nil
	}
	var errs field.ErrorList
	path := specPath.Child("resourceAttributes")
	if s := a.FieldSelector; s != nil {
		at := path.Child("fieldSelector")
		errs = append(errs, validateForms(s.RawSelector, len(s.Requirements), at)...)
		for i, requirement := range s.Requirements {
			errs = append(errs, metav1validation.ValidateFieldSelectorRequirement(requirement,
				metav1validation.FieldSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}, at.Child("requirements").Index(i))...)
		}
	}
	if s := a.LabelSelector; s != nil {
		at := path.Child("labelSelector")
		errs = append(errs, validateForms(s.RawSelector, len(s.Requirements), at)...)
		for i, requirement := range s.Requirements {
			errs = append(errs, metav1validation.ValidateLabelSelectorRequirement(requirement,
				metav1validation.LabelSelectorValidationOptions{AllowUnknownOperatorInRequirement: true}, at.Child("requirements").Index(i))...)
		}
	}
	return errs
}

// validateForms checks that a selector is given in one of its two forms.
func validateForms(raw string, requirements int, path *field.Path) field.ErrorList {
	switch {
	case raw != "" && requirements > 0:
		return field.ErrorList{field.Invalid(path.Child("rawSelector"), raw, "may not specified at the same time as requirements")}
	case raw == "" && requirements == 0:
		return field.ErrorList{field.Required(path.Child("requirements"), fmt.Sprintf("when %s is specified, requirements or rawSelector is required", path))}
	}
	return nil
}

// validateNoMetadata refuses metadata: a review is no object that could be found again.
func validateNoMetadata(m metav1.ObjectMeta) field.ErrorList {
	if isBare(m) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("metadata"), m, "must be empty")}
}

func isBare(m metav1.ObjectMeta) bool {
	m.ManagedFields = nil
	return apiequality.Semantic.DeepEqual(metav1.ObjectMeta{}, m)
}

// validateLocality checks that a local review asks about its own namespace.
func validateLocality(review *authorizationv1.LocalSubjectAccessReview) field.ErrorList {
	var errs field.ErrorList
	rest := review.ObjectMeta
	rest.Namespace = ""
	if !isBare(rest) {
		errs = append(errs, field.Invalid(field.NewPath("metadata"), review.ObjectMeta, "must be empty except for namespace"))
	}
	if a := review.Spec.ResourceAttributes; a != nil && a.Namespace != review.Namespace {
		errs = append(errs, field.Invalid(field.NewPath("spec.resourceAttributes.namespace"), a.Namespace, "must match metadata.namespace"))
	}
	if a := review.Spec.NonResourceAttributes; a != nil {
		errs = append(errs, field.Invalid(field.NewPath("spec.nonResourceAttributes"), nonResource{a.Path, a.Verb}, "disallowed on this kind of request"))
	}
	return errs
}
