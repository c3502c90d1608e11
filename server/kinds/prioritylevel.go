package kinds

import (
	"fmt"
	"math"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

const (
	maxFlowQueues   = 10_000_000
	maxShuffleBits  = 60 // of the hash that deals the queues of a flow
	notNegativeText = "must be a non-negative integer"
	percentText     = "must be between 0 and 100, inclusive"
)

// priorityLevel is the row of PriorityLevelConfiguration.
func priorityLevel() *Kind {
	return &Kind{
		GroupVersionKind:    flowcontrolv1.SchemeGroupVersion.WithKind("PriorityLevelConfiguration"),
		Resource:            "prioritylevelconfigurations",
		Singular:            "prioritylevelconfiguration",
		New:                 func() runtime.Object { return &flowcontrolv1.PriorityLevelConfiguration{} },
		NewList:             func() runtime.Object { return &flowcontrolv1.PriorityLevelConfigurationList{} },
		UnconditionalUpdate: true,
		Status:              true,
		StatusAlone:         true,
		Generation:          true,
		Default:             defaultPriorityLevel,
		Validate:            validatePriorityLevel,
		ValidateStatusUpdate: func(obj, _ runtime.Object) field.ErrorList {
			var types []string
			for _, c := range obj.(*flowcontrolv1.PriorityLevelConfiguration).Status.Conditions {
				types = append(types, string(c.Type))
			}
			return validateConditionTypes(types)
		},
		Printer: table.Printer{Columns: priorityLevelColumns(), Cells: priorityLevelCells},
	}
}

func defaultPriorityLevel(obj runtime.Object) {
	s := &obj.(*flowcontrolv1.PriorityLevelConfiguration).Spec
	if s.Exempt != nil {
		orDefault(&s.Exempt.NominalConcurrencyShares, 0)
		orDefault(&s.Exempt.LendablePercent, 0)
	}
	if s.Limited == nil {
		return
	}
	orDefault(&s.Limited.NominalConcurrencyShares, 30)
	orDefault(&s.Limited.LendablePercent, 0)
	if q := s.Limited.LimitResponse.Queuing; q != nil {
		orValue(&q.HandSize, 8)
		orValue(&q.Queues, 64)
		orValue(&q.QueueLengthLimit, 50)
	}
}

// zeroSharesAnnotation is how one version of the API, which had no way to say zero shares, is kept to it.
const zeroSharesAnnotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"

func validatePriorityLevel(obj runtime.Object) field.ErrorList {
	l := obj.(*flowcontrolv1.PriorityLevelConfiguration)
	s, at := &l.Spec, field.NewPath("spec")
	isExempt := s.Type == flowcontrolv1.PriorityLevelEnablementExempt
	var errs field.ErrorList
	if _, there := l.Annotations[zeroSharesAnnotation]; there {
		errs = append(errs, field.Forbidden(field.NewPath("metadata", "annotations"), "annotation '"+zeroSharesAnnotation+"' is forbidden"))
	}
	if (l.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt) != isExempt {
		errs = append(errs, field.Invalid(at.Child("type"), s.Type, "must be 'Exempt' if and only if `name` is 'exempt'"))
	}
	errs = append(errs, oneOf(at.Child("type"), s.Type,
		flowcontrolv1.PriorityLevelEnablementExempt, flowcontrolv1.PriorityLevelEnablementLimited)...)
	isLimited := s.Type == flowcontrolv1.PriorityLevelEnablementLimited
	switch {
	case s.Limited != nil && !isLimited:
		errs = append(errs, field.Forbidden(at.Child("limited"), ""))
	case s.Limited == nil && isLimited:
		errs = append(errs, field.Required(at.Child("limited"), ""))
	case s.Limited != nil:
		errs = append(errs, validateLimited(s.Limited, at.Child("limited"))...)
	}
	switch {
	case s.Exempt != nil && !isExempt:
		errs = append(errs, field.Forbidden(at.Child("exempt"), ""))
	case s.Exempt != nil:
		errs = append(errs, validateShares(s.Exempt.NominalConcurrencyShares, s.Exempt.LendablePercent, at.Child("exempt"))...)
	}
	return append(errs, validateFixedLevel(l, at)...)
}

// validateFixedLevel keeps the levels that every cluster has as they are, but for the shares of the exempt one.
func validateFixedLevel(l *flowcontrolv1.PriorityLevelConfiguration, at *field.Path) field.ErrorList {
	switch l.Name {
	case flowcontrolv1.PriorityLevelConfigurationNameExempt:
		if l.Spec.Type != flowcontrolv1.PriorityLevelEnablementExempt || l.Spec.Limited != nil {
			return field.ErrorList{field.Invalid(at, internalForm(l.Spec),
				"spec of 'exempt' except the 'spec.exempt' field must equal the fixed value")}
		}
	case flowcontrolv1.PriorityLevelConfigurationNameCatchAll:
		fixed := flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(5)), LendablePercent: new(int32(0)),
				LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		}
		if !equality.Semantic.DeepEqual(l.Spec, fixed) {
			return field.ErrorList{field.Invalid(at, internalForm(l.Spec), "spec of 'catch-all' must equal the fixed value")}
		}
	}
	return nil
}

