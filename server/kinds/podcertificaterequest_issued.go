package kinds

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/mail"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	maxCertificateChain = 100 << 10        // bytes
	minRefreshDistance  = 10 * time.Minute // between the time to refresh and both ends of a certificate
	maxClockDistance    = 5 * time.Minute  // between the begin of a certificate and now
)

// validateIssued checks the certificate that a signer gives: that it is for the key of the request, a PKCS#10 request in
// DER, and that the status tells its times.
func validateIssued(r *certificatesv1.PodCertificateRequest, request []byte) field.ErrorList {
	s, at := &r.Status, field.NewPath("status", "certificateChain")
	refuse := func(reason string) field.ErrorList {
		return field.ErrorList{field.Invalid(at, s.CertificateChain, reason)}
	}
	if len(s.CertificateChain) > maxCertificateChain {
		return field.ErrorList{field.TooLong(at, "", maxCertificateChain)}
	}
	block, rest := pem.Decode([]byte(s.CertificateChain))
	switch {
	case block == nil:
		return refuse("issued certificate chain must contain at least one certificate")
	case block.Type != "CERTIFICATE":
		return refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return refuse("leaf certificate does not parse as valid X.509")
	}
	errs := validateLeafNames(leaf, at)
	asked, err := x509.ParseCertificateRequest(request)
	if err != nil {
		return append(errs, field.Invalid(field.NewPath("spec", "stubPKCS10Request"), field.OmitValueType{}, "must be a valid PKCS#10 CSR"))
	}
	if key, ok := asked.PublicKey.(interface{ Equal(crypto.PublicKey) bool }); ok && !key.Equal(leaf.PublicKey) {
		return append(errs, refuse("leaf certificate was not issued to the requested public key")...)
	}
	if errs = append(errs, validateIssuedTimes(r, leaf)...); len(errs) > 0 {
		return errs
	}
	for block, rest = pem.Decode(rest); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			// The word is misspelled in Kubernetes too.
			return refuse("issued certificate chain must consist entirely of CERTFICATE PEM blocks")
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return refuse("intermediate certificate does not parse as valid X.509")
		}
	}
	return nil
}

func validateLeafNames(leaf *x509.Certificate, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, name := range leaf.DNSNames {
		if name == "" {
			errs = append(errs, field.Invalid(at, name, "leaf certificate should not contain empty DNSName"))
		}
		if strings.Contains(name, "..") {
			errs = append(errs, field.Invalid(at, name, "leaf certificate's DNSName should not contain '..'"))
		}
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") {
			errs = append(errs, field.Invalid(at, name, "leaf certificate's DNSName should not start or end with '.'"))
		}
	}
	for _, address := range leaf.EmailAddresses {
		if _, err := mail.ParseAddress(address); err != nil {
			errs = append(errs, field.Invalid(at, address, "leaf certificate should not contain invalid EmailAddress"))
		}
	}
	return errs
}

// validateIssuedTimes compares the times in the status with those of the certificate, and tells the first that is wrong.
func validateIssuedTimes(r *certificatesv1.PodCertificateRequest, leaf *x509.Certificate) field.ErrorList {
	s, status := &r.Status, field.NewPath("status")
	begin, end, refresh := status.Child("notBefore"), status.Child("notAfter"), status.Child("beginRefreshAt")
	var errs field.ErrorList
	for _, m := range []struct {
		at     *field.Path
		value  *metav1.Time
		reason string
	}{
		{begin, s.NotBefore, "must be present and consistent with the issued certificate"},
		{end, s.NotAfter, "must be present and consistent with the issued certificate"},
		{refresh, s.BeginRefreshAt, "must be present and in the range [notbefore+10min, notafter-10min]"},
	} {
		if m.value == nil {
			errs = append(errs, field.Required(m.at, m.reason))
		}
	}
	if len(errs) > 0 {
		return errs
	}
	one := func(at *field.Path, value any, reason string) field.ErrorList {
		return field.ErrorList{field.Invalid(at, value, reason)}
	}
	life := leaf.NotAfter.Sub(leaf.NotBefore)
	switch {
	case !s.NotBefore.Time.Equal(leaf.NotBefore):
		return one(begin, s.NotBefore.Time, "must be set to the NotBefore time encoded in the leaf certificate")
	case time.Since(s.NotBefore.Time).Abs() >= maxClockDistance:
		return one(begin, s.NotBefore.Time, "must be set to within 5 minutes of kube-apiserver's current time")
	case !s.NotAfter.Time.Equal(leaf.NotAfter):
		return one(end, s.NotAfter.Time, "must be set to the NotAfter time encoded in the leaf certificate")
	case life < time.Hour:
		return one(status.Child("certificateChain"), life, "leaf certificate lifetime must be >= 1 hour")
	case life > time.Duration(*r.Spec.MaxExpirationSeconds)*time.Second:
		return one(status.Child("certificateChain"), life,
			fmt.Sprintf("leaf certificate lifetime must be <= spec.maxExpirationSeconds (%v)", *r.Spec.MaxExpirationSeconds))
	case s.BeginRefreshAt.Time.Before(s.NotBefore.Add(minRefreshDistance)):
		return one(refresh, s.BeginRefreshAt.Time, "must be at least 10 minutes after status.notBefore")
	case s.BeginRefreshAt.Time.After(s.NotAfter.Add(-minRefreshDistance)):
		return one(refresh, s.BeginRefreshAt.Time, "must be at least 10 minutes before status.notAfter")
	}
	return nil
}
