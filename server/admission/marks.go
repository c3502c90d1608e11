package admission

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
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

// marks is a plugin that notes on the flow of each request what it said. Of most requests most plugins say nothing: it is
// not their resource, and they do not look at the object.
func marks(plugin admission.Interface, name string) admission.Interface {
	m := &marked{Interface: plugin, name: name}
	m.mutator, _ = plugin.(admission.MutationInterface)
	m.validator, _ = plugin.(admission.ValidationInterface)
	return m
}

type marked struct {
	admission.Interface
	name      string
	mutator   admission.MutationInterface   // nil if it changes nothing
	validator admission.ValidationInterface // nil if it checks nothing
}

// Admit fulfils admission.MutationInterface.
func (m *marked) Admit(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if m.mutator == nil {
		return nil
	}
	l := &looking{Attributes: a, keep: true}
	start := time.Now()
	err := m.mutator.Admit(ctx, l, o)
	mark := flow.PluginMark{Plugin: m.name, Station: flow.Mutate, Again: a.GetReinvocationContext().IsReinvoke()}
	if l.looked.Load() && err == nil {
		mark.Changed = l.changes(o)
	}
	m.note(ctx, l, mark, start, err)
	return err
}

// Validate fulfils admission.ValidationInterface.
func (m *marked) Validate(ctx context.Context, a admission.Attributes, o admission.ObjectInterfaces) error {
	if m.validator == nil {
		return nil
	}
	l := &looking{Attributes: a}
	start := time.Now()
	err := m.validator.Validate(ctx, l, o)
	m.note(ctx, l, flow.PluginMark{Plugin: m.name, Station: flow.Admit}, start, err)
	return err
}

// note notes what the plugin said, if it said anything. NamespaceLifecycle looks at the namespace, not at the object.
func (m *marked) note(ctx context.Context, l *looking, mark flow.PluginMark, start time.Time, err error) {
	if !l.looked.Load() && err == nil && m.name != lifecycle.PluginName {
		return
	}
	if mark.Length = time.Since(start); err != nil {
		mark.Refusal = err.Error()
	}
	flow.From(ctx).Plugin(mark)
}

// looking are attributes that tell whether a plugin has looked at the object, which it must to change it.
type looking struct {
	admission.Attributes
	keep   bool        // the object as it is at the first look
	looked atomic.Bool // webhooks are asked side by side
	first  sync.Once   // look at the object that shall be
}

// GetObject fulfils admission.Attributes.
func (l *looking) GetObject() runtime.Object {
	l.looked.Store(true)
	if l.keep {
		l.first.Do(func() { l.seen() })
	}
	return l.Attributes.GetObject()
}

// GetOldObject fulfils admission.Attributes.
func (l *looking) GetOldObject() runtime.Object {
	l.looked.Store(true)
	return l.Attributes.GetOldObject()
}

// seenKey is where the object is kept as the plugins before left it, so that it is copied once for all that change nothing.
const seenKey = "kubarium/seen"

// seen is the object as it was before the plugin; nil if there is none.
func (l *looking) seen() runtime.Object {
	context := l.GetReinvocationContext()
	if before, ok := context.Value(seenKey).(runtime.Object); ok {
		return before
	}
	now := l.Attributes.GetObject()
	if now == nil {
		return nil
	}
	now = now.DeepCopyObject()
	context.SetValue(seenKey, now)
	return now
}

// changes are the fields that the plugin changed.
func (l *looking) changes(o admission.ObjectInterfaces) []string {
	before, now := l.seen(), l.Attributes.GetObject()
	if before == nil || reflect.DeepEqual(before, now) {
		return nil
	}
	l.GetReinvocationContext().SetValue(seenKey, now.DeepCopyObject())
	return changes(before, l.Attributes, o)
}
