package admission

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"

	"kubarium/server/flow"
	"kubarium/server/registry"
)

// ours is the plugin that takes the place of an official one, or that one itself.
func ours(plugin admission.Interface, name string, r *registry.Registry) admission.Interface {
	if name == lifecycle.PluginName {
		return registry.NamespaceLifecycle(r)
	}
	return plugin
}

// marks is a plugin that notes on the flow of each request what it said.
func marks(plugin admission.Interface, name string) admission.Interface {
	return &marked{Interface: plugin, name: name}
}

type marked struct {
	admission.Interface
	name string
}

// Admit fulfils admission.MutationInterface.
func (m *marked) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	mutator, ok := m.Interface.(admission.MutationInterface)
	f := flow.From(ctx)
	if !ok || f == nil {
		return admitBy(ctx, mutator, a, o)
	}
	before := seen(a)
	start := time.Now()
	err := mutator.Admit(ctx, a, o)
	mark := flow.PluginMark{Plugin: m.name, Station: flow.Mutate, Again: a.GetReinvocationContext().IsReinvoke(), Length: time.Since(start)}
	if err != nil {
		mark.Refusal = err.Error()
	} else if before != nil && !reflect.DeepEqual(before, a.GetObject()) {
		mark.Changed = changes(before, a, o)
		see(a)
	}
	f.Plugin(mark)
	return err
}

func admitBy(ctx context.Context, mutator admission.MutationInterface, a admission.Attributes, o admission.ObjectInterfaces) error {
	if mutator == nil {
		return nil
	}
	return mutator.Admit(ctx, a, o)
}

// Validate fulfils admission.ValidationInterface.
func (m *marked) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	validator, ok := m.Interface.(admission.ValidationInterface)
	if !ok {
		return nil
	}
	start := time.Now()
	err := validator.Validate(ctx, a, o)
	mark := flow.PluginMark{Plugin: m.name, Station: flow.Admit, Length: time.Since(start)}
	if err != nil {
		mark.Refusal = err.Error()
	}
	flow.From(ctx).Plugin(mark)
	return err
}

// seenKey is where the object is kept as the plugin before left it, so that it is copied once for all that change nothing.
const seenKey = "kubarium/seen"

// seen is the object as it was when it was seen last, nil if there is none.
func seen(a admission.Attributes) runtime.Object {
	if before, ok := a.GetReinvocationContext().Value(seenKey).(runtime.Object); ok {
		return before
	}
	return see(a)
}

func see(a admission.Attributes) runtime.Object {
	if a.GetObject() == nil {
		return nil
	}
	now := a.GetObject().DeepCopyObject()
	a.GetReinvocationContext().SetValue(seenKey, now)
	return now
}
