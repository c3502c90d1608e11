package kinds

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"kubarium/server/table"
)

const maxTrustBundle = 1 << 20 // bytes

// clusterTrustBundle is the row of ClusterTrustBundle. One of a signer is named after it: "example.com:signer:name".
func clusterTrustBundle() *Kind {
	return &Kind{
		GroupVersionKind: certificatesv1.SchemeGroupVersion.WithKind("ClusterTrustBundle"),
		Resource:         "clustertrustbundles",
		Singular:         "clustertrustbundle",
		New:              func() runtime.Object { return &certificatesv1.ClusterTrustBundle{} },
		NewList:          func() runtime.Object { return &certificatesv1.ClusterTrustBundleList{} },
		ValidateName:     anyName,
		ValidateCreate:   validateTrustBundle,
		ValidateUpdate:   validateTrustBundleUpdate,
		Fields: func(obj runtime.Object) fields.Set {
			return fields.Set{"spec.signerName": obj.(*certificatesv1.ClusterTrustBundle).Spec.SignerName}
		},
		FieldNames: []string{"spec.signerName"},
		Printer: table.Printer{Columns: []metav1.TableColumnDefinition{
			nameColumn(), column("SignerName", certificatesv1.ClusterTrustBundleSpec{}.SwaggerDoc()["signerName"]),
		}, Cells: trustBundleCells},
	}
}

func trustBundleCells(obj runtime.Object, _ time.Time) []any {
	b := obj.(*certificatesv1.ClusterTrustBundle)
	return []any{b.Name, orElse(b.Spec.SignerName, none)}
}

func validateTrustBundle(obj runtime.Object) field.ErrorList {
	b := obj.(*certificatesv1.ClusterTrustBundle)
	errs := validateBundleName(b)
	return append(errs, validateAnchors(b.Spec.TrustBundle, field.NewPath("spec", "trustBundle"))...)
}

func validateTrustBundleUpdate(obj, old runtime.Object) field.ErrorList {
	b, was := obj.(*certificatesv1.ClusterTrustBundle), old.(*certificatesv1.ClusterTrustBundle)
	errs := validateBundleName(b)
	if b.Spec.TrustBundle != was.Spec.TrustBundle {
		errs = append(errs, validateAnchors(b.Spec.TrustBundle, field.NewPath("spec", "trustBundle"))...)
	}
	return append(errs, apivalidation.ValidateImmutableField(b.Spec.SignerName, was.Spec.SignerName, field.NewPath("spec", "signerName"))...)
}

// validateBundleName wants the signer's name before that of its bundle, and no colon where there is no signer.
func validateBundleName(b *certificatesv1.ClusterTrustBundle) field.ErrorList {
	at := field.NewPath("metadata", "name")
	if b.Spec.SignerName == "" {
		if strings.Contains(b.Name, ":") {
			return field.ErrorList{field.Invalid(at, b.Name, "ClusterTrustBundle without signer name must not have \":\" in its name")}
		}
		return named(at, b.Name, apivalidation.NameIsDNSSubdomain(b.Name, false))
	}
	errs := validateSignerName(b.Spec.SignerName, field.NewPath("spec", "signerName"))
	prefix := strings.ReplaceAll(b.Spec.SignerName, "/", ":") + ":"
	rest, found := strings.CutPrefix(b.Name, prefix)
	if !found {
		return append(errs, field.Invalid(at, b.Name,
			fmt.Sprintf("ClusterTrustBundle for signerName %s must be named with prefix %s", b.Spec.SignerName, prefix)))
	}
	return append(errs, named(at, b.Name, apivalidation.NameIsDNSSubdomain(rest, false))...)
}

// validateAnchors wants certificates of authorities, each once. Repeated ones are told when nothing else is wrong.
func validateAnchors(text string, at *field.Path) field.ErrorList {
	if len(text) > maxTrustBundle {
		return field.ErrorList{field.TooLong(at, "", maxTrustBundle)}
	}
	var errs field.ErrorList
	places := map[string][]int{}
	rest := []byte(text)
	for i := 0; ; i++ {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if reason := notAnchor(block); reason != "" {
			errs = append(errs, field.Invalid(at, "<value omitted>", fmt.Sprintf("entry %d %s", i, reason)))
			continue
		}
		places[string(block.Bytes)] = append(places[string(block.Bytes)], i)
	}
	if len(errs) > 0 {
		return errs
	}
	if len(places) == 0 {
		return field.ErrorList{field.Invalid(at, "<value omitted>", "at least one trust anchor must be provided")}
	}
	for _, key := range slices.Sorted(maps.Keys(places)) {
		if len(places[key]) > 1 {
			errs = append(errs, field.Invalid(at, "<value omitted>", fmt.Sprintf("duplicate trust anchor (indices %v)", places[key])))
		}
	}
	return errs
}

// notAnchor says why a block is no certificate of an authority; empty if it is.
func notAnchor(block *pem.Block) string {
	switch {
	case block.Type != "CERTIFICATE":
		return "has bad block type: " + block.Type
	case len(block.Headers) > 0:
		return "has PEM block headers"
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return "does not parse as X.509"
	case !certificate.IsCA:
		return "does not have the CA bit set"
	case !certificate.BasicConstraintsValid:
		return "has invalid basic constraints"
	}
	return ""
}
