package kinds

import (
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"kubarium/server/table"
)

const defaultPodCertificateLife = 24 * 60 * 60 // seconds

// podCertificateRequest is the row of PodCertificateRequest, by which a kubelet asks for the certificate of a Pod.
func podCertificateRequest() *Kind {
	return &Kind{
		GroupVersionKind: certificatesv1.SchemeGroupVersion.WithKind("PodCertificateRequest"),
		Resource:         "podcertificaterequests",
		Singular:         "podcertificaterequest",
		Namespaced:       true,
		New:              func() runtime.Object { return &certificatesv1.PodCertificateRequest{} },
		NewList:          func() runtime.Object { return &certificatesv1.PodCertificateRequestList{} },
		Status:           true,
		StatusAlone:      true,
		Default: func(obj runtime.Object) {
			orDefault(&obj.(*certificatesv1.PodCertificateRequest).Spec.MaxExpirationSeconds, defaultPodCertificateLife)
		},
		ValidateCreate:       validatePodCertificateRequest,
		ValidateUpdate:       validatePodCertificateUpdate,
		ValidateStatusUpdate: validatePodCertificateStatus,
		Fields: func(obj runtime.Object) fields.Set {
			s := &obj.(*certificatesv1.PodCertificateRequest).Spec
			return fields.Set{"spec.signerName": s.SignerName, "spec.podName": s.PodName, "spec.nodeName": string(s.NodeName)}
		},
		FieldNames: []string{"spec.nodeName", "spec.podName", "spec.signerName"},
		Printer:    table.Printer{Columns: podCertificateColumns(), Cells: podCertificateCells},
	}
}

const pendingState = "Pending"

// podCertificateState is the type of the condition that decided a request.
func podCertificateState(s *certificatesv1.PodCertificateRequestStatus) string {
	state := pendingState
	for _, c := range s.Conditions {
		if slices.Contains(podCertificateEnds, c.Type) {
			state = c.Type
		}
	}
	return state
}

func podCertificateColumns() []metav1.TableColumnDefinition {
	doc := certificatesv1.PodCertificateRequestSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		column("PodName", doc["podName"]),
		column("ServiceAccountName", doc["serviceAccountName"]),
		column("NodeName", doc["nodeName"]),
		column("SignerName", doc["signerName"]),
		column("State", "Is the request Pending, Issued, Denied, or Failed?"),
		column("UnverifiedUserAnnotations", doc["unverifiedUserAnnotations"]),
	}
}

func podCertificateCells(obj runtime.Object, _ time.Time) []any {
	r := obj.(*certificatesv1.PodCertificateRequest)
	return []any{
		r.Name, r.Spec.PodName, r.Spec.ServiceAccountName, string(r.Spec.NodeName), r.Spec.SignerName, podCertificateState(&r.Status),
		labels.FormatLabels(r.Spec.UnverifiedUserAnnotations),
	}
}
