package admission

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/validating"
	"k8s.io/kubernetes/plugin/pkg/admission/imagepolicy"

	"kubarium/flow"
	"kubarium/server/budget"
	"kubarium/server/registry"
)

// ours is the plugin that takes the place of an official one, or that one itself.
func ours(plugin admission.Interface, name string, r *registry.Registry) admission.Interface {
	if name == lifecycle.PluginName {
		return registry.NamespaceLifecycle(r)
	}
	return plugin
}

// marks is a plugin whose decisions are noted on the flow of each request. Most plugins do nothing for most requests:
// they are for other resources, and do not read the object.
func marks(plugin admission.Interface, name string, o Options) admission.Interface {
	f := o.Informers
	m := &marked{Interface: plugin, name: name, skip: skipOf(name, o)}
	m.mutator, _ = plugin.(admission.MutationInterface)
	m.validator, _ = plugin.(admission.ValidationInterface)
	m.hooks, m.policies = hooksOf(name, f), policiesOf(name, f, o.Client)
	return m
}

type marked struct {
	admission.Interface
	name      string
	mutator   admission.MutationInterface   // nil if it changes nothing
	validator admission.ValidationInterface // nil if it checks nothing

	policies *policySet // of a plugin for policies; nil for others
	hooks    hooks      // of a plugin for webhooks; nil for others
	skip     skip       // nil for a plugin that is always asked
}

// Admit fulfils admission.MutationInterface.
func (m *marked) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if m.mutator == nil || m.skip != nil && m.skip(ctx, a) {
		return nil
	}
	return m.ask(ctx, flow.Mutate, a, o)
}

// Validate fulfils admission.ValidationInterface.
func (m *marked) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if m.validator == nil || m.skip != nil && m.skip(ctx, a) {
		return nil
	}
	return m.ask(ctx, flow.Admit, a, o)
}

// watched are attributes that know whether a plugin has read the object, which it must to change it, and what it
// changed and reported.
type watched interface {
	Looks() int32
	Change() (was, is runtime.Object)
	Told() (warnings, annotations int)
	ToldSince(warnings, annotations int) ([]string, map[string]string)
}

// ask asks the plugin, and notes what it did, if anything. NamespaceLifecycle reads the namespace, not the object.
func (m *marked) ask(ctx context.Context, station string, a admission.Attributes, o admission.ObjectInterfaces) error {
	w, ok := a.(watched)
	f := flow.From(ctx)
	if !ok || f == nil {
		return m.pass(ctx, station, a, o)
	}
	looks, start := w.Looks(), f.Elapsed()
	warnings, annotations := w.Told()
	ctx, parts := m.listen(ctx, f)
	err := m.pass(ctx, station, a, o)
	if w.Looks() == looks && err == nil && m.name != lifecycle.PluginName {
		return nil
	}
	mark := flow.PluginMark{Plugin: m.name, Station: station, Again: a.GetReinvocationContext().IsReinvoke(), Length: f.Elapsed() - start}
	if err != nil {
		mark.Refusal = err.Error()
	} else if was, is := w.Change(); was != nil {
		mark.Changes = changes(was, is, a, o)
		mark.Changed = paths(mark.Changes)
	}
	mark.Warnings, mark.Annotations = w.ToldSince(warnings, annotations)
	switch {
	case parts != nil:
		mark.Opinions = parts.opinions(a, o, err)
	case m.policies != nil:
		mark.Opinions = m.policies.opinions(a, o, err, &mark)
	}
	f.Plugin(mark)
	return err
}

// pass asks the plugin. A plugin that asks another server may wait for long.
func (m *marked) pass(ctx context.Context, station string, a admission.Attributes, o admission.ObjectInterfaces) error {
	ask := func() error { return m.validator.Validate(ctx, a, o) }
	if station == flow.Mutate {
		ask = func() error { return m.mutator.Admit(ctx, a, o) }
	}
	switch m.name {
	case mutating.PluginName, validating.PluginName, imagepolicy.PluginName:
		return budget.Away(ctx, ask)
	}
	return ask()
}
