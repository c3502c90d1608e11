package kinds

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// How many bytes the texts of an Event with an eventTime may have.
const (
	maxEventName    = 128 // reportingInstance, action and reason
	maxEventMessage = 1024
)

// event is the row of Event in the core group. Its names need only be fit for a path.
func event() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("Event"),
		Resource:            "events",
		Singular:            "event",
		ShortNames:          []string{"ev"},
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.Event{} },
		NewList:             func() runtime.Object { return &corev1.EventList{} },
		CreateOnUpdate:      true,
		UnconditionalUpdate: true,
		ValidateName:        path.ValidatePathSegmentName,
		Validate: func(obj runtime.Object) field.ErrorList {
			return validateEvent(obj.(*corev1.Event), "reportingComponent")
		},
		Fields: eventFields,
		FieldNames: []string{
			"involvedObject.apiVersion", "involvedObject.fieldPath", "involvedObject.kind", "involvedObject.name",
			"involvedObject.namespace", "involvedObject.resourceVersion", "involvedObject.uid",
			"reason", "reportingComponent", "source", "type",
		},
		Printer: table.Printer{Columns: eventColumns(), Cells: eventCells},
	}
}

func eventFields(obj runtime.Object) fields.Set {
	e := obj.(*corev1.Event)
	return fields.Set{
		"involvedObject.apiVersion":      e.InvolvedObject.APIVersion,
		"involvedObject.fieldPath":       e.InvolvedObject.FieldPath,
		"involvedObject.kind":            e.InvolvedObject.Kind,
		"involvedObject.name":            e.InvolvedObject.Name,
		"involvedObject.namespace":       e.InvolvedObject.Namespace,
		"involvedObject.resourceVersion": e.InvolvedObject.ResourceVersion,
		"involvedObject.uid":             string(e.InvolvedObject.UID),
		"reason":                         e.Reason,
		"reportingComponent":             e.ReportingController,
		"source":                         orElse(e.Source.Component, e.ReportingController),
		"type":                           e.Type,
	}
}

// validateEvent asks little of an Event of the old kind, and more of one with an eventTime. controller is what the version
// of the request calls the member that names who reports.
func validateEvent(e *corev1.Event, controller string) field.ErrorList {
	var errs field.ErrorList
	if e.EventTime.IsZero() {
		errs = validateInvolvedNamespace(e)
	} else {
		errs = validateTimedEvent(e, field.NewPath(controller))
	}
	for _, msg := range validation.IsDNS1123Subdomain(e.Namespace) {
		errs = append(errs, field.Invalid(field.NewPath("namespace"), e.Namespace, msg))
	}
	return errs
}

// validateInvolvedNamespace wants an Event to live beside its object; those of objects without a namespace live in
// default.
func validateInvolvedNamespace(e *corev1.Event) field.ErrorList {
	involved := e.InvolvedObject.Namespace
	if involved == e.Namespace || (involved == "" && e.Namespace == metav1.NamespaceDefault) {
		return nil
	}
	return field.ErrorList{involvedMismatch(involved)}
}

func involvedMismatch(namespace string) *field.Error {
	return field.Invalid(field.NewPath("involvedObject", "namespace"), namespace, "does not match event.namespace")
}

func validateTimedEvent(e *corev1.Event, controller *field.Path) field.ErrorList {
	var errs field.ErrorList
	home := e.Namespace == metav1.NamespaceDefault || e.Namespace == metav1.NamespaceSystem
	if e.InvolvedObject.Namespace == "" && !home {
		errs = append(errs, involvedMismatch(""))
	}
	if e.ReportingController == "" {
		errs = append(errs, field.Required(controller, ""))
	}
	for _, msg := range validation.IsQualifiedName(e.ReportingController) {
		errs = append(errs, field.Invalid(controller, e.ReportingController, msg))
	}
	errs = append(errs, validateEventName("reportingInstance", e.ReportingInstance)...)
	errs = append(errs, validateEventName("action", e.Action)...)
	errs = append(errs, validateEventName("reason", e.Reason)...)
	if len(e.Message) > maxEventMessage {
		errs = append(errs, tooManyCharacters("message", maxEventMessage))
	}
	return errs
}

func validateEventName(name, value string) field.ErrorList {
	switch {
	case value == "":
		return field.ErrorList{field.Required(field.NewPath(name), "")}
	case len(value) > maxEventName:
		return field.ErrorList{tooManyCharacters(name, maxEventName)}
	}
	return nil
}

func tooManyCharacters(name string, most int) *field.Error {
	return field.Invalid(field.NewPath(name), "", fmt.Sprintf("can have at most %d characters", most))
}

func eventColumns() []metav1.TableColumnDefinition {
	doc, ref := corev1.Event{}.SwaggerDoc(), corev1.ObjectReference{}.SwaggerDoc()
	name := nameColumn()
	name.Priority = 1
	return []metav1.TableColumnDefinition{
		column("Last Seen", doc["lastTimestamp"]),
		column("Type", doc["type"]),
		column("Reason", doc["reason"]),
		column("Object", doc["involvedObject"]),
		wideColumn("Subobject", ref["fieldPath"]),
		wideColumn("Source", doc["source"]),
		column("Message", doc["message"]),
		wideColumn("First Seen", doc["firstTimestamp"]),
		wideColumn("Count", doc["count"]),
		name,
	}
}

func eventCells(obj runtime.Object, now time.Time) []any {
	e := obj.(*corev1.Event)
	first := since(e.FirstTimestamp.Time, now)
	if e.FirstTimestamp.IsZero() {
		first = since(e.EventTime.Time, now)
	}
	last := since(e.LastTimestamp.Time, now)
	if e.LastTimestamp.IsZero() {
		last = first
	}
	// An Event with an eventTime that happened once counts nothing.
	count := max(int64(e.Count), 1)
	if e.Series != nil {
		last = since(e.Series.LastObservedTime.Time, now)
		count = int64(e.Series.Count)
	}
	return []any{
		last, e.Type, e.Reason, eventTarget(e), e.InvolvedObject.FieldPath, eventSource(e),
		strings.TrimSpace(e.Message), first, count, e.Name,
	}
}

// eventTarget names the involved object as kubectl does: "pod/web-1".
func eventTarget(e *corev1.Event) string {
	kind := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name == "" {
		return kind
	}
	return kind + "/" + e.InvolvedObject.Name
}

// eventSource says who told the Event and where: "kubelet, node-1". The old fields come before the new ones.
func eventSource(e *corev1.Event) string {
	component := orElse(e.Source.Component, e.ReportingController)
	host := orElse(e.Source.Host, e.ReportingInstance)
	if host == "" {
		return component
	}
	return component + ", " + host
}
