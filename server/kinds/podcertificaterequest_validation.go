package kinds

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"slices"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Bounds of a request for the certificate of a Pod.
const (
	minPodCertificateLife        = 60 * 60           // seconds
	maxPodCertificateLife        = 91 * 24 * 60 * 60 // seconds
	maxKubernetesCertificateLife = 24 * 60 * 60      // seconds, of a signer of Kubernetes
	maxStubRequest               = 10 << 10          // bytes
	maxUIDLength                 = 128
)

// podCertificateEnds are the conditions that decide a request.
var podCertificateEnds = []string{certificatesv1.PodCertificateRequestConditionTypeIssued,
	certificatesv1.PodCertificateRequestConditionTypeDenied, certificatesv1.PodCertificateRequestConditionTypeFailed}

func validatePodCertificateRequest(obj runtime.Object) field.ErrorList {
	s, at := &obj.(*certificatesv1.PodCertificateRequest).Spec, field.NewPath("spec")
	errs := validateSignerName(s.SignerName, at.Child("signerName"))
	for key := range s.UnverifiedUserAnnotations {
		errs = append(errs, validation.IsDomainPrefixedKey(at.Child("unverifiedUserAnnotations"), strings.ToLower(key))...)
	}
	if apivalidation.ValidateAnnotationsSize(s.UnverifiedUserAnnotations) != nil {
		errs = append(errs, field.TooLong(at.Child("unverifiedUserAnnotations"), "", apivalidation.TotalAnnotationSizeLimitB))
	}
	for _, m := range []struct {
		kind, name string
		uid        types.UID
	}{
		{"pod", s.PodName, s.PodUID}, {"serviceAccount", s.ServiceAccountName, s.ServiceAccountUID}, {"node", string(s.NodeName), s.NodeUID},
	} {
		errs = append(errs, named(at.Child(m.kind+"Name"), m.name, apivalidation.NameIsDNSSubdomain(m.name, false))...)
		if m.uid == "" {
			errs = append(errs, field.Invalid(at.Child(m.kind+"UID"), m.uid, "must not be empty"))
		}
		if len(m.uid) > maxUIDLength {
			errs = append(errs, field.TooLong(at.Child(m.kind+"UID"), "", maxUIDLength))
		}
	}
	errs = append(errs, validatePodCertificateLife(s, at.Child("maxExpirationSeconds"))...)
	if len(s.StubPKCS10Request) == 0 {
		return append(errs, field.Invalid(at, field.OmitValueType{},
			"exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"))
	}
	return append(errs, validateStubRequest(s.StubPKCS10Request, at.Child("stubPKCS10Request"))...)
}

func validatePodCertificateLife(s *certificatesv1.PodCertificateRequestSpec, at *field.Path) field.ErrorList {
	longest := int32(maxPodCertificateLife)
	if domain, _, _ := strings.Cut(s.SignerName, "/"); domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io") {
		longest = maxKubernetesCertificateLife
	}
	if life := *s.MaxExpirationSeconds; life < minPodCertificateLife || life > longest {
		return field.ErrorList{field.Invalid(at, life, fmt.Sprintf("must be in the range [%d, %d]", minPodCertificateLife, longest))}
	}
	return nil
}

// validateStubRequest checks the key of a PKCS#10 request and that who asks has it. What else it says does not matter.
func validateStubRequest(der []byte, at *field.Path) field.ErrorList {
	if len(der) > maxStubRequest {
		return field.ErrorList{field.TooLong(at, "", maxStubRequest)}
	}
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be a valid PKCS#10 CSR")}
	}
	switch key := request.PublicKey.(type) {
	case ed25519.PublicKey:
	case *ecdsa.PublicKey:
		if !slices.Contains([]elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()}, key.Curve) {
			return field.ErrorList{field.Invalid(at, "curve "+key.Curve.Params().Name, "elliptic public keys must use curve P256, P384, or P521")}
		}
	case *rsa.PublicKey:
		if bits := key.Size() * 8; bits != 3072 && bits != 4096 {
			return field.ErrorList{field.Invalid(at, fmt.Sprintf("%d-bit modulus", bits), "RSA keys must have modulus size 3072 or 4096")}
		}
	default:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "unknown public key type; supported types are Ed25519, ECDSA, and RSA")}
	}
	if request.CheckSignature() != nil {
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "invalid signature")}
	}
	return nil
}

