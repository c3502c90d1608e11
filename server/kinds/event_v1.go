package kinds

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// eventV1 is the row of Event in events.k8s.io/v1: the same objects as in the core group, with other names of their
// members and stricter rules.
func eventV1(core *Kind) *Kind {
	return &Kind{
		GroupVersionKind:    eventsv1.SchemeGroupVersion.WithKind("Event"),
		Resource:            "events",
		Singular:            "event",
		ShortNames:          []string{"ev"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &eventsv1.Event{} },
		NewList:             func() runtime.Object { return &eventsv1.EventList{} },
		StoredAs:            core,
		FromStored:          eventFromCore,
		ToStored:            eventToCore,
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		Validate: func(obj runtime.Object) field.ErrorList {
			return validateEvent(asCoreEvent(obj), "reportingController")
		},
		ValidateCreate: func(obj runtime.Object) field.ErrorList { return validateNewEvent(asCoreEvent(obj)) },
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return validateEventUpdate(asCoreEvent(obj), asCoreEvent(old))
		},
		FieldNames: []string{
			"reason", "regarding.apiVersion", "regarding.fieldPath", "regarding.kind", "regarding.name", "regarding.namespace",
			"regarding.resourceVersion", "regarding.uid", "reportingController", "type",
		},
		FieldAliases: map[string]string{
			"regarding.apiVersion":      "involvedObject.apiVersion",
			"regarding.fieldPath":       "involvedObject.fieldPath",
			"regarding.kind":            "involvedObject.kind",
			"regarding.name":            "involvedObject.name",
			"regarding.namespace":       "involvedObject.namespace",
			"regarding.resourceVersion": "involvedObject.resourceVersion",
			"regarding.uid":             "involvedObject.uid",
			"reportingController":       "reportingComponent",
		},
		Printer: table.Printer{Columns: core.Printer.Columns, Cells: func(obj runtime.Object, now time.Time) []any {
			return core.Printer.Cells(asCoreEvent(obj), now)
		}},
	}
}

// asCoreEvent is an event as it is kept; the object itself stays as it is.
func asCoreEvent(obj runtime.Object) *corev1.Event {
	e, err := eventToCore(obj.DeepCopyObject())
	if err != nil {
		panic(fmt.Sprintf("convert an Event: %v", err)) // it errs for another type alone
	}
	return e.(*corev1.Event)
}

func eventToCore(obj runtime.Object) (runtime.Object, error) {
	e, ok := obj.(*eventsv1.Event)
	if !ok {
		return nil, fmt.Errorf("convert to the core group: %T is no Event of events.k8s.io/v1", obj)
	}
	core := &corev1.Event{
		ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Reason: e.Reason, Message: e.Note, Source: e.DeprecatedSource,
		FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp, Count: e.DeprecatedCount,
		Type: e.Type, EventTime: e.EventTime, Action: e.Action, Related: e.Related,
		ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
	}
	if e.Series != nil {
		core.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return core, nil
}

func eventFromCore(obj runtime.Object) (runtime.Object, error) {
	core, ok := obj.(*corev1.Event)
	if !ok {
		return nil, fmt.Errorf("convert to events.k8s.io/v1: %T is no Event of the core group", obj)
	}
	e := &eventsv1.Event{
		ObjectMeta: core.ObjectMeta, Regarding: core.InvolvedObject, Reason: core.Reason, Note: core.Message, DeprecatedSource: core.Source,
		DeprecatedFirstTimestamp: core.FirstTimestamp, DeprecatedLastTimestamp: core.LastTimestamp, DeprecatedCount: core.Count,
		Type: core.Type, EventTime: core.EventTime, Action: core.Action, Related: core.Related,
		ReportingController: core.ReportingController, ReportingInstance: core.ReportingInstance,
	}
	if core.Series != nil {
		e.Series = &eventsv1.EventSeries{Count: core.Series.Count, LastObservedTime: core.Series.LastObservedTime}
	}
	return e, nil
}

// validateNewEvent wants of new events what the group was made for. The paths are those of the core group in Kubernetes
// too.
func validateNewEvent(e *corev1.Event) field.ErrorList {
	errs := validateEventSeries(e.Series)
	if e.EventTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("eventTime"), ""))
	}
	if e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning {
		errs = append(errs, field.Invalid(field.NewPath("type"), "", "has invalid value: "+e.Type))
	}
	for _, old := range []struct {
		name  string
		there bool
	}{
		{"firstTimestamp", !e.FirstTimestamp.IsZero()},
		{"lastTimestamp", !e.LastTimestamp.IsZero()},
		{"count", e.Count != 0},
		{"source", e.Source != (corev1.EventSource{})},
	} {
		if old.there {
			errs = append(errs, field.Invalid(field.NewPath(old.name), "", "needs to be unset"))
		}
	}
	return errs
}

func validateEventSeries(s *corev1.EventSeries) field.ErrorList {
	if s == nil {
		return nil
	}
	var errs field.ErrorList
	if s.Count < 2 {
		errs = append(errs, field.Invalid(field.NewPath("series.count"), "", "should be at least 2"))
	}
	if s.LastObservedTime.IsZero() {
		errs = append(errs, field.Required(field.NewPath("series.lastObservedTime"), ""))
	}
	return errs
}

// validateEventUpdate lets the series grow, and nothing else change.
func validateEventUpdate(e, was *corev1.Event) field.ErrorList {
	var errs field.ErrorList
	if e.Series != nil && (was.Series == nil || *e.Series != *was.Series) {
		errs = validateEventSeries(e.Series)
	}
	for _, m := range []struct {
		name    string
		is, was any
	}{
		{"involvedObject", internalForm(e.InvolvedObject), internalForm(was.InvolvedObject)},
		{"reason", e.Reason, was.Reason},
		{"message", e.Message, was.Message},
		{"source", internalForm(e.Source), internalForm(was.Source)},
		{"firstTimestamp", e.FirstTimestamp, was.FirstTimestamp},
		{"lastTimestamp", e.LastTimestamp, was.LastTimestamp},
		{"count", e.Count, was.Count},
		{"type", e.Type, was.Type},
		{"eventTime", e.EventTime, was.EventTime},
		{"action", e.Action, was.Action},
		{"related", internalForm(e.Related), internalForm(was.Related)},
		{"reportingController", e.ReportingController, was.ReportingController},
		{"reportingInstance", e.ReportingInstance, was.ReportingInstance},
	} {
		errs = append(errs, apivalidation.ValidateImmutableField(m.is, m.was, field.NewPath(m.name))...)
	}
	return errs
}
