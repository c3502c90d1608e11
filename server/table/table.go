// Package table describes how a kind is shown in a row, as the server-side printing of "kubectl get" needs it
// (Kubernetes API Concepts, "Receiving resources as Tables").
package table

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A Printer gives the columns of a kind and the row of one object.
type Printer struct {
	// Empty is a Table with the columns of the kind. Its rows are nil or empty, as those of an empty list are in
	// kube-apiserver.
	Empty func() metav1.Table
	// Row returns a row with one cell a column: string, int64, bool or nil. Its Object is left empty.
	Row func(obj runtime.Object) (metav1.TableRow, error)
}
