package admission

import (
	mutatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	validatingpolicy "k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// idleOf returns whether one of the plugins that ask webhooks or policies has nobody to ask, as in most clusters that somebody tries
// something in; nil for other plugins. Asked all the same, each of them makes a timer, a copy of the object and what it needs for the first
// webhook, for every write. files says that the configuration may name webhooks or policies in files, of which no object tells.
func idleOf(plugin string, f informers.SharedInformerFactory, files bool) func() bool {
	if files {
		return nil
	}
	all := f.Admissionregistration().V1()
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
	return func() bool { return configured.HasSynced() && len(configured.GetStore().List()) == 0 }
}