// validateShares reads what the defaults have set.
func validateShares(shares, lendable *int32, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if *shares < 0 {
		errs = append(errs, field.Invalid(at.Child("nominalConcurrencyShares"), *shares, notNegativeText))
	}
	if *lendable < 0 || *lendable > 100 {
		errs = append(errs, field.Invalid(at.Child("lendablePercent"), *lendable, percentText))
	}
	return errs
}

func validateLimited(l *flowcontrolv1.LimitedPriorityLevelConfiguration, at *field.Path) field.ErrorList {
	errs := validateShares(l.NominalConcurrencyShares, l.LendablePercent, at)
	if b := l.BorrowingLimitPercent; b != nil && *b < 0 {
		errs = append(errs, field.Invalid(at.Child("borrowingLimitPercent"), *b, "if specified, "+notNegativeText))
	}
	r, response := &l.LimitResponse, at.Child("limitResponse")
	errs = append(errs, oneOf(response.Child("type"), r.Type, flowcontrolv1.LimitResponseTypeQueue, flowcontrolv1.LimitResponseTypeReject)...)
	isQueue := r.Type == flowcontrolv1.LimitResponseTypeQueue
	switch {
	case r.Queuing != nil && !isQueue:
		errs = append(errs, field.Forbidden(response.Child("queuing"), ""))
	case r.Queuing == nil && isQueue:
		errs = append(errs, field.Required(response.Child("queuing"), ""))
	case r.Queuing != nil:
		errs = append(errs, validateQueuing(r.Queuing, response.Child("queuing"))...)
	}
	return errs
}

func validateQueuing(q *flowcontrolv1.QueuingConfiguration, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if q.QueueLengthLimit <= 0 {
		errs = append(errs, field.Invalid(at.Child("queueLengthLimit"), q.QueueLengthLimit, "must be positive"))
	}
	switch {
	case q.Queues <= 0:
		errs = append(errs, field.Invalid(at.Child("queues"), q.Queues, "must be positive"))
	case q.Queues > maxFlowQueues:
		errs = append(errs, field.Invalid(at.Child("queues"), q.Queues, fmt.Sprintf("must not be greater than %d", maxFlowQueues)))
	}
	hand := at.Child("handSize")
	switch {
	case q.HandSize <= 0:
		errs = append(errs, field.Invalid(hand, q.HandSize, "must be positive"))
	case q.HandSize > q.Queues:
		errs = append(errs, field.Invalid(hand, q.HandSize, fmt.Sprintf("should not be greater than queues (%d)", q.Queues)))
	case math.Ceil(math.Log2(float64(q.Queues))*float64(q.HandSize)) > maxShuffleBits:
		errs = append(errs, field.Invalid(hand, q.HandSize, fmt.Sprintf(
			"required entropy bits of deckSize %d and handSize %d should not be greater than %d", q.Queues, q.HandSize, maxShuffleBits)))
	}
	return errs
}

func priorityLevelColumns() []metav1.TableColumnDefinition {
	queuing := flowcontrolv1.QueuingConfiguration{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("Type", flowcontrolv1.PriorityLevelConfigurationSpec{}.SwaggerDoc()["type"]),
		column("NominalConcurrencyShares", flowcontrolv1.LimitedPriorityLevelConfiguration{}.SwaggerDoc()["nominalConcurrencyShares"]),
		column("Queues", queuing["queues"]),
		column("HandSize", queuing["handSize"]),
		column("QueueLengthLimit", queuing["queueLengthLimit"]),
		ageColumn(),
	}
}

func priorityLevelCells(obj runtime.Object, now time.Time) []any {
	l := obj.(*flowcontrolv1.PriorityLevelConfiguration)
	shares, queues, hand, length := any(none), any(none), any(none), any(none)
	if limited := l.Spec.Limited; limited != nil {
		if n := limited.NominalConcurrencyShares; n != nil {
			shares = int64(*n)
		}
		if q := limited.LimitResponse.Queuing; q != nil {
			queues, hand, length = int64(q.Queues), int64(q.HandSize), int64(q.QueueLengthLimit)
		}
	}
	return []any{l.Name, string(l.Spec.Type), shares, queues, hand, length, age(l.CreationTimestamp, now)}
}
