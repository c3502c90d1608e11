package admission

import (
	"context"

	"k8s.io/apiserver/pkg/admission"
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/resourcequota"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/client-go/tools/cache"
)

// A skip reports whether a plugin has no effect on a write, so that it need not be asked.
type skip func(ctx context.Context, a admission.Attributes) bool

// skipOf returns the skip of a plugin that acts by objects which most clusters on a desk do not have, such as webhooks,
// policies and quotas; nil for other plugins. Without a skip, a plugin for webhooks or policies makes a timer and a
// copy of the object for every write, and the one for quotas hands the write to a worker and waits for its answer.
// Files may also name webhooks, policies and limited resources, which are not objects.
func skipOf(plugin string, o Options) skip {
	if o.Config != "" {
		return nil
	}
	if plugin == resourcequota.PluginName {
		return func(ctx context.Context, a admission.Attributes) bool {
			return !o.Registry.Any(ctx, "resourcequotas", a.GetNamespace())
		}
	}
	all := o.Informers.Admissionregistration().V1()
	var configured cache.SharedIndexInformer
	switch plugin {
	case mutating.PluginName:
		configured = all.MutatingWebhookConfigurations().Informer()
	case validating.PluginName:
		configured = all.ValidatingWebhookConfigurations().Informer()
	case mutatingpolicy.PluginName:
		configured = all.MutatingAdmissionPolicyBindings().Informer()
	case validatingpolicy.PluginName:
		configured = all.ValidatingAdmissionPolicyBindings().Informer()
	default:
		return nil
	}
	return func(context.Context, admission.Attributes) bool {
		return configured.HasSynced() && len(configured.GetStore().List()) == 0
	}
}
