package controllers

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/webhook"
)

// takenNames are the names that the definitions of a group have: resources by plural, singular and short names, kinds by
// their own and their lists' names.
type takenNames struct {
	resources, kinds map[string]bool
}

func (c *definer) taken(group string) takenNames {
	t := takenNames{map[string]bool{}, map[string]bool{}}
	for _, d := range c.known {
		if d.group != group {
			continue
		}
		names := d.Status.AcceptedNames
		t.resources[names.Plural], t.resources[names.Singular] = true, true
		for _, short := range names.ShortNames {
			t.resources[short] = true
		}
		t.kinds[names.Kind], t.kinds[names.ListKind] = true, true
	}
	return t
}

// settle sets the accepted names and the conditions of a definition, and reports whether anything changed.
func settle(d *definition, status *apiextensionsv1.CustomResourceDefinitionStatus, taken takenNames) bool {
	before := status.DeepCopy()
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: d.ObjectMeta, Status: *status}
	named := apiequality.Semantic.DeepEqual(d.names, crd.Status.AcceptedNames) // there is nothing to accept: what the conditions say stays
	if !named {
		setDefinitionCondition(crd, accept(d.names, &crd.Status.AcceptedNames, taken))
	}
	switch {
	case apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established): // once and for all
	case apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.NamesAccepted):
		setDefinitionCondition(crd, established(d.conversion.Webhook))
	case !named:
		setDefinitionCondition(crd, condition(apiextensionsv1.Established, apiextensionsv1.ConditionFalse, "NotAccepted", "not all names are accepted"))
	}
	if c := approval(d); c != nil {
		setDefinitionCondition(crd, *c)
	}
	*status = crd.Status
	return !apiequality.Semantic.DeepEqual(before, status)
}

// established is the condition of a definition whose names are accepted. One whose webhook could not be called is not established.
func established(w *apiextensionsv1.WebhookConversion) apiextensionsv1.CustomResourceDefinitionCondition {
	if w != nil && w.ClientConfig != nil && len(webhook.ValidateCABundle(field.NewPath(""), w.ClientConfig.CABundle)) > 0 {
		return condition(apiextensionsv1.Established, apiextensionsv1.ConditionFalse, "InvalidCABundle", "The conversion webhook CABundle is invalid")
	}
	return condition(apiextensionsv1.Established, apiextensionsv1.ConditionTrue, "InitialNamesAccepted", "the initial names have been accepted")
}

// setDefinitionCondition sets a condition, whose time stays if it says nothing new.
func setDefinitionCondition(crd *apiextensionsv1.CustomResourceDefinition, c apiextensionsv1.CustomResourceDefinitionCondition) {
	if old := apihelpers.FindCRDCondition(crd, c.Type); !apihelpers.IsCRDConditionEquivalent(old, &c) {
		apihelpers.SetCRDCondition(crd, c)
	}
}

func condition(t apiextensionsv1.CustomResourceDefinitionConditionType, s apiextensionsv1.ConditionStatus, reason, message string) apiextensionsv1.CustomResourceDefinitionCondition {
	return apiextensionsv1.CustomResourceDefinitionCondition{Type: t, Status: s, Reason: reason, Message: message}
}

// accept moves the names that are wanted and free to those that are accepted. The condition names the last one that is
// taken.
func accept(want apiextensionsv1.CustomResourceDefinitionNames, have *apiextensionsv1.CustomResourceDefinitionNames, taken takenNames) apiextensionsv1.CustomResourceDefinitionCondition {
	result := condition(apiextensionsv1.NamesAccepted, apiextensionsv1.ConditionTrue, "NoConflicts", "no conflicts found")
	for _, n := range []struct {
		reason string
		want   string
		have   *string
		taken  map[string]bool
	}{
		{"PluralConflict", want.Plural, &have.Plural, taken.resources},
		{"SingularConflict", want.Singular, &have.Singular, taken.resources},
		{"ShortNamesConflict", "", nil, nil},
		{"KindConflict", want.Kind, &have.Kind, taken.kinds},
		{"ListKindConflict", want.ListKind, &have.ListKind, taken.kinds},
	} {
		problem := ""
		if n.have == nil {
			problem = acceptShortNames(want.ShortNames, have, taken.resources)
		} else if *n.have != n.want && n.taken[n.want] {
			problem = inUse(n.want)
		} else {
			*n.have = n.want
		}
		if problem != "" {
			result = condition(apiextensionsv1.NamesAccepted, apiextensionsv1.ConditionFalse, n.reason, problem)
		}
	}
	have.Categories = want.Categories
	return result
}

func inUse(name string) string { return fmt.Sprintf("%q is already in use", name) }

// acceptShortNames accepts all of them or none, and returns which were taken.
func acceptShortNames(want []string, have *apiextensionsv1.CustomResourceDefinitionNames, taken map[string]bool) string {
	var problems []string
	for _, name := range want {
		if !slices.Contains(have.ShortNames, name) && taken[name] {
			problems = append(problems, inUse(name))
		}
	}
	switch len(problems) {
	case 0:
		have.ShortNames = want
		return ""
	case 1:
		return problems[0]
	}
	return "[" + strings.Join(problems, ", ") + "]"
}

// approval is the condition that a definition in a group of Kubernetes' own needs; nil for any other group.
func approval(d *definition) *apiextensionsv1.CustomResourceDefinitionCondition {
	if !apihelpers.IsProtectedCommunityGroup(d.group) {
		return nil
	}
	state, message := apihelpers.GetAPIApprovalState(d.Annotations)
	c := condition(apiextensionsv1.KubernetesAPIApprovalPolicyConformant, apiextensionsv1.ConditionFalse, "MissingAnnotation", message)
	switch state {
	case apihelpers.APIApproved:
		c.Status, c.Reason = apiextensionsv1.ConditionTrue, "ApprovedAnnotation"
	case apihelpers.APIApprovalBypassed:
		c.Reason = "UnapprovedAnnotation"
	case apihelpers.APIApprovalInvalid:
		c.Reason = "InvalidAnnotation"
	}
	return &c
}
