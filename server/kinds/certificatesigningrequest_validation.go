package kinds

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const minCertificateLife = 600 // seconds

// decisions are the conditions that may only be true, and do not go away again.
var decisions = []certificatesv1.RequestConditionType{
	certificatesv1.CertificateApproved, certificatesv1.CertificateDenied, certificatesv1.CertificateFailed,
}

// keyUsages are all that a certificate may be for, in the order in which an error lists them.
var keyUsages = []certificatesv1.KeyUsage{
	certificatesv1.UsageAny, certificatesv1.UsageCertSign, certificatesv1.UsageClientAuth, certificatesv1.UsageCodeSigning,
	certificatesv1.UsageContentCommitment, certificatesv1.UsageCRLSign, certificatesv1.UsageDataEncipherment,
	certificatesv1.UsageDecipherOnly, certificatesv1.UsageDigitalSignature, certificatesv1.UsageEmailProtection,
	certificatesv1.UsageEncipherOnly, certificatesv1.UsageIPsecEndSystem, certificatesv1.UsageIPsecTunnel,
	certificatesv1.UsageIPsecUser, certificatesv1.UsageKeyAgreement, certificatesv1.UsageKeyEncipherment,
	certificatesv1.UsageMicrosoftSGC, certificatesv1.UsageNetscapeSGC, certificatesv1.UsageOCSPSigning,
	certificatesv1.UsageSMIME, certificatesv1.UsageServerAuth, certificatesv1.UsageSigning, certificatesv1.UsageTimestamping,
}

func validateSigningRequest(obj runtime.Object) field.ErrorList {
	r := csr(obj)
	spec := field.NewPath("spec")
	var errs field.ErrorList
	if err := checkPKCS10(r.Spec.Request); err != nil {
		errs = append(errs, field.Invalid(spec.Child("request"), r.Spec.Request, err.Error()))
	}
	errs = append(errs, validateUsages(r.Spec.Usages, spec.Child("usages"))...)
	if r.Spec.SignerName == "kubernetes.io/legacy-unknown" {
		errs = append(errs, field.Invalid(spec.Child("signerName"), r.Spec.SignerName, "the legacy signerName is not allowed via this API version"))
	} else {
		errs = append(errs, validateSignerName(r.Spec.SignerName, spec.Child("signerName"))...)
	}
	if s := r.Spec.ExpirationSeconds; s != nil && *s < minCertificateLife {
		errs = append(errs, field.Invalid(spec.Child("expirationSeconds"), *s, "may not specify a duration less than 600 seconds (10 minutes)"))
	}
	return append(errs, validateStatusOfRequest(r, nil)...)
}

// checkPKCS10 wants a certificate request in PEM that its own key has signed.
func checkPKCS10(text []byte) error {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return errors.New("PEM block type must be CERTIFICATE REQUEST")
	}
	request, err := x509.ParseCertificateRequest(block.Bytes)
	if err != nil {
		return err
	}
	return request.CheckSignature()
}

func validateUsages(usages []certificatesv1.KeyUsage, at *field.Path) field.ErrorList {
	if len(usages) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, u := range usages {
		errs = append(errs, among(at.Index(i), u, keyUsages...)...)
		errs = append(errs, once(seen, string(u), at.Index(i))...)
	}
	return errs
}

// validateStatusOfRequest checks conditions and certificate. What is wrong in the old state is let be; was is nil at a
// create.
func validateStatusOfRequest(r, was *certificatesv1.CertificateSigningRequest) field.ErrorList {
	at := field.NewPath("status")
	var errs field.ErrorList
	before := conditionFaults(was)
	for _, fault := range conditionFaults(r) {
		if !slices.ContainsFunc(before, func(old conditionFault) bool { return old.kind == fault.kind }) || fault.kind == faultStatus {
			errs = append(errs, fault.err)
		}
	}
	if was != nil && (bytes.Equal(r.Status.Certificate, was.Status.Certificate) || checkCertificates(was.Status.Certificate) != nil) {
		return errs
	}
	if err := checkCertificates(r.Status.Certificate); err != nil {
		errs = append(errs, field.Invalid(at.Child("certificate"), "<certificate data>", err.Error()))
	}
	return errs
}

// A conditionFault is what is wrong with one condition.
type conditionFault struct {
	kind faultKind
	err  *field.Error
}

type faultKind int

