package admission

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	webhookinit "k8s.io/apiserver/pkg/admission/plugin/webhook/initializer"
	apiserverapi "k8s.io/apiserver/pkg/apis/apiserver"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	apiserverv1alpha1 "k8s.io/apiserver/pkg/apis/apiserver/v1alpha1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	controlplane "k8s.io/kubernetes/pkg/controlplane/apiserver/admission"
	kubeadmission "k8s.io/kubernetes/pkg/kubeapiserver/admission"
	"k8s.io/kubernetes/pkg/kubeapiserver/options"

	"kubarium/server/calls"
	"kubarium/server/nearest"
	documents "kubarium/server/openapi"
	"kubarium/server/registry"
)

// Plugins say which plugins are on.
type Plugins struct {
	Enable, Disable []string // names, as in kube-apiserver's flags
	Config          string   // file of an AdmissionConfiguration; "" for none
}

// Options are what a chain needs.
type Options struct {
	Plugins
	Registry   *registry.Registry
	Informers  informers.SharedInformerFactory
	Authorizer authorizer.Authorizer
	// Client, Dynamic and Loopback lead to this server: some plugins read the newest objects, or write a quota's
	// status.
	Client   kubernetes.Interface
	Dynamic  dynamic.Interface
	Loopback *rest.Config
	Webhooks calls.Way            // leads to them
	Schemas  *documents.Documents // of everything that is served
}

// Names are the names of all plugins, in their order.
func Names() []string { return slices.Clone(options.AllOrderedPlugins) }

// Check returns an error of one line about wrong names, as kube-apiserver does; unknown names come first.
func (p Plugins) Check() error {
	o := official(p)
	errs := o.Validate()
	if len(errs) == 0 {
		return nil
	}
	all, said := Names(), slices.Concat(p.Enable, p.Disable)
	if i := slices.IndexFunc(said, func(name string) bool { return !slices.Contains(all, name) }); i >= 0 {
		return fmt.Errorf("%w%s", errs[0], nearest.Hint(said[i], all))
	}
	return errs[0]
}

// Read reads the file. Its error is one line.
func (p Plugins) Read() error {
	_, err := p.configuration()
	return err
}

func (p Plugins) configuration() (admission.ConfigProvider, error) {
	config, err := admission.ReadAdmissionConfiguration(p.names(), p.Config, configScheme)
	if err != nil {
		return nil, fmt.Errorf("--admission-control-config-file: %w", err)
	}
	return config, nil
}

// official are the flags as kube-apiserver has them.
func official(p Plugins) *options.AdmissionOptions {
	o := options.NewAdmissionOptions()
	o.GenericAdmission.EnablePlugins, o.GenericAdmission.DisablePlugins, o.GenericAdmission.ConfigFile = p.Enable, p.Disable, p.Config
	return o
}

// names are the plugins that are on, in their order.
func (p Plugins) names() []string {
	off := options.DefaultOffAdmissionPlugins().Insert(p.Disable...).Delete(p.Enable...)
	return slices.DeleteFunc(slices.Clone(options.AllOrderedPlugins), off.Has)
}

// Only returns the names to turn on and off so that just these plugins are on.
func Only(names []string) (enable, disable []string) {
	return names, slices.DeleteFunc(slices.Clone(options.AllOrderedPlugins), func(name string) bool { return slices.Contains(names, name) })
}

// configScheme knows the kinds of a configuration file.
var configScheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apiserverapi.AddToScheme, apiserverv1alpha1.AddToScheme, apiserverv1.AddToScheme} {
		utilruntime.Must(add(s))
	}
	return s
}()

// New makes the chain. The plugins' own work ends with ctx. The caller starts the informers afterwards.
func New(ctx context.Context, o Options) (admission.Interface, error) {
	all := official(o.Plugins).GenericAdmission
	names := o.names()
	config, err := o.configuration()
	if err != nil {
		return nil, err
	}
	first := initializer.New(withSchemas{o.Client, o.Schemas}, o.Dynamic, o.Informers, o.Authorizer, utilfeature.DefaultFeatureGate,
		compatibility.DefaultBuildEffectiveVersion(), ctx.Done(), mapper{o.Registry.Catalogue})
	next, err := (&controlplane.Config{
		LoopbackClientConfig: o.Loopback, ExternalInformers: o.Informers,
	}).New(nil, nil, o.Webhooks.Services, nil)
	if err != nil {
		return nil, err
	}
	last, err := (&kubeadmission.Config{}).New()
	if err != nil {
		return nil, err
	}
	record := webhookinit.NewPluginInitializer(recorded(o.Webhooks), o.Webhooks.Services)
	set := slices.Concat(admission.PluginInitializers{first}, next, last, admission.PluginInitializers{record})
	chain, err := all.Plugins.NewFromPlugins(names, config, set, admission.Decorators{
		admission.DecoratorFunc(func(plugin admission.Interface, name string) admission.Interface {
			return ours(plugin, name, o.Registry)
		}),
		admission.DecoratorFunc(func(plugin admission.Interface, name string) admission.Interface {
			return marks(plugin, name, o)
		}),
	})
	if err != nil {
		return nil, err
	}
	return admission.WithAudit(chain), nil
}
