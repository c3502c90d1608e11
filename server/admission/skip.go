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

// A skip tells whether a plugin would have nothing to say of a write, so that it need not be asked.
type skip func(ctx context.Context, a admission.Attributes) bool

// skipOf is the skip of a plugin that looks up what it goes by, of which there is none in most clusters that somebody tries something in;
// nil for other plugins. Asked all the same, one that asks webhooks or policies makes a timer, a copy of the object and what it needs for the
// first webhook, for every write, and the quotas' one hands the write to a worker, and waits with a timer for its answer. Files may name
// webhooks, policies and limited resources, of which no object tells.
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
