// Package table describes how a kind is shown in a row, as the server-side printing of "kubectl get" needs it
// (Kubernetes API Concepts, "Receiving resources as Tables").
package table

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A Printer gives the columns of a kind, and the cells of one object in their order.
type Printer struct {
	Columns []metav1.TableColumnDefinition
	// Cells returns one value a column: string, int64, bool or nil. now is the time for ages.
	Cells func(obj runtime.Object, now time.Time) []any
}
