package kinds

import (
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// extensionsCategory groups what changes the API itself: "kubectl get api-extensions".
const extensionsCategory = "api-extensions"

const (
	webhookTimeout = 10 // seconds, of a webhook that states none
	webhookPort    = 443
)

// validatingWebhooks is the row of ValidatingWebhookConfiguration.
func validatingWebhooks() *Kind {
	return &Kind{
		GroupVersionKind: admissionv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration"),
		Resource:         "validatingwebhookconfigurations",
		Singular:         "validatingwebhookconfiguration",
		Categories:       []string{extensionsCategory},
		New:              func() runtime.Object { return &admissionv1.ValidatingWebhookConfiguration{} },
		NewList:          func() runtime.Object { return &admissionv1.ValidatingWebhookConfigurationList{} },
		Default: func(obj runtime.Object) {
			for i := range obj.(*admissionv1.ValidatingWebhookConfiguration).Webhooks {
				defaultWebhook(webhookOf(&obj.(*admissionv1.ValidatingWebhookConfiguration).Webhooks[i]))
			}
		},
		PrepareForCreate: func(obj runtime.Object) { obj.(*admissionv1.ValidatingWebhookConfiguration).Generation = 1 },
		PrepareForUpdate: func(obj, old runtime.Object) {
			c, was := obj.(*admissionv1.ValidatingWebhookConfiguration), old.(*admissionv1.ValidatingWebhookConfiguration)
			if !equality.Semantic.DeepEqual(c.Webhooks, was.Webhooks) {
				c.Generation = was.Generation + 1
			}
		},
		ValidateCreate: validateWebhooks,
		ValidateUpdate: validateWebhooksUpdate,
		Warn:           warnWebhooks,
		Printer:        webhooksPrinter(),
	}
}

// mutatingWebhooks is the row of MutatingWebhookConfiguration.
func mutatingWebhooks() *Kind {
	return &Kind{
		GroupVersionKind: admissionv1.SchemeGroupVersion.WithKind("MutatingWebhookConfiguration"),
		Resource:         "mutatingwebhookconfigurations",
		Singular:         "mutatingwebhookconfiguration",
		Categories:       []string{extensionsCategory},
		New:              func() runtime.Object { return &admissionv1.MutatingWebhookConfiguration{} },
		NewList:          func() runtime.Object { return &admissionv1.MutatingWebhookConfigurationList{} },
		Default: func(obj runtime.Object) {
			for i := range obj.(*admissionv1.MutatingWebhookConfiguration).Webhooks {
				w := &obj.(*admissionv1.MutatingWebhookConfiguration).Webhooks[i]
				defaultWebhook(mutatingWebhookOf(w))
				orDefault(&w.ReinvocationPolicy, admissionv1.NeverReinvocationPolicy)
			}
		},
		PrepareForCreate: func(obj runtime.Object) { obj.(*admissionv1.MutatingWebhookConfiguration).Generation = 1 },
		PrepareForUpdate: func(obj, old runtime.Object) {
			c, was := obj.(*admissionv1.MutatingWebhookConfiguration), old.(*admissionv1.MutatingWebhookConfiguration)
			if !equality.Semantic.DeepEqual(c.Webhooks, was.Webhooks) {
				c.Generation = was.Generation + 1
			}
		},
		ValidateCreate: validateWebhooks,
		ValidateUpdate: validateWebhooksUpdate,
		Warn:           warnWebhooks,
		Printer:        webhooksPrinter(),
	}
}

// A webhook is what the two kinds of webhooks have in common; the pointers lead into the object.
type webhook struct {
	name              string
	client            *admissionv1.WebhookClientConfig
	rules             []admissionv1.RuleWithOperations
	failurePolicy     **admissionv1.FailurePolicyType
	matchPolicy       **admissionv1.MatchPolicyType
	namespaceSelector **metav1.LabelSelector
	objectSelector    **metav1.LabelSelector
	sideEffects       *admissionv1.SideEffectClass
	timeout           **int32
	reviewVersions    []string
	conditions        []admissionv1.MatchCondition
	reinvocation      *admissionv1.ReinvocationPolicyType // of a mutating one
}

func webhookOf(w *admissionv1.ValidatingWebhook) webhook {
	return webhook{
		name: w.Name, client: &w.ClientConfig, rules: w.Rules, failurePolicy: &w.FailurePolicy, matchPolicy: &w.MatchPolicy,
		namespaceSelector: &w.NamespaceSelector, objectSelector: &w.ObjectSelector, sideEffects: w.SideEffects,
		timeout: &w.TimeoutSeconds, reviewVersions: w.AdmissionReviewVersions, conditions: w.MatchConditions,
	}
}

func mutatingWebhookOf(w *admissionv1.MutatingWebhook) webhook {
	return webhook{
		name: w.Name, client: &w.ClientConfig, rules: w.Rules, failurePolicy: &w.FailurePolicy, matchPolicy: &w.MatchPolicy,
		namespaceSelector: &w.NamespaceSelector, objectSelector: &w.ObjectSelector, sideEffects: w.SideEffects,
		timeout: &w.TimeoutSeconds, reviewVersions: w.AdmissionReviewVersions, conditions: w.MatchConditions,
		reinvocation: w.ReinvocationPolicy,
	}
}

// webhooksOf returns the webhooks of a configuration of either kind.
func webhooksOf(obj runtime.Object) []webhook {
	var all []webhook
	switch c := obj.(type) {
	case *admissionv1.ValidatingWebhookConfiguration:
		for i := range c.Webhooks {
			all = append(all, webhookOf(&c.Webhooks[i]))
		}
	case *admissionv1.MutatingWebhookConfiguration:
		for i := range c.Webhooks {
			all = append(all, mutatingWebhookOf(&c.Webhooks[i]))
		}
	}
	return all
}

func defaultWebhook(w webhook) {
	orDefault(w.failurePolicy, admissionv1.Fail)
	orDefault(w.matchPolicy, admissionv1.Equivalent)
	orDefault(w.namespaceSelector, metav1.LabelSelector{})
	orDefault(w.objectSelector, metav1.LabelSelector{})
	orDefault(w.timeout, webhookTimeout)
	if s := w.client.Service; s != nil {
		orDefault(&s.Port, webhookPort)
	}
	for i := range w.rules {
		orDefault(&w.rules[i].Scope, admissionv1.AllScopes)
	}
}

func webhooksPrinter() table.Printer {
	return table.Printer{
		Columns: []metav1.TableColumnDefinition{
			nameColumn(),
			countColumn("Webhooks", "Webhooks indicates the number of webhooks registered in this configuration"),
			ageColumn(),
		},
		Cells: func(obj runtime.Object, now time.Time) []any {
			m := obj.(metav1.Object)
			return []any{m.GetName(), int64(len(webhooksOf(obj))), age(m.GetCreationTimestamp(), now)}
		},
	}
}
