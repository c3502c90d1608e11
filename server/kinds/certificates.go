package kinds

import (
	"fmt"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/certificates"
	"k8s.io/kubernetes/pkg/registry/certificates/podcertificaterequest"
	"k8s.io/utils/clock"
)

// podCertificateRequestRow is the row of PodCertificateRequest.
func podCertificateRequestRow() *Kind {
	strategy := podcertificaterequest.NewStrategy()
	return row{
		gvk: gvk("certificates.k8s.io", "v1", "PodCertificateRequest"), resource: "podcertificaterequests", singular: "podcertificaterequest",
		strategy: strategy, status: podcertificaterequest.NewStatusStrategy(strategy, authorizerInContext{}, clock.RealClock{}),
		attributes: podCertificateRequestAttributes,
	}.kind()
}

// podCertificateRequestAttributes are the fields that selectors may name, as in kube-apiserver's storage of the kind.
func podCertificateRequestAttributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	r, ok := obj.(*certificates.PodCertificateRequest)
	if !ok {
		return nil, nil, fmt.Errorf("select a PodCertificateRequest: it is a %T", obj)
	}
	return r.Labels, fields.Set{
		"spec.signerName": r.Spec.SignerName, "spec.podName": r.Spec.PodName, "spec.nodeName": string(r.Spec.NodeName),
	}, nil
}

// trustBundleAttributes are the same for ClusterTrustBundle.
func trustBundleAttributes(obj runtime.Object) (labels.Set, fields.Set, error) {
	b, ok := obj.(*certificates.ClusterTrustBundle)
	if !ok {
		return nil, nil, fmt.Errorf("select a ClusterTrustBundle: it is a %T", obj)
	}
	return b.Labels, fields.Set{"spec.signerName": b.Spec.SignerName}, nil
}
