package main

import (
	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	client "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	apiregistrationv1beta1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1beta1"
)

// The scheme knows every published type, and the codecs the forms in which Kubarium serves it, which are more by CBOR than
// kube-apiserver has by default.
var (
	scheme     = newScheme()
	codecs     = serializer.NewCodecFactory(scheme, serializer.WithSerializer(cbor.NewSerializerInfo))
	parameters = runtime.NewParameterCodec(scheme)
)

// newScheme registers what kube-apiserver does. The definition of DeleteOptions names every group version among it,
// those too that no server serves.
func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		client.AddToScheme, admissionv1.AddToScheme, admissionv1beta1.AddToScheme, imagepolicyv1alpha1.AddToScheme,
		apiextensionsv1.AddToScheme, apiextensionsv1beta1.AddToScheme,
		apiregistrationv1.AddToScheme, apiregistrationv1beta1.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}

// serveCBOR has the installer tell of patches in CBOR.
func serveCBOR() error {
	return utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(features.CBORServingAndStorage): true})
}