// shownPodCertificate shows a spec as Kubernetes does, from its internal type, which has fields of older versions.
type shownPodCertificate struct {
	SignerName, PodName       string
	PodUID                    types.UID
	ServiceAccountName        string
	ServiceAccountUID         types.UID
	NodeName                  types.NodeName
	NodeUID                   types.UID
	MaxExpirationSeconds      *int32
	PKIXPublicKey             []byte
	ProofOfPossession         []byte
	StubPKCS10Request         []byte
	UnverifiedUserAnnotations map[string]string
}

func validatePodCertificateUpdate(obj, old runtime.Object) field.ErrorList {
	s, was := obj.(*certificatesv1.PodCertificateRequest).Spec, old.(*certificatesv1.PodCertificateRequest).Spec
	if equality.Semantic.DeepEqual(s, was) {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec"), shownPodCertificate{
		SignerName: s.SignerName, PodName: s.PodName, PodUID: s.PodUID, ServiceAccountName: s.ServiceAccountName,
		ServiceAccountUID: s.ServiceAccountUID, NodeName: s.NodeName, NodeUID: s.NodeUID, MaxExpirationSeconds: s.MaxExpirationSeconds,
		StubPKCS10Request: s.StubPKCS10Request, UnverifiedUserAnnotations: s.UnverifiedUserAnnotations,
	}, apivalidation.FieldImmutableErrorMsg)}
}

// validatePodCertificateStatus lets a request be decided once, and its status change with that decision alone.
func validatePodCertificateStatus(obj, old runtime.Object) field.ErrorList {
	r, was := obj.(*certificatesv1.PodCertificateRequest), old.(*certificatesv1.PodCertificateRequest)
	at := field.NewPath("status")
	if errs := validatePodCertificateConditions(r.Status.Conditions, at.Child("conditions")); len(errs) > 0 {
		return errs
	}
	if podCertificateState(&was.Status) != pendingState {
		return sameStatus(r.Status, was.Status, at, "immutable after PodCertificateRequest is issued, denied, or failed")
	}
	switch podCertificateState(&r.Status) {
	case certificatesv1.PodCertificateRequestConditionTypeIssued:
		return validateIssued(r, was.Spec.StubPKCS10Request)
	case pendingState:
		return sameStatus(r.Status, was.Status, at, `status is immutable unless transitioning to "Issued", "Denied", or "Failed"`)
	}
	only := certificatesv1.PodCertificateRequestStatus{Conditions: r.Status.Conditions}
	return sameStatus(r.Status, only, at, "non-condition status fields must be empty when denying or failing the PodCertificateRequest")
}

// sameStatus reports a status that is another than it has to be.
func sameStatus(is, want certificatesv1.PodCertificateRequestStatus, at *field.Path, reason string) field.ErrorList {
	if equality.Semantic.DeepEqual(is, want) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, field.OmitValueType{}, reason)}
}

// validatePodCertificateConditions wants one decision at most, and no condition of another type. The paths have the dot
// before the index that Kubernetes tells.
func validatePodCertificateConditions(conditions []metav1.Condition, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, c := range conditions {
		in := at.Child(fmt.Sprintf("[%d]", i))
		if !slices.Contains(podCertificateEnds, c.Type) {
			errs = append(errs, field.NotSupported(in.Child("type"), c.Type, podCertificateEnds))
			continue
		}
		if slices.ContainsFunc(conditions[:i], func(c metav1.Condition) bool { return slices.Contains(podCertificateEnds, c.Type) }) {
			errs = append(errs, field.Invalid(in.Child("type"), c.Type, `There may be at most one condition with type "Issued", "Denied", or "Failed"`))
		}
		if c.Status != metav1.ConditionTrue {
			errs = append(errs, field.NotSupported(in.Child("status"), c.Status, []metav1.ConditionStatus{metav1.ConditionTrue}))
		}
	}
	return append(errs, metav1validation.ValidateConditions(conditions, at)...)
}