const (
	faultType   faultKind = iota // it has no type
	faultStatus                  // its status is none
	faultBoth                    // approved and denied
	faultTwice                   // a type comes again
)

// conditionFaults lists what is wrong with the conditions of a request, which may be nil.
func conditionFaults(r *certificatesv1.CertificateSigningRequest) []conditionFault {
	if r == nil {
		return nil
	}
	var faults []conditionFault
	seen := map[certificatesv1.RequestConditionType]bool{}
	for i, c := range r.Status.Conditions {
		at := field.NewPath("status", "conditions").Index(i)
		if c.Type == "" {
			faults = append(faults, conditionFault{faultType, field.Required(at.Child("type"), "")})
		}
		known := []corev1.ConditionStatus{corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown}
		if slices.Contains(decisions, c.Type) {
			known = []corev1.ConditionStatus{corev1.ConditionTrue}
		}
		switch {
		case c.Status == "":
			faults = append(faults, conditionFault{faultStatus, field.Required(at.Child("status"), "")})
		case !slices.Contains(known, c.Status):
			faults = append(faults, conditionFault{faultStatus, field.NotSupported(at.Child("status"), c.Status, known)})
		}
		other := map[certificatesv1.RequestConditionType]certificatesv1.RequestConditionType{
			certificatesv1.CertificateApproved: certificatesv1.CertificateDenied,
			certificatesv1.CertificateDenied:   certificatesv1.CertificateApproved,
		}[c.Type]
		if other != "" && seen[other] {
			faults = append(faults, conditionFault{faultBoth, field.Invalid(at.Child("type"), c.Type, "Approved and Denied conditions are mutually exclusive")})
		}
		if seen[c.Type] {
			faults = append(faults, conditionFault{faultTwice, field.Duplicate(at.Child("type"), c.Type)})
		}
		seen[c.Type] = true
	}
	return faults
}

// checkCertificates wants nothing, or certificates in PEM one behind the other.
func checkCertificates(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	for blocks := 0; ; blocks++ {
		block, rest := pem.Decode(text)
		switch {
		case block == nil && blocks == 0:
			return errors.New("must contain at least one CERTIFICATE PEM block")
		case block == nil:
			return nil
		case block.Type != "CERTIFICATE":
			return fmt.Errorf("only CERTIFICATE PEM blocks are allowed, found %q", block.Type)
		case len(block.Headers) != 0:
			return errors.New("no PEM block headers are permitted")
		}
		certificates, err := x509.ParseCertificates(block.Bytes)
		if err != nil {
			return err
		}
		if len(certificates) == 0 {
			return errors.New("found CERTIFICATE PEM block containing 0 certificates")
		}
		text = rest
	}
}

// signingChange says what a door may change in the status.
type signingChange struct{ approval, certificate bool }

func validateSigningRequestUpdate(obj, old runtime.Object) field.ErrorList {
	return validateSigningChange(csr(obj), csr(old), signingChange{})
}

func validateSigning(obj, old runtime.Object) field.ErrorList {
	return validateSigningChange(csr(obj), csr(old), signingChange{certificate: true})
}

func validateApproval(obj, old runtime.Object) field.ErrorList {
	return validateSigningChange(csr(obj), csr(old), signingChange{approval: true})
}

func validateSigningChange(r, was *certificatesv1.CertificateSigningRequest, may signingChange) field.ErrorList {
	errs := validateStatusOfRequest(r, was)
	conditions, certificate := field.NewPath("status", "conditions"), field.NewPath("status", "certificate")
	for _, of := range decisions {
		is, before := conditionsOf(r, of), conditionsOf(was, of)
		switch {
		case len(is) < len(before):
			errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not remove a condition of type %q", of)))
		case may.approval || of == certificatesv1.CertificateFailed:
		case len(is) > len(before):
			errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not add a condition of type %q", of)))
		case !equality.Semantic.DeepEqual(is, before):
			errs = append(errs, field.Forbidden(conditions, fmt.Sprintf("updates may not modify a condition of type %q", of)))
		}
	}
	switch {
	case bytes.Equal(r.Status.Certificate, was.Status.Certificate):
	case !may.certificate:
		errs = append(errs, field.Forbidden(certificate, "updates may not set certificate content"))
	case len(was.Status.Certificate) > 0:
		errs = append(errs, field.Forbidden(certificate, "updates may not modify existing certificate content"))
	}
	return errs
}
