package kinds

import (
	"crypto/x509"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

// Bounds of the life of a certificate of a Pod, in seconds.
const (
	defaultPodCertificateLife = 24 * 60 * 60
	minPodCertificateLife     = 60 * 60
	maxPodCertificateLife     = 91 * 24 * 60 * 60
)

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
		ValidateCreate: validatePodCertificateRequest,
		ValidateUpdate: func(obj, old runtime.Object) field.ErrorList {
			return frozen(field.NewPath("spec"), obj.(*certificatesv1.PodCertificateRequest).Spec, old.(*certificatesv1.PodCertificateRequest).Spec)
		},
		ValidateStatusUpdate: validatePodCertificateStatus,
		Fields: func(obj runtime.Object) fields.Set {
			s := &obj.(*certificatesv1.PodCertificateRequest).Spec
			return fields.Set{"spec.signerName": s.SignerName, "spec.podName": s.PodName, "spec.nodeName": string(s.NodeName)}
		},
		FieldNames: []string{"spec.nodeName", "spec.podName", "spec.signerName"},
		Printer:    table.Printer{Columns: podCertificateColumns(), Cells: podCertificateCells},
	}
}

func validatePodCertificateRequest(obj runtime.Object) field.ErrorList {
	s := &obj.(*certificatesv1.PodCertificateRequest).Spec
	at := field.NewPath("spec")
	errs := validateSignerName(s.SignerName, at.Child("signerName"))
	for _, m := range []struct{ name, value string }{
		{"podName", s.PodName}, {"serviceAccountName", s.ServiceAccountName}, {"nodeName", string(s.NodeName)},
	} {
		errs = append(errs, named(at.Child(m.name), m.value, apivalidation.NameIsDNSSubdomain(m.value, false))...)
	}
	errs = append(errs, required(at.Child("podUID"), string(s.PodUID))...)
	errs = append(errs, required(at.Child("serviceAccountUID"), string(s.ServiceAccountUID))...)
	errs = append(errs, required(at.Child("nodeUID"), string(s.NodeUID))...)
	if life := *s.MaxExpirationSeconds; life < minPodCertificateLife || life > maxPodCertificateLife {
		errs = append(errs, field.Invalid(at.Child("maxExpirationSeconds"), life, "must be in the range [3600, 7862400]"))
	}
	request, err := x509.ParseCertificateRequest(s.StubPKCS10Request)
	if err == nil {
		err = request.CheckSignature()
	}
	if err != nil {
		errs = append(errs, field.Invalid(at.Child("stubPKCS10Request"), "<omitted>", "must be a valid PKCS#10 request: "+err.Error()))
	}
	return errs
}

// validatePodCertificateStatus lets a request be decided once: its first issued, denied or failed condition stays.
func validatePodCertificateStatus(obj, old runtime.Object) field.ErrorList {
	s, was := &obj.(*certificatesv1.PodCertificateRequest).Status, &old.(*certificatesv1.PodCertificateRequest).Status
	at := field.NewPath("status")
	errs := metav1validation.ValidateConditions(s.Conditions, at.Child("conditions"))
	if decision := podCertificateState(was); decision != pendingState && decision != podCertificateState(s) {
		errs = append(errs, field.Forbidden(at.Child("conditions"), "a request that is "+strings.ToLower(decision)+" may not change its state"))
	}
	return errs
}

const pendingState = "Pending"

// podCertificateState is the type of the condition that decided a request.
func podCertificateState(s *certificatesv1.PodCertificateRequestStatus) string {
	for _, c := range s.Conditions {
		switch c.Type {
		case certificatesv1.PodCertificateRequestConditionTypeIssued, certificatesv1.PodCertificateRequestConditionTypeDenied,
			certificatesv1.PodCertificateRequestConditionTypeFailed:
			return c.Type
		}
	}
	return pendingState
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
