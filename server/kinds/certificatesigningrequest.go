package kinds

import (
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"kubarium/server/table"
)

// certificateSigningRequest is the row of CertificateSigningRequest. It is written once; approval and certificate come
// through doors of their own.
func certificateSigningRequest() *Kind {
	return &Kind{
		GroupVersionKind:       certificatesv1.SchemeGroupVersion.WithKind("CertificateSigningRequest"),
		Resource:               "certificatesigningrequests",
		Singular:               "certificatesigningrequest",
		ShortNames:             []string{"csr"},
		New:                    func() runtime.Object { return &certificatesv1.CertificateSigningRequest{} },
		NewList:                func() runtime.Object { return &certificatesv1.CertificateSigningRequestList{} },
		UnconditionalUpdate:    true,
		Status:                 true,
		Doors:                  map[string]*Door{"approval": approvalDoor()},
		Reset:                  [][]string{{"spec"}},
		PrepareForUpdate:       func(obj, old runtime.Object) { csr(obj).Spec = csr(old).Spec },
		PrepareForStatusUpdate: prepareSigning,
		StampUser:              stampRequestor,
		ValidateName:           anyName,
		ValidateCreate:         validateSigningRequest,
		ValidateUpdate:         validateSigningRequestUpdate,
		ValidateStatusUpdate:   validateSigning,
		Fields: func(obj runtime.Object) fields.Set {
			return fields.Set{"spec.signerName": csr(obj).Spec.SignerName}
		},
		FieldNames: []string{"spec.signerName"},
		Printer:    table.Printer{Columns: signingRequestColumns(), Cells: signingRequestCells},
	}
}

func csr(obj runtime.Object) *certificatesv1.CertificateSigningRequest {
	return obj.(*certificatesv1.CertificateSigningRequest)
}

// anyName allows what is fit for a path, which is checked for all kinds.
// anyName allows every name that fits into a path.
func anyName(name string, _ bool) []string { return content.IsPathSegmentName(name) }

// stampRequestor notes who asks for the certificate; what the request says of that itself is dropped.
func stampRequestor(obj runtime.Object, user authenticationv1.UserInfo) {
	s := &csr(obj).Spec
	s.Username, s.UID, s.Groups, s.Extra = user.Username, user.UID, user.Groups, nil
	for key, values := range user.Extra {
		if s.Extra == nil {
			s.Extra = map[string]certificatesv1.ExtraValue{}
		}
		s.Extra[key] = certificatesv1.ExtraValue(values)
	}
}

// approvalDoor lets the conditions of a request be set, and nothing else.
func approvalDoor() *Door {
	return &Door{
		Prepare: func(obj, old runtime.Object) {
			r, was := csr(obj), csr(old)
			timeConditions(r, was)
			r.Spec, r.Status.Certificate = was.Spec, was.Status.Certificate
		},
		Validate: validateApproval,
		Reset:    [][]string{{"spec"}, {"status", "certificate"}},
	}
}

// prepareSigning keeps what was decided through the approval: a signer that writes back an old state takes nothing away.
func prepareSigning(obj, old runtime.Object) {
	r, was := csr(obj), csr(old)
	for _, of := range []certificatesv1.RequestConditionType{certificatesv1.CertificateApproved, certificatesv1.CertificateDenied} {
		is, before := conditionsOf(r, of), conditionsOf(was, of)
		if len(is) != len(before) {
			continue // refused later
		}
		for i := range is {
			*is[i] = *before[i]
		}
	}
	timeConditions(r, was)
}

// conditionsOf returns the conditions of one type, to be changed in place.
func conditionsOf(r *certificatesv1.CertificateSigningRequest, of certificatesv1.RequestConditionType) []*certificatesv1.CertificateSigningRequestCondition {
	var found []*certificatesv1.CertificateSigningRequestCondition
	for i := range r.Status.Conditions {
		if r.Status.Conditions[i].Type == of {
			found = append(found, &r.Status.Conditions[i])
		}
	}
	return found
}

// timeConditions fills the times that a client left out: a condition that is not new keeps the time of its last change.
func timeConditions(r, was *certificatesv1.CertificateSigningRequest) {
	now := metav1.Now().Rfc3339Copy()
	for i := range r.Status.Conditions {
		c := &r.Status.Conditions[i]
		if c.LastUpdateTime.IsZero() {
			c.LastUpdateTime = now
		}
		if !c.LastTransitionTime.IsZero() {
			continue
		}
		c.LastTransitionTime = now
		same := slices.IndexFunc(was.Status.Conditions, func(o certificatesv1.CertificateSigningRequestCondition) bool {
			return o.Type == c.Type && o.Status == c.Status && !o.LastTransitionTime.IsZero()
		})
		if same >= 0 {
			c.LastTransitionTime = was.Status.Conditions[same].LastTransitionTime
		}
	}
}

func signingRequestColumns() []metav1.TableColumnDefinition {
	spec := certificatesv1beta1.CertificateSigningRequestSpec{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		nameColumn(),
		ageColumn(),
		column("SignerName", spec["signerName"]),
		column("Requestor", spec["request"]),
		column("RequestedDuration", spec["expirationSeconds"]),
		column("Condition", certificatesv1beta1.CertificateSigningRequestStatus{}.SwaggerDoc()["conditions"]),
	}
}

func signingRequestCells(obj runtime.Object, now time.Time) []any {
	r := csr(obj)
	life := none
	if s := r.Spec.ExpirationSeconds; s != nil {
		life = duration.HumanDuration(time.Duration(*s) * time.Second)
	}
	return []any{
		r.Name, age(r.CreationTimestamp, now), orElse(r.Spec.SignerName, none), r.Spec.Username, life, signingState(r),
	}
}

// signingState tells how far a request has come: "Approved,Issued".
func signingState(r *certificatesv1.CertificateSigningRequest) string {
	state := []string{"Pending"}
	switch {
	case len(conditionsOf(r, certificatesv1.CertificateDenied)) > 0:
		state[0] = "Denied"
	case len(conditionsOf(r, certificatesv1.CertificateApproved)) > 0:
		state[0] = "Approved"
	}
	if len(conditionsOf(r, certificatesv1.CertificateFailed)) > 0 {
		state = append(state, "Failed")
	}
	if len(r.Status.Certificate) > 0 {
		state = append(state, "Issued")
	}
	return strings.Join(state, ",")
}
