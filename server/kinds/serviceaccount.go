package kinds

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

// serviceAccount is the row of ServiceAccount.
func serviceAccount() *Kind {
	return &Kind{
		GroupVersionKind:    corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
		Resource:            "serviceaccounts",
		Singular:            "serviceaccount",
		ShortNames:          []string{"sa"},
		ReturnDeleted:       true,
		Namespaced:          true,
		New:                 func() runtime.Object { return &corev1.ServiceAccount{} },
		NewList:             func() runtime.Object { return &corev1.ServiceAccountList{} },
		UnconditionalUpdate: true,
		PrepareForCreate:    cleanSecretReferences,
		PrepareForUpdate:    func(obj, _ runtime.Object) { cleanSecretReferences(obj) },
		Warn:                warnServiceAccount,
		Printer: table.Printer{
			Columns: []metav1.TableColumnDefinition{nameColumn(), ageColumn()},
			Cells: func(obj runtime.Object, now time.Time) []any {
				sa := obj.(*corev1.ServiceAccount)
				return []any{sa.Name, age(sa.CreationTimestamp, now)}
			},
		},
	}
}

// cleanSecretReferences keeps of each reference to a Secret its name alone: nothing else of it is ever read.
func cleanSecretReferences(obj runtime.Object) {
	sa := obj.(*corev1.ServiceAccount)
	for i, ref := range sa.Secrets {
		sa.Secrets[i] = corev1.ObjectReference{Name: ref.Name}
	}
}
