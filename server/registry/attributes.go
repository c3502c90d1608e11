package registry

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/warning"

	"kubarium/flow"
)

// attributes describe an operation to plugins. They keep the annotations that plugins make, for the flow and for an
// audit log.
type attributes struct {
	admission.Attributes
	obj, old shown // a validating plugin gets copies

	looks  atomic.Int32   // at the objects; a plugin whose resource it is not does without
	before runtime.Object // the object as it was when a mutating plugin looked first, or as the last one left it; nil if none looked
	keep   bool           // whether before is wanted

	mu          sync.Mutex // webhooks are asked in parallel
	annotations map[string]annotation
	keys        []string // of annotations, in the order in which they came
	warnings    []string // that were sent to the client since
}

var _ admission.AnnotationsGetter = &attributes{}

type annotation struct {
	level auditinternal.Level
	value string
}

// GetObject fulfils admission.Attributes.
func (a *attributes) GetObject() runtime.Object {
	a.looks.Add(1)
	obj := a.obj.look()
	if a.keep && a.before == nil && obj != nil {
		a.before = obj.DeepCopyObject()
	}
	return obj
}

// GetOldObject fulfils admission.Attributes.
func (a *attributes) GetOldObject() runtime.Object {
	a.looks.Add(1)
	return a.old.look()
}

// Looks returns how often plugins have looked at the objects.
func (a *attributes) Looks() int32 { return a.looks.Load() }

// Change returns the object as it was before the last call that found another, and as it is; nil and nil if it is the
// same. It is for the marks of mutating plugins.
func (a *attributes) Change() (was, is runtime.Object) {
	was, is = a.before, a.obj.look()
	if was == nil || reflect.DeepEqual(was, is) {
		return nil, nil
	}
	a.before = is.DeepCopyObject()
	return was, is
}

// AddAnnotation fulfils admission.Attributes.
func (a *attributes) AddAnnotation(key, value string) error {
	return a.AddAnnotationWithLevel(key, value, auditinternal.LevelMetadata)
}

// AddAnnotationWithLevel fulfils admission.Attributes.
func (a *attributes) AddAnnotationWithLevel(key, value string, level auditinternal.Level) error {
	if err := a.Attributes.AddAnnotationWithLevel(key, value, level); err != nil {
		return err // the key is none, or is there already
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.annotations == nil {
		a.annotations = map[string]annotation{}
	}
	a.annotations[key] = annotation{level, value}
	a.keys = append(a.keys, key)
	return nil
}

// hear returns a context whose warnings are sent on, and remembered for the marks of plugins.
func (a *attributes) hear(ctx context.Context) context.Context {
	if flow.From(ctx) == nil {
		return ctx
	}
	return warning.WithWarningRecorder(ctx, hearing{a, ctx})
}

// hearing sends warnings on to the recorder of the context before.
type hearing struct {
	of   *attributes
	next context.Context
}

// AddWarning fulfils warning.Recorder.
func (h hearing) AddWarning(agent, text string) {
	h.of.mu.Lock()
	h.of.warnings = append(h.of.warnings, text)
	h.of.mu.Unlock()
	warning.AddWarning(h.next, agent, text)
}

// Told returns how many warnings and annotations there were so far.
func (a *attributes) Told() (warnings, annotations int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.warnings), len(a.keys)
}

// ToldSince are the warnings and annotations after the first so many.
func (a *attributes) ToldSince(warnings, annotations int) ([]string, map[string]string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var noted map[string]string
	for _, key := range a.keys[annotations:] {
		if noted == nil {
			noted = map[string]string{}
		}
		noted[key] = a.annotations[key].value
	}
	return slices.Clone(a.warnings[warnings:]), noted
}

// GetAnnotations fulfils admission.AnnotationsGetter.
func (a *attributes) GetAnnotations(most auditinternal.Level) map[string]string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := map[string]string{}
	for key, n := range a.annotations {
		if n.level.Less(most) || n.level == most {
			all[key] = n.value
		}
	}
	return all
}

// A shown object is what plugins look at: the object itself, or a copy that is made when the first one looks.
type shown struct {
	obj    runtime.Object // nil for none
	copies bool
	once   sync.Once
}

func (s *shown) look() runtime.Object {
	if s.copies {
		s.once.Do(func() {
			if s.obj != nil {
				s.obj = s.obj.DeepCopyObject()
			}
		})
	}
	return s.obj
}
